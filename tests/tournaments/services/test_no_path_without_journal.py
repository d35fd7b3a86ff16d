"""Every service that acts is run once, with the database watched: whatever it writes stands in the journal.

`tests/architecture` reads the same from the code; here it is seen. A service that is not walked fails the last test.
"""

import importlib
import inspect
import pkgutil
from datetime import timedelta
from functools import wraps

import pytest
from django.utils import timezone

from teams import selectors
from teams import services as team_services
from teams.services import groups, teams
from teams.services.teams import Person
from tests import factories
from tests.teams.evening import Evening
from tests.tournaments.services.course import again, entry, play_semi_finals, score, stage
from tests.tournaments.services.games import seen
from tests.tournaments.traces import watched
from tournaments import services
from tournaments.models import Match, Ruling, Score, StageMachine, Tournament
from tournaments.services import (
    entries,
    game_rulings,
    incidents,
    machines,
    matches,
    people,
    places,
    redraw,
    results,
    rulings,
    scores,
    shows,
    stages,
    withdrawn,
)
from tournaments.services.exchange import loading, writing

SEMI, ROUND = "semi-finals", "second-round"

EXCEPTIONS = {
    "accounts.save_account": "a login belongs to no show; the admin keeps its own log of who changed it",
    "change.change": "is what writes the journal",
    "change.change_shared": "is what writes the journal",
    "shows.refuse_own_game": "only refuses",
}
"""What takes an actor and is not walked, and why."""

SEVERAL = ("exchange.loading.load", "exchange.loading.import_files", "teams/teams.replace")
"""What consists of several changes on purpose."""


def acting():
    """The services that act, by module and name: every public function that is told who acts.

    One that is given a log is a part of another's change.
    """
    for prefix, package in (("", services), ("teams/", team_services)):
        for found in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            yield from acting_in(found.name, f"{prefix}{found.name.removeprefix(f'{package.__name__}.')}")


def acting_in(path, label):
    """Those of one module."""
    module = importlib.import_module(path)
    for name, function in inspect.getmembers(module, inspect.isfunction):
        own = function.__module__ == path and not name.startswith("_")
        told = inspect.signature(function).parameters
        if own and "actor" in told and "log" not in told:
            yield f"{label}.{name}", module, name


@pytest.fixture
def walked(monkeypatch):
    """The names of the services run so far; each is watched. One that another service calls is part of that one."""
    done, inside = set(), []

    def watching(label, function):
        @wraps(function)
        def run(*args, **kwargs):
            if inside:
                return function(*args, **kwargs)
            inside.append(label)
            try:
                with watched(label, several=label in SEVERAL) as written:
                    outcome = function(*args, **kwargs)
            finally:
                inside.pop()
            if written:
                done.add(label)
            return outcome

        return run

    for label, module, name in acting():
        if label not in EXCEPTIONS:
            monkeypatch.setattr(module, name, watching(label, getattr(module, name)))
    return done


def set_up():
    show = factories.show("set-up")
    shows.change_show(show, actor=None, name="The Party", starts_on=factories.DAY, ends_on=factories.DAY)
    open_ = factories.tournament(show)
    shows.change_rules(open_, actor=None, rules={"qualifiers": 8}, reason="fewer came")
    shows.rename_tournament(open_, actor=None, name="Open", starts_on=factories.DAY)
    first = factories.stage(open_)
    shows.set_times(first, actor=None, opens_at=None, closes_at=None)
    machine = machines.add(show, actor=None, code="TZ", name="Twilight Zone")
    machines.change_details(machine, actor=None, name="The Twilight Zone")
    used = machines.use(first, actor=None, machine=machine)
    machines.leave_out(used, actor=None)
    machines.add(show, actor=None, code="MM", name="Medieval Madness", used_in=[first])
    places.offer(open_, actor=None, kind="last-chance", capacity=2)


def times():
    world = factories.qualifying(players=2, of=factories.show("times"), opened=False)
    shows.set_times(world.stage, actor=None, opens_at=None, closes_at=world.entries[0].entered_at.replace(year=2100))


