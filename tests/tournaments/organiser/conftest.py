import pytest

from tests import factories

TOURNAMENT = """\
show = "Party 2011"
show_slug = "party-2011"
name = "The Open"
slug = "open"
format = "open"
starts_on = 2011-07-23

[qualifying]
qualifiers = 2
"""


@pytest.fixture
def organiser(client, db):
    """A browser in which an organiser is signed in."""
    client.force_login(factories.user("organiser", "olivia"))
    return client


@pytest.fixture
def folder():
    """The files of a small tournament that has been played."""
    return {
        "tournament.toml": TOURNAMENT.encode(),
        "machines.csv": b"code,name,manufacturer,year\nTZ,Twilight Zone,Bally,1993\nMM,Medieval Madness,,\n",
        "entries.csv": b"number,name,country\n7,Ann Archer,UK\n17,Bob Byrne,IE\n",
        "scores.csv": b"number,machine,score\n7,TZ,99999999990\n17,TZ,12\n17,MM,500\n",
    }
