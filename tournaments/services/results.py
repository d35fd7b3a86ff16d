"""The final places: worked out, declared by an organiser, held back until the ceremony, taken back."""

from itertools import groupby

from tournaments import selectors
from tournaments.domain import results
from tournaments.domain.facts import Standing
from tournaments.domain.refusals import Refusal
from tournaments.domain.results import Layer
from tournaments.models import Entry, FinalPlace, Match, Score, Stage, Tournament
from tournaments.services.change import Actor, change
from tournaments.services.progress import next_has_begun, outcomes
from tournaments.services.shows import need_reason


def places(tournament: Tournament) -> tuple[results.FinalPlace, ...]:
    """The final places as the stages stand now, everybody once. Source: house rules, "Results"."""
    stages = list(Stage.objects.select_related("tournament__show").filter(tournament=tournament).order_by("-position"))
    layers = [layer for stage in stages for layer in _layers(stage)]
    ranked = {entry for layer in layers for group in layer.groups for entry in group}
    apart = {}
    for entry in selectors.entered(tournament).order_by("number"):
        if entry.standing == Standing.DISQUALIFIED:
            apart[entry.pk] = "disqualified"
        elif entry.pk not in ranked:
            left = entry.standing == Standing.WITHDRAWN and entry.scores.filter(state__in=Score.LIVE).exists()
            apart[entry.pk] = "withdrew" if left else "did not play"
    return results.final_places(layers, apart)


def refuse_unless_decided(tournament: Tournament) -> None:
    """Raise `Refusal` with what is missing before the final places of everybody are clear."""
    for stage in Stage.objects.select_related("tournament").filter(tournament=tournament).order_by("position"):
        _refuse_unless_decided(stage)


def declare(
    tournament: Tournament, *, actor: Actor, held_back: bool = False, expected: int | None = None
) -> tuple[FinalPlace, ...]:
    """Freeze the final places. Refused while a stage is not decided; `held_back` keeps them from the public."""
    with change(tournament, actor=actor, action="declare results", expected=expected) as log:
        stored = Tournament.objects.get(pk=tournament.pk)
        if stored.results_declared_at:
            raise Refusal("The results are declared already.")
        refuse_unless_decided(stored)
        rows = [
            FinalPlace(tournament=stored, entry_id=row.entry, place=row.place, shared=row.shared, why=row.why)
            for row in places(stored)
        ]
        FinalPlace.objects.bulk_create(rows)
        stored.results_declared_at, stored.results_held_back = log.now, held_back
        stored.save(update_fields=["results_declared_at", "results_held_back"])
        first = Entry.objects.select_related("player").filter(pk__in=[row.entry_id for row in rows if row.place == 1])
        names = [str(entry) for entry in first.order_by("number")]
        log.write(
            f"Results declared: {' and '.join(names)} {'wins' if len(names) == 1 else 'share'} {stored.name}.",
            after={"places": [[row.entry_id, row.place] for row in rows]},
        )
    return tuple(rows)


def reveal(tournament: Tournament, *, actor: Actor) -> None:
    """Let everybody see the results."""
    with change(tournament, actor=actor, action="reveal results") as log:
        stored = Tournament.objects.get(pk=tournament.pk)
        if not stored.results_held_back:
            return
        stored.results_held_back = False
        stored.save(update_fields=["results_held_back"])
        log.write("The results are public.")


def hold_back(tournament: Tournament, *, actor: Actor) -> None:
    """Keep the last stages and the results from the public until the ceremony."""
    with change(tournament, actor=actor, action="hold results back") as log:
        stored = Tournament.objects.get(pk=tournament.pk)
        if stored.results_held_back:
            return
        stored.results_held_back = True
        stored.save(update_fields=["results_held_back"])
        log.write("The last stages and the results are held back.")


def take_back(tournament: Tournament, *, actor: Actor, reason: str, expected: int | None = None) -> None:
    """Take declared results back, to correct what they rest on."""
    with change(tournament, actor=actor, action="take back results", expected=expected) as log:
        stored = Tournament.objects.get(pk=tournament.pk)
        if not stored.results_declared_at:
            return
        need_reason(reason)
        before = [[place.entry_id, place.place] for place in stored.final_places.all()]
        stored.final_places.all().delete()
        stored.results_declared_at = None
        stored.save(update_fields=["results_declared_at"])
        log.write("The results were taken back.", before={"places": before}, reason=reason)


def _layers(stage: Stage) -> list[Layer]:
    """What a stage says about the final order."""
    if stage.spec.ranked:
        rows = selectors.stage_facts(stage).table.ranked
        groups = tuple(tuple(row.entry for row in group) for _, group in groupby(rows, key=lambda row: row.place))
        return [Layer(stage.label, groups)] if groups else []
    found = [contest for contest in outcomes(stage) if not contest.seats]
    if not found or any(contest.outcome.missing for contest in found):
        return _to_be_played(stage)
    finishes = sorted(
        (finish for contest in found for finish in contest.outcome.finishes), key=lambda finish: finish.place
    )
    same = (tuple(finish.entry for finish in group) for _, group in groupby(finishes, key=lambda f: f.place))
    groups = tuple(same)
    return [Layer(stage.label, groups)] if groups else []


def _to_be_played(stage: Stage) -> list[Layer]:
    """Whoever is in games that are not over: ahead of all who are out already, and nobody ahead of the others."""
    if needs_no_game(stage):
        return []
    seated = tuple(stage.seats.order_by("seed").values_list("entry_id", flat=True))
    return [Layer(stage.label, (seated,))] if seated else []


def _refuse_unless_decided(stage: Stage) -> None:
    if stage.left_out:
        return
    if stage.spec.slips:
        if stage.state != Stage.State.CLOSED:
            raise Refusal(f"{stage.label} is still {stage.get_state_display()}.")
        return
    if needs_no_game(stage):
        return
    if not stage.seats.exists():
        raise Refusal(f"Nobody has a seat in the {stage.label.lower()} yet.")
    matches = stage.matches.exclude(state=Match.State.VOID)
    if not matches.exists() or matches.exclude(state=Match.State.DONE).exists():
        raise Refusal(f"The {stage.label.lower()} is not played to its end.")
    # What is level where the next games have begun moves nobody any more.
    if (
        not stage.spec.ranked
        and not next_has_begun(stage)
        and not all(contest.outcome.decided for contest in outcomes(stage))
    ):
        raise Refusal(f"In the {stage.label.lower()} a tie is still to be played off.")


def needs_no_game(stage: Stage) -> bool:
    """Whether so few went on from games that are over that the places are clear without one: nobody, or one alone."""
    source = Stage.objects.filter(tournament=stage.tournament, key=stage.spec.comes_from).first()
    if source is None or source.state != Stage.State.CLOSED:
        return False
    return any(feed.stage == stage.key for feed in source.spec.feeds) and stage.seats.count() < 2