def whoever_enters():
    world = factories.qualifying(players=4, of=factories.show("people"))
    one, two, *_ = world.entries
    entries.change_details(one, actor=None, name="Zoë", country="Wales")
    entries.check_in(one, actor=None)
    entries.take_check_in_back(one, actor=None)
    entries.check_in(one, actor=None)
    entries.withdraw(one, actor=None, reason="ill")
    entries.reinstate(one, actor=None, reason="well again")
    entries.disqualify(one, actor=None, reason="kicked the machine")
    entries.reinstate(one, actor=None, reason="on appeal")
    game_rulings.warn(one, actor=None, reason="shouted")
    rulings.undo_ruling(Ruling.objects.get(kind="warning"), actor=None, reason="another one")
    game_rulings.withdraw_no_shows([two], actor=None, reason="16:00")
    factories.play(world.stage, world.entries[3], world.machines[0], 700)
    people.merge(one.player, world.entries[3].player, actor=None, reason="entered twice")
    people.take_apart(world.entries[3].player, actor=None, reason="two brothers")


def ages():
    show = factories.show("ages")
    kids = factories.tournament(show, format="kids")
    tim = factories.entry(kids, "Tim")
    entries.confirm_age(tim, actor=None)


def the_incident_book():
    world = factories.qualifying(players=2, of=factories.show("book"))
    machine = world.machines[0]
    first = incidents.report(machine, actor=None, what="no ball")
    waits = incidents.wait(machine, actor=None, entry=world.entries[0])
    incidents.stop_waiting(waits, actor=None)
    incidents.repaired(first, actor=None, what="found it")
    incidents.reopen(first, actor=None)
    incidents.in_order_again(machine, actor=None)
    second = incidents.report(machine, actor=None, what="tilt")
    incidents.take_back(second, actor=None)


def games_and_slips():
    world = factories.qualifying(players=3, of=factories.show("games"))
    one, *_ = world.entries
    game = scores.start(world.stage, actor=None, entry=one, machine=world.machines[0])
    scores.abandon(game, actor=None, reason="power cut")
    taken = factories.play(world.stage, one, world.machines[0], 1_000)
    scores.correct(taken, actor=None, seen=seen(taken), reason="misread", value=2_000, sure=2_000)
    scores.undo(taken, actor=None, seen=seen(taken))
    scores.void(taken, actor=None, seen=seen(taken), reason="another player")
    scores.restore(taken, actor=None, seen=seen(taken))
    game = {"entry": one, "machine": world.machines[0]}
    aside = scores.put_aside(world.stage, actor=None, value=3_000, **game).score
    scores.settle(aside, actor=None, keep_waiting=True, reason="asked the official")
    zero = game_rulings.rule_on_score(taken, actor=None, kind="zero", reason="seen", seen=seen(taken))
    rulings.undo_ruling(zero, actor=None, reason="wrong player")
    used = StageMachine.objects.select_related("stage__tournament", "machine").filter(stage=world.stage)
    machines.set_state(used[0], actor=None, state="let-stand", reason="smoke")
    withdrawn.withdraw_machine(used[1], actor=None, way="cancelled", reason="smoke")


def closing_and_cut():
    world = factories.qualifying(format="classic", players=10, of=factories.show("cut"), rules={"qualifiers": 8})
    factories.closed(world, [[100 * min(number, 8)] for number in range(10, 0, -1)])
    stages.reopen_stage(world.stage, actor=None, reason="a late slip")
    stages.close_stage(world.stage, actor=None)
    stages.declare_cut(world.stage, actor=None)
    stages.keep_seats(world.stage, actor=None, reason="they are playing already")
    stages.withdraw_cut(world.stage, actor=None, reason="a score was wrong")


