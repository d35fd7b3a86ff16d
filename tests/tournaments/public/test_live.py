"""One computation per revision, whoever asks and however many; never an older page; the same bytes packed or not."""

import gzip
import re
import threading
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest
from django.db import connection
from django.http import Http404
from django.test import Client
from django.utils import timezone

from tests import factories
from tournaments import live, selectors
from tournaments.domain.facts import Phase

READERS = 32


@pytest.fixture
def believing(monkeypatch):
    """The memo as it is in service: a revision may be believed for up to a second."""
    monkeypatch.setattr(live, "REVISION_MEMO", 60.0)


def version(response):
    return re.search(r'data-version="([^"]+)"', response.content.decode())[1]


def by(version_text, revision=0, phase=""):
    """Another version of the same stage: so many revisions later, or in another phase."""
    stage, now, was = version_text.split(".")
    return f"{stage}.{int(now) + revision}.{phase or was}"


def count_readings(monkeypatch):
    read, readings = selectors.stage_facts, []

    def counted(*args, **kwargs):
        readings.append(args)
        return read(*args, **kwargs)

    monkeypatch.setattr(selectors, "stage_facts", counted)
    return readings


# --- 204 ---


@pytest.mark.django_db
def test_who_has_the_page_gets_204_without_a_body(public):
    visitor = public(factories.qualifying())

    again = visitor.rows(version(visitor.rows()))

    assert again.status_code == 204
    assert again.content == b""
    assert again["Cache-Control"] == "no-cache"


@pytest.mark.django_db
def test_the_version_may_be_named_without_its_stage(public):
    visitor = public(factories.qualifying())

    assert visitor.rows(version(visitor.rows()).partition(".")[2]).status_code == 204


@pytest.mark.django_db
def test_who_has_an_older_page_gets_the_new_one(public):
    world = factories.qualifying()
    visitor = public(world)
    seen = version(visitor.rows())
    factories.play(world.stage, world.entries[0], world.machines[0], 123_456)

    page = visitor.rows(seen)

    assert page.status_code == 200
    assert "123,456" in page.content.decode()


@pytest.mark.django_db
def test_who_is_newer_than_this_process_gets_204_and_never_an_older_page(public):
    visitor = public(factories.qualifying())
    seen = version(visitor.rows())

    assert visitor.rows(by(seen, revision=3)).status_code == 204
    assert visitor.rows(by(seen, phase="closing")).status_code == 204
    assert visitor.rows(by(seen, phase="planned")).status_code == 200


@pytest.mark.django_db
@pytest.mark.parametrize(
    "typed", ["", "x", "1", "1.2.3.4", "-1.open", "1e3.open", "5.ended", "٣.open", f"{'9' * 5000}.open", "0.99.open"]
)
def test_a_version_that_means_nothing_here_is_answered_with_the_page(public, typed):
    assert public(factories.qualifying()).rows(typed).status_code == 200


@pytest.mark.django_db
def test_the_page_a_process_believes_in_is_not_sent_to_who_has_it(public, believing):
    world = factories.qualifying()
    visitor = public(world)
    seen = version(visitor.rows())
    factories.play(world.stage, world.entries[0], world.machines[0], 5)

    assert visitor.rows(seen).status_code == 204
    selectors.current_revision(world.tournament.pk)
    assert visitor.rows(seen).status_code == 200


# --- queries ---


@pytest.mark.django_db
def test_a_table_is_made_in_six_queries_at_most_whatever_its_size(public, believing, django_assert_max_num_queries):
    small, large = factories.qualifying(players=2), factories.qualifying(players=20, of=factories.show("other"))
    factories.standings(large, [[number] * 6 for number in range(1, 21)])
    for world in (small, large):
        live.find(world.show.slug, world.tournament.slug, "qualifying")

        with django_assert_max_num_queries(6):
            public(world).rows()


@pytest.mark.django_db
def test_a_closed_table_with_its_seats_takes_no_more_than_six(public, believing, django_assert_max_num_queries):
    world = factories.closed(factories.qualifying(), [[5], [4]])
    live.find(world.show.slug, world.tournament.slug, "qualifying")

    with django_assert_max_num_queries(6):
        public(world).rows()


@pytest.mark.django_db
def test_a_page_that_is_kept_takes_no_query_at_all(public, believing, django_assert_num_queries):
    visitor = public(factories.qualifying())
    paths = ("qualifying/", "qualifying/rows/", "players/1/", "machines/M1/", "rules/")
    for path in paths:
        visitor.get(path)

    with django_assert_num_queries(0):
        for path in paths:
            assert visitor.get(path).status_code == 200


@pytest.mark.django_db
def test_all_pages_of_a_revision_share_one_reading(public, monkeypatch):
    world = factories.qualifying()
    visitor = public(world)
    readings = count_readings(monkeypatch)

    for path in ("qualifying/rows/", "qualifying/", "players/1/", "players/2/", "machines/M1/", "rules/", "search/"):
        visitor.get(path)

    assert len(readings) == 1


