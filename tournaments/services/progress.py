"""What follows from a result: a match is done, and whoever goes on has a seat, never twice and never half.

Called inside the change that alters a score, so that two tablets in the same instant fill the next stages once.
"""

from collections.abc import Collection, Sequence
from typing import NamedTuple

from django.db.models import QuerySet

from tournaments import selectors
from tournaments.domain import finals
from tournaments.domain.facts import Standing
from tournaments.domain.finals import Game, Outcome
from tournaments.domain.refusals import UNDO_RESULTS, Refusal, Step
from tournaments.formats import Feed, PlannedMatch
from tournaments.models import Entry, Match, Ruling, Score, Seat, Side, Stage, Tournament
from tournaments.services.change import Log


class Contest(NamedTuple):
    """What has an order of its own in a stage, and how that stands: one game "on Funhouse", or all "in group A".

    `seats` is how many go on from an order between the best of several; 0 for any other.
    """

    where: str
    outcome: Outcome
    match: Match | None = None
    seats: int = 0


def follow(match: Match, log: Log) -> None:
    """Bring a match's state, and the seats that depend on its stage, up to date with its scores."""
    sides = list(match.sides.all())
    over = (*Score.COUNTED, Score.State.DISCARDED)
    scored = set(Score.objects.filter(match=match, state__in=over).values_list("entry_id", flat=True))
    out = _disqualified(match.stage)
    left = [side for side in sides if not side.absent and side.entry_id not in out]
    done = all(side.entry_id in scored for side in left)
    if match.stage.spec.grouped and len(left) < len(sides) and len(left) < 2:
        # Whoever is left alone in a match of a group has won it without a game.
        done = True
    if done and match.state != Match.State.DONE:
        match.state, match.done_at = Match.State.DONE, log.now
    elif not done and match.state == Match.State.DONE:
        match.done_at = None
        _put_back_in_play(match, scored, log)
    match.revision = log.revision
    match.save(update_fields=["state", "called_at", "done_at", "revision"])
    open_next_round(match.stage, log)
    fill(match.stage, log)


def _put_back_in_play(match: Match, scored: Collection[int], log: Log) -> None:
    """A match that somebody had won without a game is called again, and its clock begins anew.

    It waits for the call where its machine, or somebody who plays it, has been called to another one since.
    """
    if scored or match.started_at or not match.stage.spec.grouped:
        match.state = Match.State.PLAYING
    elif match.called_at is None or on_its_machine(match) or with_its_players(match):
        match.state, match.called_at = Match.State.PLANNED, None
    else:
        match.state, match.called_at = Match.State.CALLED, log.now


def on_its_machine(match: Match) -> Match | None:
    """The other match of the stage that is called or played on the machine of this one."""
    return _others_under_way(match).filter(machine=match.machine_id).first()


def with_its_players(match: Match) -> Match | None:
    """The other match of the stage to which somebody who plays this one is called."""
    own = Side.objects.filter(match=match, absent=False).values("entry")
    return _others_under_way(match).filter(sides__entry__in=own, sides__absent=False).first()


def _others_under_way(match: Match) -> QuerySet[Match]:
    others = Match.objects.filter(stage=match.stage, state__in=Match.UNDER_WAY).exclude(pk=match.pk)
    return others.select_related("machine", "stage__tournament").order_by("called_at", "round", "order")


def follow_entry(entry: Entry, log: Log) -> None:
    """Bring the matches of an entry that was disqualified, or reinstated, up to date, and the seats behind them.

    Source: house rules, "all games out of every rank, others move up".
    """
    own = Match.objects.filter(sides__entry=entry)
    follow_all(list(own.order_by("stage__position").values_list("pk", flat=True)), log)


def follow_all(matches: Sequence[int], log: Log) -> None:
    """Follow these matches one after the other, by id, in the order of their stages."""
    live = Match.objects.exclude(state=Match.State.VOID).select_related("stage__tournament")
    for pk in matches:
        # Following the match of one stage may deal those of the next anew.
        match = live.filter(pk=pk).first()
        if match:
            follow(match, log)