def few_go_on():
    world = factories.qualifying(format="classic", players=3, of=factories.show("few"))
    factories.closed(world, [[300], [200], [100]])
    stages.leave_out(world.stage, actor=None, reason="few came")
    stages.play_after_all(world.stage, actor=None, reason="two more slips")


def ties_at_the_cut():
    world = factories.qualifying(format="classic", players=9, of=factories.show("ties"), rules={"qualifiers": 8})
    factories.closed(world, [[1_000 - min(number, 7)] for number in range(9)])
    level = [entry(world, 8).pk, entry(world, 9).pk]
    played = rulings.record_play_off(world.stage, actor=None, scores=dict.fromkeys(level, 5) | {level[0]: 6})
    rulings.undo_ruling(played, actor=None, reason="misread")
    rulings.rule_order(world.stage, actor=None, order=level, reason="a coin")


def finals():
    world = factories.seated()
    semi = stage(world, SEMI)
    matches.deal(semi, actor=None, machines=world.machines[:2])
    matches.take_back(semi, actor=None, reason="another machine")
    matches.deal(semi, actor=None, machines=world.machines[:2])
    matches.replace_seat(semi, actor=None, entry=entry(world, 8).pk, by=entry(world, 9).pk, reason="ill")
    stages.open_stage(semi, actor=None)
    stages.withdraw_opening(semi, actor=None, reason="too early")
    stages.open_stage(semi, actor=None)
    one = factories.matches(world, SEMI)[0]
    matches.call(one, actor=None)
    matches.take_call_back(again(one), actor=None)
    matches.call(again(one), actor=None)
    matches.choose(one, actor=None, entry=entry(world, 1).pk, position=1)
    matches.forget_choices(one, actor=None)
    for number, position in ((1, 1), (3, 2), (5, 3), (7, 4)):
        matches.choose(one, actor=None, entry=entry(world, number).pk, position=position)
    matches.warm_up(again(one), actor=None)
    matches.play(again(one), actor=None)
    matches.absent(again(one), actor=None, entry=entry(world, 7).pk, reason="gone home")
    matches.absent(again(one), actor=None, entry=entry(world, 7).pk, reason="back", away=False)
    game_rulings.play_again(again(one), actor=None, reason="ball trap")
    out = game_rulings.disqualify_from_match(
        again(one), actor=None, entry=entry(world, 7).pk, reason="tilted on purpose"
    )
    rulings.undo_ruling(out, actor=None, reason="on appeal")
    play_semi_finals(world)
    matches.agree(again(one), actor=None, entry=entry(world, 1).pk)
    matches.refill(semi, actor=None, reason="to be sure")
    for key, best in (("play-off", 50), ("final", 90)):
        for match in factories.dealt(world, key):
            factories.scored(match, best, 30, 20, 10)
    stages.close_stage(semi, actor=None)
    assert score(world, SEMI, 1).state == Score.State.RECORDED
    for key in ("play-off", "final"):
        stages.close_stage(stage(world, key), actor=None)
    declared(world.tournament)


def declared(tournament):
    results.declare(tournament, actor=None, held_back=True)
    results.reveal(tournament, actor=None)
    results.hold_back(tournament, actor=None)
    results.take_back(tournament, actor=None, reason="a score was wrong")


def the_second_round():
    world = factories.qualifying(players=8, stock=6, of=factories.show("second"), rules={"qualifiers": 8})
    factories.closed(world, [[1_000 * (8 - number)] for number in range(8)])
    stages.declare_cut(world.stage, actor=None)
    factories.dealt(world, ROUND)
    first = (
        Match.objects.select_related("stage__tournament__show", "machine").filter(stage__key=ROUND, round=1).first()
    )
    matches.call(first, actor=None)
    chooser = first.sides.order_by("rank").first().entry_id
    matches.choose(first, actor=None, entry=chooser, position=1)
    matches.warm_up(again(first), actor=None)
    matches.swap(again(first), actor=None)
    matches.open_round(first.stage, actor=None, round_number=2, reason="one machine is slow")


