"""An empty folder to fill in, made from the rules of a format."""

from collections.abc import Iterator

from tournaments import formats
from tournaments.services.exchange import heading, lines, rosters, tables
from tournaments.services.exchange.writing import toml


def template(format_key: str) -> dict[str, bytes]:
    """The files of a folder for this format, by name, with every rule explained; raises `KeyError`."""
    kind = formats.get(format_key)
    listed = rosters.table_of(kind)
    wanted = (lines.MACHINES, listed, lines.SCORES) if listed == lines.ENTRIES else (lines.MACHINES, listed)
    columns = {
        lines.MACHINES: (*lines.MACHINES.needed, *lines.MACHINES.optional),
        lines.ENTRIES: ("number", "name", "country", "ifpa_number", "place"),
        lines.SCORES: lines.SCORES.needed,
    }
    columns.setdefault(listed, listed.needed)
    files = {heading.FILE: "\n".join(_heading(kind)).encode() + b"\n"}
    return files | {table.file: tables.write(columns[table], []) for table in wanted}


def _heading(kind: formats.Format) -> Iterator[str]:
    yield f"# {kind.label}. Text after # is for people only."
    yield "# The show: its name, its part of every address, and its days."
    yield 'show = "My Pinball Show 2026"'
    yield 'show_slug = "my-show-2026"'
    yield "# show_starts_on = 2026-08-14"
    yield "# show_ends_on = 2026-08-16"
    yield '# venue = "The hall, its street and town"'
    yield 'time_zone = "Europe/London"'
    yield ""
    yield "# This tournament, and the day on which it is played."
    yield f"name = {toml(kind.label)}"
    yield f"slug = {toml(kind.key)}"
    yield f"format = {toml(kind.key)}"
    yield "starts_on = 2026-08-15"
    yield ""
    yield f"[{heading.RULES}]"
    for rule in formats.rule_lines(kind.Rules()):
        yield f"# {rule.label} ({rule.source}): {rule.help}"
        yield f"{rule.name} = {toml(rule.value)}"
    yield ""
    yield "# How many places are on sale, and when. Without this table there are as many as entries name."
    yield f"# [{heading.PLACES}.pre-registered]"
    yield "# capacity = 60"
    yield "# opens_at = 2026-06-18 12:00:00"