def replays(match: Match) -> int:
    """How many times a match has been set back to be played again, which tells one game of it from the next."""
    return Ruling.objects.filter(match=match, kind=Ruling.Kind.REPLAYED, undone_at=None).count()


def refuse_once_declared(tournament: Tournament) -> None:
    """Raise `Refusal` while the results are declared: what they rest on holds still."""
    if Tournament.objects.filter(pk=tournament.pk, results_declared_at__isnull=False).exists():
        raise Refusal("The results are declared; take them back first.", step=Step(UNDO_RESULTS, tournament.pk))


def open_next_round(stage: Stage, log: Log) -> None:
    """A game opens when the one before is complete. Source: house rules, "Games 1-4"."""
    stored = Stage.objects.get(pk=stage.pk)
    last = (
        stage.matches.exclude(state=Match.State.VOID).order_by("-round").values_list("round", flat=True).first() or 1
    )
    if stored.spec.grouped:
        # In groups no game waits for all others of the one before, only for its machine and for who plays it.
        stored.open_round = max(stored.open_round, last)
    while stored.open_round < last and not _unfinished(stage, stored.open_round):
        stored.open_round += 1
        log.note(f"Game {stored.open_round} is open.")
    stored.save(update_fields=["open_round"])


def fill(stage: Stage, log: Log) -> None:
    """Give the stages that this one feeds exactly the seats its games decide, as long as none of them has begun.

    Once one has begun all of them keep their seats: moving people in the other alone would leave one of them with two
    seats or with none. Source: house rules, "two best of each to the final, two others to the 5th-8th game".
    """
    if stage.left_out or next_has_begun(stage):
        return
    for feed in stage.spec.feeds:
        target = Stage.objects.select_related("tournament").get(tournament=stage.tournament, key=feed.stage)
        wanted = _seats_behind(stage, feed)
        seated = list(target.seats.order_by("seed").values_list("entry_id", flat=True))
        if seated == [entry for entry, _ in wanted]:
            continue
        _reseat(target, wanted, log)


def seats_change_hands(stage: Stage) -> bool:
    """Whether somebody else may take a leaver's seat in this stage before it begins.

    Behind groups the next of the leaver's group may. Behind single games everybody has a game of their own, so the
    seat stays empty (our choice).
    """
    return all(source.spec.grouped for source in feeding(stage))


def next_has_begun(stage: Stage) -> bool:
    """Whether play has begun in a stage that this one feeds, so that its games move nobody by themselves any more."""
    fed = Stage.objects.filter(tournament=stage.tournament, key__in=[feed.stage for feed in stage.spec.feeds])
    return fed.exclude(state=Stage.State.PLANNED).exists()


def going_on(stage: Stage, feed: Feed) -> list[int]:
    """The entries that a stage's games send along a feed, in the order of their seeds; none until all is decided.

    Whoever is disqualified goes nowhere. Whoever came in for a leaver has that seat.
    """
    return [entry for entry, _ in _seats_behind(stage, feed)]


def _seats_behind(stage: Stage, feed: Feed) -> list[tuple[int, str]]:
    """Who goes on along a feed, each with the reason."""
    contests = outcomes(stage)
    if not contests or not all(contest.outcome.decided for contest in contests):
        return []
    # The last word is between the best of all groups, where they are too many for the next stage.
    games = [contest for contest in contests if contest.seats] or contests
    sent = {contest.where: _sent(contest, feed, contest.seats or feed.many) for contest in games}
    chosen = {entry for entries in sent.values() for entry in entries} - _disqualified(stage)
    why = {
        entry: _seat_words(contest, feed)
        for contest in contests
        if not contest.seats
        for entry in _sent(contest, feed, feed.many)
    }
    seeds = stage.seats.order_by("seed").values_list("entry_id", flat=True)
    return _handed_over(stage, feed, [(entry, why[entry]) for entry in seeds if entry in chosen])


