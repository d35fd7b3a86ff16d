"""A machine breaks down and is repaired, each step can be taken back, and whoever waits is called in order."""

from datetime import UTC, datetime, timedelta
from random import Random

import pytest
import time_machine

from tests import factories
from tests.tournaments.services.games import record, start
from tournaments import selectors
from tournaments.domain.refusals import Refusal
from tournaments.models import Incident, Journal, Machine, Show, Tournament, Waiting
from tournaments.services import entries, incidents, machines, matches, stages

NOON = datetime(2010, 7, 24, 12, tzinfo=UTC)


def broken(world, number=0, **details):
    return incidents.report(world.machines[number], actor=None, **details)


def in_order(world, number=0):
    return Machine.objects.get(pk=world.machines[number].pk).in_order


def wait(world, number=0, machine=0):
    return incidents.wait(world.machines[machine], actor=None, entry=world.entries[number])


def listed(machine):
    return [line.entry.number for line in incidents.who_waits(machine).to_call]


def revisions():
    shows = {f"show {show.pk}": show.revision for show in Show.objects.all()}
    return shows | {f"tournament {each.pk}": each.revision for each in Tournament.objects.all()}


def show_journal_is_complete():
    for show in Show.objects.all():
        lines = Journal.objects.filter(show=show).order_by("revision").values_list("revision", flat=True)
        assert list(lines) == list(range(1, show.revision + 1))
    return True


def test_a_machine_is_out_of_order_from_its_report_until_its_repair(world):
    incident = broken(world, what="left flipper dead")
    assert not in_order(world)
    assert not world.machines[0].in_order

    incidents.repaired(incident, actor=None, what="new coil")

    assert in_order(world)
    incident.refresh_from_db()
    assert (incident.what, incident.repair) == ("left flipper dead", "new coil")


def test_a_fault_that_is_only_noted_leaves_the_machine_in_play(world):
    incident = broken(world, what="lamp out", out_of_order=False)

    assert in_order(world)
    with pytest.raises(Refusal, match="Say what is wrong; the machine stays in play"):
        broken(world, out_of_order=False)
    incidents.repaired(incident, actor=None)
    assert in_order(world)


def test_with_two_faults_it_is_in_order_when_both_are_repaired(world):
    one, other = broken(world, what="flipper"), broken(world, what="ball stuck")

    incidents.repaired(one, actor=None)
    assert not in_order(world)
    incidents.repaired(other, actor=None)
    assert in_order(world)


def test_one_tap_ends_everything_that_put_it_out_of_order_and_one_undo_brings_it_back(world):
    one, other = broken(world, what="flipper"), broken(world, what="ball stuck")
    noted = broken(world, what="lamp", out_of_order=False)
    before = list(Incident.objects.order_by("pk").values())

    incidents.in_order_again(world.machines[0], actor=None)
    assert in_order(world)
    noted.refresh_from_db()
    assert noted.repaired_at is None
    incidents.reopen(one, actor=None)

    assert not in_order(world)
    assert list(Incident.objects.order_by("pk").values()) == before
    incidents.reopen(other, actor=None)
    assert list(Incident.objects.order_by("pk").values()) == before


def test_a_report_made_by_mistake_is_taken_back_and_stays_in_the_book(world):
    incident = broken(world, what="wrong machine")

    for _ in range(2):
        incidents.take_back(incident, actor=None)

    assert in_order(world)
    assert Incident.objects.get().undone_at is not None
    assert Journal.objects.filter(show=world.show, action="take back report").count() == 1


def test_a_report_that_was_answered_by_a_repair_is_not_taken_back(world):
    incident = broken(world)
    incidents.repaired(incident, actor=None)

    with pytest.raises(Refusal, match="is repaired; take the repair back first"):
        incidents.take_back(incident, actor=None)


@pytest.mark.parametrize("again", ["flipper", "", " flipper "])
def test_a_second_tap_makes_no_second_incident(world, again):
    first = broken(world, what="flipper")
    before = revisions()

    assert broken(world, what=again) == first
    assert revisions() == before


def test_repairing_what_is_repaired_changes_nothing(world):
    incident = broken(world)
    incidents.repaired(incident, actor=None)
    before = revisions()

    incidents.repaired(incident, actor=None)
    incidents.in_order_again(world.machines[0], actor=None)

    assert revisions() == before


