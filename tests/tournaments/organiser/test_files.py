"""Empty files to fill in, and a tournament as files: what is downloaded here can be imported here."""

import io
import zipfile

import pytest

from tests import factories
from tests.tournaments.admin.pages import text
from tests.tournaments.organiser.test_import import send
from tournaments import formats, selectors
from tournaments.models import Score, Show, Tournament

EACH_FORMAT = [kind.key for kind in formats.known()]


def unpacked(answer):
    """{file: content}, and the one folder they lie in."""
    with zipfile.ZipFile(io.BytesIO(answer.content)) as archive:
        names = archive.namelist()
        return {name.partition("/")[2]: archive.read(name) for name in names}, {
            name.partition("/")[0] for name in names
        }


@pytest.mark.parametrize("key", EACH_FORMAT)
def test_every_format_has_empty_files_that_explain_each_rule(organiser, key):
    answer = organiser.get(f"/organise/templates/{key}/")

    files, folders = unpacked(answer)
    assert folders == {key}
    assert answer["Content-Disposition"] == f'attachment; filename="{key}.zip"'
    heading = files["tournament.toml"].decode()
    for line in formats.rule_lines(formats.get(key).Rules()):
        assert line.name in heading
        assert line.label in heading
    assert "machines.csv" in files


@pytest.mark.parametrize("key", [kind.key for kind in formats.known() if any(stage.slips for stage in kind.stages)])
def test_the_empty_files_are_imported_as_they_are(organiser, key):
    packed = organiser.get(f"/organise/templates/{key}/").content

    answer = send(organiser, {"empty.zip": packed})

    assert answer.status_code == 200, answer.context["faults"]
    made = Tournament.objects.get()
    assert made.format == key
    assert made.rules_in_force == made.kind.Rules()


def test_a_format_that_is_not_there_is_not_found(organiser):
    assert organiser.get("/organise/templates/chess/").status_code == 404


def test_a_tournament_goes_out_as_a_folder_and_comes_back_with_the_same_table(organiser, folder):
    send(organiser, folder)
    tournament = Tournament.objects.get()

    answer = organiser.get(f"/organise/export/{tournament.path}/")

    files, folders = unpacked(answer)
    assert folders == {"party-2011-open"}
    elsewhere = {**files, "tournament.toml": files["tournament.toml"].replace(b"party-2011", b"elsewhere")}
    assert send(organiser, elsewhere).status_code == 200
    tables = [
        [(row.place, row.points, row.games) for row in selectors.stage_facts(factories.stage(made)).table.rows]
        for made in Tournament.objects.all()
    ]
    assert tables[0] == tables[1]
    assert Score.objects.count() == 6


def test_a_tournament_that_is_not_there_is_not_found(organiser):
    assert organiser.get("/organise/export/no/such/").status_code == 404


def test_the_front_page_lists_every_tournament_and_every_format(organiser):
    factories.tournament()

    answer = organiser.get("/organise/")

    words, html = text(answer), answer.content.decode()
    assert "The Open UK Pinball Party 24 July 2010" in words
    assert 'href="/organise/export/party/open/"' in html
    for kind in formats.known():
        assert f'href="/organise/templates/{kind.key}/"' in html
        for label in formats.not_yet(kind):
            assert label.lower() in words


def test_the_front_page_of_an_empty_house_says_how_to_begin(organiser):
    answer = organiser.get("/organise/")

    assert "There is none yet." in text(answer)
    assert Show.objects.count() == 0


def test_the_pages_hold_no_inline_script_or_style(organiser, folder):
    del folder["machines.csv"]
    for answer in (organiser.get("/organise/"), organiser.get("/organise/import/"), send(organiser, folder)):
        html = answer.content.decode()
        assert "<style" not in html
        assert " style=" not in html
        assert "hx-on" not in html
        assert "<script>" not in html