def _sent(contest: Contest, feed: Feed, many: int) -> tuple[int, ...]:
    return contest.outcome.best(many) if feed.best else contest.outcome.others(many)


def _seat_words(contest: Contest, feed: Feed) -> str:
    """ "first in group A", "one of the best 2 on Funhouse", "behind the best 2 on Funhouse"."""
    if feed.best and feed.many == 1:
        return f"first {contest.where}"
    return f"{'one of' if feed.best else 'behind'} the best {feed.many} {contest.where}"


def _handed_over(stage: Stage, feed: Feed, seats: list[tuple[int, str]]) -> list[tuple[int, str]]:
    """The seats after everybody who came in for a leaver, in the order in which that was decided."""
    rulings = Ruling.objects.filter(
        stage__tournament=stage.tournament, stage__key=feed.stage, kind=Ruling.Kind.REPLACED, undone_at=None
    )
    found = list(rulings.select_related("entry").order_by("decided_at", "pk"))
    leavers = Entry.objects.select_related("player").in_bulk([ruling.data["for"] for ruling in found])
    for ruling in found:
        left, came = ruling.data["for"], ruling.entry
        holders = [entry for entry, _ in seats]
        if came and came.standing != Standing.DISQUALIFIED and left in holders and came.pk not in holders:
            seats = [(came.pk, f"for {leavers[left]}") if entry == left else (entry, why) for entry, why in seats]
    return seats


def outcomes(stage: Stage) -> list[Contest]:
    """Each game of a stage of single games, or each group, with how it stands; only ties that matter are play-offs."""
    if stage.spec.grouped:
        read = selectors.stage_facts(stage)
        tournament = read.stage.tournament
        contests = [Contest(f"in group {group.label}", group.outcome) for group in read.groups]
        winners = read.grouped.winners if read.grouped else None
        seats = next((spec.seats for spec in tournament.kind.stages if spec.comes_from == stage.key), None) or 0
        return contests + ([Contest("between the winners of the groups", winners, seats=seats)] if winners else [])
    go_on = next((feed.many for feed in stage.spec.feeds), None)
    matches = list(
        stage.matches.exclude(state=Match.State.VOID)
        .select_related("machine", "stage__tournament")
        .prefetch_related("sides")
        .order_by("round", "order")
    )
    if not matches:
        return []
    out = _disqualified(stage)
    scores: dict[int, dict[int, int]] = {}
    discarded: set[tuple[int | None, int]] = set()
    for score in Score.objects.filter(match__stage=stage, state__in=(*Score.COUNTED, Score.State.DISCARDED)):
        if score.state == Score.State.DISCARDED:
            discarded.add((score.match_id, score.entry_id))
        elif score.entry_id not in out and score.match_id is not None and score.counts is not None:
            scores.setdefault(score.match_id, {})[score.entry_id] = score.counts
    decisions = tuple(
        selectors.decision(kind, data, reason)
        for kind, data, reason in Ruling.objects.filter(stage=stage, undone_at=None, kind__in=Ruling.ORDERS)
        .order_by("decided_at", "pk")
        .values_list("kind", "data", "reason")
    )
    return [
        Contest(
            f"on {match.machine.name}",
            finals.outcome(
                Game(
                    entries=tuple(side.entry_id for side in match.sides.all()),
                    scores=scores.get(match.pk, {}),
                    absent=frozenset(
                        side.entry_id
                        for side in match.sides.all()
                        if side.absent or side.entry_id in out or (match.pk, side.entry_id) in discarded
                    ),
                    decisions=decisions,
                ),
                go_on,
            ),
            match,
        )
        for match in matches
    ]