@pytest.mark.parametrize("what", ["x" * 301, "a\x00b"])
def test_a_text_that_cannot_be_kept_is_refused_and_nothing_is_closed(world, what):
    with pytest.raises(Refusal) as told:
        broken(world, what=what)

    assert told.value.field == "what"
    assert in_order(world)


def test_every_tournament_with_the_machine_in_a_stage_not_closed_hears_of_it_and_so_does_the_show(world):
    other = factories.qualifying(of=world.show, format="kids")
    closed = factories.qualifying(of=world.show, format="classic", players=0)
    stages.close_stage(closed.stage, actor=None)
    before = revisions()

    broken(world, what="flipper")

    told = Journal.objects.filter(action="report fault").order_by("pk")
    assert {line.tournament_id for line in told} == {world.tournament.pk, other.tournament.pk, None}
    assert {line.summary for line in told} == {"Machine 1 (M1) is out of order: flipper."}
    changed = {name for name, revision in revisions().items() if revision != before[name]}
    assert changed == {
        f"show {world.show.pk}",
        f"tournament {world.tournament.pk}",
        f"tournament {other.tournament.pk}",
    }
    assert show_journal_is_complete()


def test_no_game_starts_on_it_and_a_slip_of_a_game_played_before_is_taken(world):
    broken(world)

    with pytest.raises(Refusal, match=r"Machine 1 \(M1\) is out of order; no game starts on it"):
        start(world)
    assert record(world, value=5_000).value == 5_000


def test_a_game_under_way_when_it_breaks_keeps_its_score(world):
    start(world)
    broken(world)

    assert record(world, value=5_000).value == 5_000


def test_a_match_is_neither_called_nor_begun_on_it_and_its_scores_are_taken():
    world = factories.seated()
    one, other = factories.dealt(world, "semi-finals")
    matches.play(one, actor=None)
    for number in (0, 1):
        broken(world, number)

    for act in (matches.call, matches.warm_up, matches.play):
        with pytest.raises(Refusal, match="is out of order; no game starts on it"):
            act(other, actor=None)
    assert [score.value for score in factories.scored(one, 4, 3, 2, 1)] == [4, 3, 2, 1]
    assert [score.value for score in factories.scored(other, 4, 3, 2, 1)] == [4, 3, 2, 1]


def test_a_machine_that_breaks_while_matches_are_drawn_is_not_dealt(monkeypatch):
    world = factories.seated()
    plan = matches.plan

    def slow_plan(*args, **details):
        planned = plan(*args, **details)
        broken(world, 1)
        return planned

    monkeypatch.setattr(matches, "plan", slow_plan)
    loaded = list(Machine.objects.filter(show=world.show).order_by("code")[:2])

    with pytest.raises(Refusal, match="is out of order"):
        matches.deal(factories.stage(world.tournament, "semi-finals"), actor=None, machines=loaded)


def test_a_repair_and_a_report_change_no_table(world):
    factories.standings(world, [[5, 6], [6, 5]])
    before = selectors.stage_facts(world.stage).table

    incident = broken(world)
    assert selectors.stage_facts(world.stage).table == before
    assert not selectors.stage_facts(world.stage).facts.machines[0].in_order
    incidents.repaired(incident, actor=None)

    assert selectors.stage_facts(world.stage).facts.machines[0].in_order


def test_who_waits_is_called_in_the_order_of_coming_whatever_the_number(world):
    with time_machine.travel(NOON, tick=False) as clock:
        broken(world)
        wait(world, 1)
        clock.shift(timedelta(minutes=1))
        wait(world, 0)
        wait(world, 1)

    assert listed(world.machines[0]) == [2, 1]
    line = Journal.objects.filter(tournament=world.tournament, action="wait for machine").first()
    assert line.summary == "1 Player 1 waits for Machine 1 (M1)."
    assert (line.entry, line.machine) == (world.entries[0], world.machines[0])


def test_nobody_waits_for_a_machine_that_is_in_order_or_not_played_or_after_leaving(world):
    with pytest.raises(Refusal, match=r"Machine 1 \(M1\) is in order: 1 Player 1 can play it"):
        wait(world)
    broken(world)
    entries.withdraw(world.entries[1], actor=None, reason="left")
    with pytest.raises(Refusal, match="2 Player 2 is withdrawn and plays no more"):
        wait(world, 1)
    stray = factories.machine(world.show, "TZ")
    incidents.report(stray, actor=None)
    with pytest.raises(Refusal, match=r"is not used in The Open now"):
        incidents.wait(stray, actor=None, entry=world.entries[0])


