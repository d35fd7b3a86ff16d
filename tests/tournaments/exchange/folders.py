"""Folders to import, small enough to be read in a test."""

from pathlib import Path

DATA = Path(__file__).resolve().parents[2] / "data"
PUBLISHED = sorted(path.parent.name for path in DATA.glob("*/expected_qualifying.csv"))

HEADING = """\
# A small show.
show = "UK Pinball Party 2010"
show_slug = "party"
name = "Open"
slug = "open"
format = "open"
starts_on = 2010-07-24

[qualifying]
games_allowed = 3
games_counted = 3
qualifiers = 2
"""
MACHINES = "code,name,manufacturer,year\nTZ,Twilight Zone,Bally,1993\nAFM,Attack from Mars,Bally,1995\nCEN,Centaur,,\n"
ENTRIES = "number,name,country,ifpa_number,place\n1,Ann Example,GB,123,\n2,Bo Sample,,,\n3,Cy Instance,NL,,\n"
SCORES = "number,machine,score\n1,TZ,300\n1,AFM,10\n2,TZ,200\n3,CEN,77\n"


def folder(**tables: str | bytes | None) -> dict[str, bytes]:
    """The small folder with other tables, such as `scores="…"`; None leaves a table out."""
    texts = {"heading": HEADING, "machines": MACHINES, "entries": ENTRIES, "scores": SCORES} | tables
    names = {"heading": "tournament.toml"}
    return {
        names.get(name, f"{name}.csv"): text if isinstance(text, bytes) else text.encode()
        for name, text in texts.items()
        if text is not None
    }


def match(*lines: str, more: str = "") -> str:
    """matches.csv with these lines; `more` are further columns, ",state"."""
    heading = f"stage,round,machine,number_1,score_1,number_2,score_2{more}"
    return "\n".join([heading, *lines, ""])


def published(name: str) -> dict[str, bytes]:
    """A folder of real results."""
    return {path.name: path.read_bytes() for path in (DATA / name).iterdir()}


def renamed(files: dict[str, bytes], slug: str) -> dict[str, bytes]:
    """The same folder for a show at another address, to be imported beside the first."""
    lines = files["tournament.toml"].decode().splitlines()
    changed = [f'show_slug = "{slug}"' if line.startswith("show_slug") else line for line in lines]
    return files | {"tournament.toml": "\n".join(changed).encode()}