def level_matches(stage: Stage) -> list[Match]:
    """The matches of a stage played in groups that nobody has won: all have the same score, and it is played again.

    Source: house rules, "a level match is replayed".
    """
    if not stage.spec.grouped:
        return []
    done = stage.matches.filter(state=Match.State.DONE).select_related("machine", "stage__tournament__show")
    counts: dict[int, list[int | None]] = {}
    for score in Score.objects.filter(match__in=done, state__in=Score.COUNTED):
        counts.setdefault(score.match_id or 0, []).append(score.counts)
    out = _disqualified(stage)
    found = []
    for match in done.prefetch_related("sides__entry__player").order_by("round", "order"):
        playing = [side for side in match.sides.all() if not side.absent and side.entry_id not in out]
        values = counts.get(match.pk, [])
        if len(values) == len(playing) > 1 and len(set(values)) == 1:
            found.append(match)
    return found


def places_before(stage: Stage) -> int:
    """How many places are played for elsewhere, ahead of the first of this stage: 4 in a game for 5th to 8th."""
    source = Stage.objects.select_related("tournament").filter(tournament=stage.tournament, key=stage.spec.comes_from)
    for fed_from in source:
        feeds = fed_from.spec.feeds
        if any(feed.stage == stage.key and not feed.best for feed in feeds):
            better = [feed.stage for feed in feeds if feed.best]
            return Seat.objects.filter(stage__tournament=stage.tournament, stage__key__in=better).count()
    return 0


def deal_matches(stage: Stage, planned: Sequence[PlannedMatch]) -> None:
    """Put planned matches into the database; entries are in the order in which they choose."""
    for order, plan in enumerate(planned, start=1):
        match = Match.objects.create(stage=stage, round=plan.round, order=order, machine_id=plan.machine)
        Side.objects.bulk_create(
            Side(match=match, entry_id=entry, rank=rank) for rank, entry in enumerate(plan.entries, start=1)
        )


def decided_by_games(stage: Stage) -> bool:
    """Whether games of an earlier stage decide the seats of this one, and not a cut that can be taken back."""
    return bool(feeding(stage))


def feeding(stage: Stage) -> list[Stage]:
    """The stages whose games or groups fill this one by themselves; one that is left out fills nothing."""
    keys = [spec.key for spec in stage.tournament.kind.stages if any(feed.stage == stage.key for feed in spec.feeds)]
    found = Stage.objects.filter(tournament=stage.tournament_id, key__in=keys) if keys else Stage.objects.none()
    return [each for each in found.select_related("tournament").order_by("position") if not each.left_out]


def clear_matches(stage: Stage) -> None:
    """Take a stage's matches away; those that had scores, all void by now, stay in the history as void."""
    matches = stage.matches.exclude(state=Match.State.VOID)
    scored = list(matches.filter(scores__isnull=False).values_list("pk", flat=True))
    Match.objects.filter(pk__in=scored).update(state=Match.State.VOID)
    Side.objects.filter(match__in=matches).delete()
    matches.delete()


def _reseat(target: Stage, wanted: list[tuple[int, str]], log: Log) -> None:
    dealt = list(target.matches.exclude(state=Match.State.VOID).order_by("order").values_list("machine_id", flat=True))
    clear_matches(target)
    target.seats.all().delete()
    Seat.objects.bulk_create(
        Seat(stage=target, entry_id=entry, seed=seed, why=why[:300])
        for seed, (entry, why) in enumerate(wanted, start=1)
    )
    kind = target.tournament.kind
    if dealt and len(wanted) > 1:
        deal_matches(
            target, kind.deal(target.key, [entry for entry, _ in wanted], dealt, target.tournament.rules_in_force, 0)
        )
    names = ", ".join(str(seat.entry) for seat in target.seats.select_related("entry__player"))
    log.note(f"{target.label}: {names}." if names else f"{target.label}: open again.")


def _disqualified(stage: Stage) -> set[int]:
    out = Entry.objects.filter(tournament=stage.tournament_id, status=Entry.Status.DISQUALIFIED)
    return set(out.values_list("pk", flat=True))


def _unfinished(stage: Stage, round_number: int) -> bool:
    return stage.matches.filter(round=round_number).exclude(state__in=(Match.State.DONE, Match.State.VOID)).exists()