def test_the_list_outlives_the_repair_and_who_has_played_since_is_off_it(world):
    with time_machine.travel(NOON, tick=False) as clock:
        incident = broken(world)
        wait(world, 0)
        wait(world, 1)
        clock.shift(timedelta(minutes=10))
        incidents.repaired(incident, actor=None)
        assert listed(world.machines[0]) == [1, 2]
        start(world, 0)

    assert listed(world.machines[0]) == [2]
    assert [line.entry.number for line in incidents.who_waits(world.machines[0]).served] == [1]


def test_a_report_taken_back_leaves_nobody_waiting(world):
    incident = broken(world)
    wait(world)

    incidents.take_back(incident, actor=None)

    assert listed(world.machines[0]) == []
    assert Waiting.objects.count() == 1


def test_whoever_waits_no_longer_is_off_the_list_once(world):
    broken(world)
    waiting = wait(world)
    for _ in range(2):
        incidents.stop_waiting(waiting, actor=None)

    assert listed(world.machines[0]) == []
    assert Journal.objects.filter(show=world.show, action="stop waiting").count() == 1


def test_games_under_way_and_matches_called_are_listed_as_waiting_too():
    world = factories.seated()
    one, other = factories.dealt(world, "semi-finals")
    matches.call(one, actor=None)
    broken(world)

    waits = incidents.who_waits(world.machines[0])

    assert waits.matches == (one,)
    assert incidents.who_waits(world.machines[1]).matches == ()
    assert other not in waits.matches


def test_a_single_game_under_way_is_listed(world):
    game = start(world)
    broken(world)

    assert incidents.who_waits(world.machines[0]).playing == (game,)


class Hall:
    """What a person at the machine would keep on paper."""

    def __init__(self, world, random):
        self.world, self.random = world, random
        self.open, self.repairs, self.waiting = [], [], []

    @property
    def machine(self):
        return self.world.machines[0]

    def report(self):
        what = f"fault {self.random.randrange(3)}"
        incident = incidents.report(self.machine, actor=None, what=what)
        if incident not in self.open:
            self.open.append(incident)

    def repair_all(self):
        incidents.in_order_again(self.machine, actor=None)
        if self.open:
            self.repairs.append(self.open)
        self.open = []

    def repair_one(self):
        if self.open:
            ended = self.open.pop(self.random.randrange(len(self.open)))
            incidents.repaired(ended, actor=None)
            self.repairs.append([ended])

    def reopen(self):
        if self.repairs:
            ended = self.repairs.pop(self.random.randrange(len(self.repairs)))
            incidents.reopen(ended[0], actor=None)
            self.open += ended

    def wait(self):
        entry = self.random.choice(self.world.entries)
        try:
            incidents.wait(self.machine, actor=None, entry=entry)
        except Refusal:
            assert not self.open
        else:
            if entry.number not in self.waiting:
                self.waiting.append(entry.number)

    def stop(self):
        if self.waiting:
            number = self.random.choice(self.waiting)
            kept = Waiting.objects.select_related("incident__machine__show", "entry__tournament").get(
                entry__number=number
            )
            incidents.stop_waiting(kept, actor=None)
            self.waiting.remove(number)


@pytest.mark.parametrize("seed", range(8))
def test_whatever_happens_the_state_follows_the_open_incidents_and_nobody_is_lost_or_overtaken(seed):
    world, random = factories.qualifying(players=5, stock=2), Random(seed)
    hall = Hall(world, random)
    acts = (hall.report, hall.report, hall.repair_all, hall.repair_one, hall.reopen, hall.wait, hall.wait, hall.stop)
    with time_machine.travel(NOON, tick=False) as clock:
        for _ in range(40):
            random.choice(acts)()
            clock.shift(timedelta(seconds=30))
            assert in_order(world) == (not hall.open)
            assert listed(hall.machine) == hall.waiting
    assert show_journal_is_complete()


def test_the_short_name_of_a_page_of_the_show_is_no_tournament():
    with pytest.raises(Refusal, match="is that of a page of the show"):
        factories.tournament(slug="machines")


def test_adding_a_machine_needs_no_book(world):
    made = machines.add(world.show, actor=None, code="TZ", name="Twilight Zone")

    assert incidents.who_waits(made) == incidents.WhoWaits((), (), ())