@pytest.mark.django_db
def test_asking_for_what_is_not_there_leaves_nothing_behind(public):
    visitor = public(factories.qualifying())
    visitor.stage()
    kept = len(live._pages), len(live._addresses)

    for number in range(100, 120):
        assert visitor.player(number).status_code == 404
        assert visitor.get(f"stage-{number}/").status_code == 404

    assert len(live._pages) == kept[0]
    assert len(live._addresses) == kept[1] + 1  # the tournament's first stage, which the players' pages ask for


# --- bytes ---


@pytest.mark.django_db
@pytest.mark.parametrize("path", ["qualifying/", "qualifying/rows/", "players/1/"])
def test_packed_and_plain_are_the_same_page(public, path):
    visitor = public(factories.qualifying(players=9))

    plain = visitor.get(path)
    packed = visitor.get(path, headers={"Accept-Encoding": "br;q=1.0, gzip;q=0.8"})

    assert "Content-Encoding" not in plain
    assert packed["Content-Encoding"] == "gzip"
    assert gzip.decompress(packed.content) == plain.content
    for page in (plain, packed):
        assert page["Vary"] == "Accept-Encoding"
        assert page["Cache-Control"] == "no-cache"
        assert int(page["Content-Length"]) == len(page.content)


@pytest.mark.django_db
@pytest.mark.parametrize("accepted", ["", "br", "gzip;q=0", "gzip; q=0.0, br", "xgzipx"])
def test_who_does_not_take_gzip_gets_the_plain_page(public, accepted):
    page = public(factories.qualifying()).get("qualifying/rows/", headers={"Accept-Encoding": accepted})

    assert "Content-Encoding" not in page


# --- many at once ---


def made(revision):
    return live.Page(live.Version(1, revision, 1), None, b"", b"")


def test_of_many_readers_one_computes_and_the_others_wait_when_there_is_nothing_yet():
    slot, computed, together = live._Slot(), [], threading.Barrier(READERS)

    def compute():
        computed.append(1)
        return made(1)

    def read(_):
        together.wait()
        return slot.get(live.Found(1, 1, 1), compute, wait=False)

    with ThreadPoolExecutor(READERS) as pool:
        pages = list(pool.map(read, range(READERS)))

    assert len(computed) == 1
    assert all(page is pages[0] for page in pages)


def test_while_one_computes_the_others_get_the_page_before_at_once():
    slot, begun, go_on = live._Slot(), threading.Event(), threading.Event()
    before = slot.get(live.Found(1, 1, 1), lambda: made(1), wait=False)

    def slowly():
        begun.set()
        assert go_on.wait(10)
        return made(2)

    with ThreadPoolExecutor(1) as pool:
        first = pool.submit(slot.get, live.Found(1, 1, 2), slowly, wait=False)
        assert begun.wait(10)
        meanwhile = [slot.get(live.Found(1, 1, 2), slowly, wait=False) for _ in range(READERS)]
        go_on.set()

        assert all(page is before for page in meanwhile)
        assert first.result().version.revision == 2


def test_a_computation_that_fails_leaves_the_next_reader_free_to_try():
    slot = live._Slot()

    def fails():
        raise Http404

    with pytest.raises(Http404):
        slot.get(live.Found(1, 1, 1), fails, wait=False)

    assert slot.get(live.Found(1, 1, 1), lambda: made(1), wait=False).version.revision == 1


def test_a_version_ends_when_its_moment_has_come():
    ended = live.Page(live.Version(1, 1, 1), timezone.now() - timedelta(seconds=1), b"", b"")
    slot = live._Slot()
    slot.made = ended

    assert slot.get(live.Found(1, 1, 1), lambda: made(1), wait=False) is not ended


def test_the_phase_only_goes_on_in_the_order_of_versions():
    assert [str(live.Version(4, 7, live.PHASES.index(phase))) for phase in Phase] == [
        "4.7.planned",
        "4.7.open",
        "4.7.closing",
        "4.7.closed",
    ]


@pytest.mark.django_db(transaction=True)
def test_thirty_two_readers_of_a_new_revision_cost_one_reading(public, believing, monkeypatch):
    world = factories.qualifying(players=6)
    address = f"{public(world).base}qualifying/rows/"
    Client().get(address)
    factories.play(world.stage, world.entries[0], world.machines[0], 123_456)
    readings, together = count_readings(monkeypatch), threading.Barrier(READERS)

    def read(_):
        together.wait()
        try:
            return Client().get(address)
        finally:
            connection.close()

    with ThreadPoolExecutor(READERS) as pool:
        answers = list(pool.map(read, range(READERS)))

    assert len(readings) == 1
    assert {answer.status_code for answer in answers} == {200}
    assert "123,456" in Client().get(address).content.decode()


@pytest.mark.django_db
def test_a_tournament_taken_away_while_it_is_believed_in_is_a_404(public, believing):
    world = factories.qualifying()
    visitor = public(world)
    live.find(world.show.slug, world.tournament.slug)
    world.tournament.journal.all().delete()
    world.stage.stage_machines.all().delete()
    world.tournament.stages.all().delete()

    assert visitor.player(1).status_code == 404
    assert not live._addresses