def drawn_again():
    world = factories.seated(format="open", players=24, qualifiers=24, stock=15, of=factories.show("again"))
    match, *_ = factories.dealt(world, ROUND)
    matches.call(match, actor=None)
    chooser = match.sides.order_by("rank").first().entry_id
    matches.choose(match, actor=None, entry=chooser, position=1)
    matches.warm_up(again(match), actor=None)
    redraw.break_off(again(match), actor=None, reason="the flipper broke")
    redraw.publish(match.stage, actor=None, out={match.machine_id: world.machines[12].pk}, reason="the flipper broke")
    line = redraw.past(match.stage)[0]
    redraw.take_back(match.stage, actor=None, revision=line.revision, reason="it works again")


def files():
    """A tournament goes out as a folder and comes in elsewhere."""
    world = factories.qualifying(players=2, of=factories.show("files"))
    factories.play(world.stage, world.entries[0], world.machines[0], 5)
    folder = writing.dump(world.tournament)
    there = {name: content.replace(b"files", b"there") for name, content in folder.items()}
    loading.import_files(there, actor=None)
    assert Tournament.objects.filter(show__slug="there").exists()


def an_evening_of_teams():
    """Six teams: one leaves before the groups, one is replaced after them, one is late, two are level."""
    evening = Evening(6, show=factories.show("evening"))
    one = evening.teams[1]
    teams.change_details(one, actor=None, name="Great Ants", wppr=one.wppr)
    people = [Person(member.player.name, member.player) for member in selectors.line_up(one)]
    teams.change_members(one, actor=None, members=[*people[:3], Person("Zoe")])
    teams.check_in(one, actor=None)
    teams.take_check_in_back(one, actor=None)
    groups.order_seeds(
        evening.groups, actor=None, order=[evening.entry(n).pk for n in (2, 1, 3, 4, 5, 6)], reason="as agreed"
    )
    groups.draw_up(evening.groups, actor=None)
    groups.take_back(evening.groups, actor=None, reason="one is ill")
    entries.withdraw(evening.entry(6), actor=None, reason="ill")
    evening.begin(machines=5)
    entries.withdraw(evening.entry(3), actor=None, reason="gone")
    new = [Person(f"New {number}") for number in range(3)]
    teams.replace(evening.teams[3], actor=None, reason="gone", name="Wasps", members=new)
    # The order has put team 2 into the first group, beside 4 and 5.
    late = evening.match(2, 4)
    matches.call(late, actor=None, at=timezone.now() - timedelta(minutes=6))
    matches.forfeit(again(late), actor=None, entry=evening.entry(4).pk)
    game_rulings.play_level_again(evening.play({2: 50, 5: 50}), actor=None)
    evening.play_all()
    stages.close_stage(evening.groups, actor=None)
    dead = matches.deal_by_lot(evening.final, actor=None, machines=evening.hall(4))
    stages.open_stage(evening.final, actor=None)
    among = [machine for machine in evening.hall(4) if machine != dead]
    game = evening.final.matches.get()
    game_rulings.move_to_substitute(game, actor=None, instead_of=dead.pk, reason="smoke", among=among)


STORIES = (
    set_up,
    times,
    whoever_enters,
    ages,
    the_incident_book,
    games_and_slips,
    closing_and_cut,
    few_go_on,
    ties_at_the_cut,
    finals,
    the_second_round,
    drawn_again,
    files,
    an_evening_of_teams,
)


def test_whatever_a_service_writes_stands_in_the_journal_and_no_service_is_left_out(walked):
    for story in STORIES:
        story()

    # `load` is how `import_files` reads its files.
    assert {label for label, *_ in acting()} - walked - set(EXCEPTIONS) == {"exchange.loading.load"}


def test_a_service_that_forgot_the_journal_would_be_found(world):
    with pytest.raises(AssertionError, match="forgetful wrote score and no journal line"), watched("forgetful"):
        Score.objects.create(
            stage=world.stage, entry=world.entries[0], machine=world.machines[0], state="recorded", value=1
        )
