"""Machines join a stage, are taken out of it, and come back."""

import pytest

from tests import factories
from tests.tournaments.services.games import record, set_state
from tournaments import selectors
from tournaments.domain.refusals import Refusal
from tournaments.models import Journal, Machine, StageMachine
from tournaments.services import machines, stages

OPEN, LET_STAND, CANCELLED = StageMachine.State.OPEN, StageMachine.State.LET_STAND, StageMachine.State.CANCELLED


def used(world, number=0):
    return StageMachine.objects.select_related("stage__tournament", "machine").get(
        stage=world.stage, machine=world.machines[number]
    )


@pytest.mark.parametrize("code", ["TZ", "tz"])
def test_a_code_is_one_machine_in_large_and_small_letters(code):
    show = factories.show()
    factories.machine(show, "TZ", "Twilight Zone")

    with pytest.raises(Refusal, match=r"The code TZ belongs to Twilight Zone\.") as told:
        factories.machine(show, code)

    assert told.value.field == "code"


@pytest.mark.parametrize("code", ["", "T Z", "TZ!", "TWILIGHTZONE"])
def test_a_code_is_a_few_letters_and_digits(code):
    with pytest.raises(Refusal) as told:
        factories.machine(factories.show(), code)

    assert told.value.field == "code"
    assert not Machine.objects.exists()


def test_two_shows_may_use_the_same_code():
    assert factories.machine(factories.show(), "TZ") != factories.machine(factories.show("other"), "TZ")


def test_a_corrected_name_is_noted_in_every_tournament_that_uses_the_machine(world):
    other = factories.qualifying(of=world.show, format="kids")
    idle = factories.tournament(world.show, format="classic")

    for _ in range(2):
        machines.change_details(world.machines[0], actor=None, name="Twilight Zone", manufacturer="Bally", year=1993)

    noted = Journal.objects.filter(action="change machine").values_list("tournament", "show")
    assert set(noted) == {(world.tournament.pk, None), (other.tournament.pk, None), (None, world.show.pk)}
    assert len(noted) == 3
    assert idle.revision == 1
    assert str(world.machines[0]) == "Twilight Zone (M1)"


def test_a_machine_comes_into_stages_with_its_details_or_not_at_all(world):
    kids = factories.qualifying(of=world.show, format="kids", stock=0, players=0, opened=False)
    machine = machines.add(world.show, actor=None, code="TZ", name="TZ", used_in=[kids.stage])

    machines.change_details(machine, actor=None, name="Twilight Zone", used_in=[world.stage])

    assert machine.name == "Twilight Zone"
    assert [used.stage for used in machine.stage_machines.all()] == [world.stage]

    record(world, 0, 0, 100)
    with pytest.raises(Refusal, match="has scores in qualifying"):
        machines.change_details(world.machines[0], actor=None, name="Renamed", used_in=[kids.stage])
    stages.close_stage(world.stage, actor=None)
    with pytest.raises(Refusal, match=r"Qualifying is closed\."):
        machines.add(world.show, actor=None, code="MM", name="MM", used_in=[kids.stage, world.stage])
    assert not Machine.objects.filter(name__in=["Renamed", "MM"]).exists()
    assert kids.stage.stage_machines.count() == 0


def test_what_a_closed_stage_used_stays_with_it(world):
    stages.close_stage(world.stage, actor=None)

    machines.change_details(world.machines[0], actor=None, name="Twilight Zone", used_in=[])

    assert [used.stage for used in world.machines[0].stage_machines.all()] == [world.stage]


def test_using_a_machine_twice_is_once(world):
    before = selectors.current_revision(world.tournament.pk)

    assert machines.use(world.stage, actor=None, machine=world.machines[0]) == used(world)
    assert selectors.current_revision(world.tournament.pk) == before


def test_a_machine_of_another_show_is_not_used(world):
    stray = factories.machine(factories.show("other"), "TZ")

    with pytest.raises(Refusal, match="is not a machine of"):
        machines.use(world.stage, actor=None, machine=stray)


def test_a_closed_stage_takes_no_more_machines(world):
    stages.close_stage(world.stage, actor=None)

    with pytest.raises(Refusal, match=r"Qualifying is closed\."):
        machines.use(world.stage, actor=None, machine=factories.machine(world.show, "TZ"))


def test_a_machine_nobody_has_played_may_be_left_out_and_only_once_is_noted(world):
    unused = used(world, 5)

    machines.leave_out(unused, actor=None)
    machines.leave_out(used(world, 4), actor=None)

    assert StageMachine.objects.filter(stage=world.stage).count() == 4
    assert Journal.objects.filter(action="leave machine out").count() == 2


def test_leaving_out_what_somebody_left_out_meanwhile_changes_nothing(world):
    one, same = used(world, 5), used(world, 5)
    machines.leave_out(one, actor=None)

    machines.leave_out(same, actor=None)

    assert Journal.objects.filter(action="leave machine out").count() == 1


def test_a_machine_with_scores_is_closed_or_cancelled_and_never_left_out(world):
    record(world)

    with pytest.raises(Refusal, match="has scores in qualifying; it can only be closed or cancelled"):
        machines.leave_out(used(world), actor=None)


def test_taking_a_machine_out_needs_a_reason_and_is_noted_once(world):
    with pytest.raises(Refusal, match="Say why"):
        machines.set_state(used(world), actor=None, state=CANCELLED, reason="")
    for _ in range(2):
        set_state(world, 0, CANCELLED)

    line = Journal.objects.get(action="set machine state")
    assert (line.before, line.after) == ({"state": "open"}, {"state": "cancelled"})
    assert line.machine == world.machines[0]


def test_a_cancelling_taken_back_leaves_exactly_the_earlier_table(world):
    factories.standings(world, [[5, 6], [6, 5]])
    before = selectors.stage_facts(world.stage).table

    set_state(world, 0, CANCELLED)
    assert selectors.stage_facts(world.stage).table != before
    set_state(world, 0, OPEN)

    assert selectors.stage_facts(world.stage).table == before


@pytest.mark.parametrize("state", [OPEN, LET_STAND])
def test_a_cancelling_is_not_taken_back_while_the_game_given_back_is_played(state):
    world = factories.qualifying(stock=7)
    factories.standings(world, [[10] * 6])
    set_state(world, 0, CANCELLED)
    record(world, machine=6)

    with pytest.raises(Refusal, match=r"More games than would then be allowed have been played by 1 Player 1\."):
        set_state(world, 0, state)

    assert used(world).state == CANCELLED


def test_machines_of_a_closed_stage_stay_as_they_are(world):
    stages.close_stage(world.stage, actor=None)

    with pytest.raises(Refusal, match=r"Qualifying is closed\."):
        set_state(world, 0, CANCELLED)
