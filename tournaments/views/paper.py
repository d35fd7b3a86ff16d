"""What is printed: call sheets, score slips, tables, results; and results as files. For the desk."""

from collections import defaultdict
from collections.abc import Callable, Iterable
from functools import wraps
from typing import Any, NamedTuple

import segno
from django.db.models import Prefetch
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.urls import reverse
from django.utils import timezone
from django.utils.safestring import SafeString, mark_safe
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET

from tournaments import formats, line_ups, live, permissions, selectors
from tournaments.models import Match, Score, Side, Stage, Tournament
from tournaments.permissions import View
from tournaments.services import reports
from tournaments.services.exchange.games import NO_CHOICE
from tournaments.views import course, parts, spreadsheets
from tournaments.views.spreadsheets import RATINGS, RESULTS

ANNOUNCED = 8
"""How many places the presenter reads out."""
XLSX = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"


class Person(NamedTuple):
    """Somebody on paper, with the name that everybody may read: paper hangs on walls and lies about.

    `handicap` is what an entry plays with less than others.
    """

    entry: int
    number: int
    name: str
    handicap: str = ""


class Seated(NamedTuple):
    """A side of a match; `score` is None while there is none."""

    person: Person
    rank: int
    choice: int | str
    absent: bool
    score: int | None


class Call(NamedTuple):
    """A match as it is called. `alone` is what a game of one is called, "" for any other."""

    round: int
    machine: str
    seated: list[Seated]
    alone: str = ""

    def others(self, person: Person) -> list[Person]:
        """Whom somebody meets in it."""
        return [each.person for each in self.playing if each.person != person]

    @property
    def playing(self) -> list[Seated]:
        """Those whose seat is not empty."""
        return [each for each in self.seated if not each.absent]


class Slip(NamedTuple):
    """A score slip; machine and round are empty where the player chooses the machine.

    A match of a group has one slip for all its `sides`, each with the code of its own page; otherwise there are none.
    """

    person: Person
    code: SafeString
    machine: str = ""
    round: int = 0
    others: tuple[Person, ...] = ()
    sides: tuple[tuple[Person, SafeString], ...] = ()
    alone: str = ""

    def concerns(self, number: str) -> bool:
        """Whether it is a slip of whoever has this number; "" is everybody's."""
        people = [person for person, _ in self.sides] or [self.person]
        return number in ("", *(str(person.number) for person in people))


def of_tournament(view: Callable[..., HttpResponse]) -> View:
    """A page for the desk about a tournament, in the show's time, never kept by a browser."""

    @wraps(view)
    @never_cache
    @permissions.desk
    @require_GET
    def loaded(request: HttpRequest, show: str, slug: str, **parts: Any) -> HttpResponse:
        tournaments = Tournament.objects.select_related("show")
        tournament = get_object_or_404(tournaments, slug=slug, show__slug=show)
        with timezone.override(tournament.show.zone):
            return view(request, tournament, **parts)

    return loaded


def of_stage(view: Callable[..., HttpResponse]) -> View:
    """A page for the desk about a stage that this version plays."""

    @wraps(view)
    def loaded(request: HttpRequest, tournament: Tournament, stage: str) -> HttpResponse:
        stages = Stage.objects.select_related("tournament__show")
        found = get_object_or_404(stages, tournament=tournament, key=stage)
        if not found.spec.playable:
            raise Http404(f"{found.label} cannot be played with this version.")
        return view(request, found)

    return of_tournament(loaded)


@of_tournament
def home(request: HttpRequest, tournament: Tournament) -> HttpResponse:
    """Everything that can be printed or taken away."""
    stages = [stage for stage in tournament.stages.order_by("position") if stage.spec.playable]
    context = {"tournament": tournament, "show": tournament.show, "stages": stages}
    return render(request, "tournaments/paper/home.html", context)


@of_stage
def table(request: HttpRequest, stage: Stage) -> HttpResponse:
    """The table of a stage, the tables of its groups, or the order of each of its games."""
    tournament = stage.tournament
    if stage.spec.grouped:
        found = live.reading(live.Found(stage.pk, tournament.pk, tournament.revision))
        shown = parts.context(found, course.course(found), "paper")
        panel = tournament.kind.panels[stage.key, "paper"]
        return _sheet(request, "groups", tournament, {"stage": stage, "panel": panel, **shown})
    if stage.spec.ranked:
        people = _people(tournament)
        lines = [(line, people[line.entry.pk]) for line in reports.of_stage(stage)]
        return _sheet(request, "table", tournament, {"stage": stage, "lines": lines})
    order = {line.entry.pk: line for line in reports.of_stage(stage)}
    games = [(call, _in_order(call, order)) for call in _calls(stage)]
    return _sheet(request, "games", tournament, {"stage": stage, "games": games})


@of_stage
def calls(request: HttpRequest, stage: Stage) -> HttpResponse:
    """A sheet for each game of the stage: every match with its machine and who chooses first."""
    rounds: dict[int, list[Call]] = defaultdict(list)
    for call in _calls(stage):
        rounds[call.round].append(call)
    several, turn = len(rounds) > 1, _turn(stage)
    sheets = [
        (f"{stage.label}, {turn} {number}" if several else stage.label, rounds[number]) for number in sorted(rounds)
    ]
    return _sheet(request, "calls", stage.tournament, {"stage": stage, "sheets": sheets})


@of_stage
def players(request: HttpRequest, stage: Stage) -> HttpResponse:
    """A card for each player of the stage: their games, machines and opponents, and the code of their own page."""
    games: dict[Person, list[tuple[Call, list[Person], bool]]] = defaultdict(list)
    for call in _calls(stage):
        for number, seated in enumerate(call.playing):
            others = call.others(seated.person)
            chooses = number == 0 and bool(others) and stage.spec.positions
            games[seated.person].append((call, others, chooses))
    cards = [
        (person, _code(request, stage.tournament, person), own)
        for person, own in sorted(games.items(), key=lambda card: card[0].number)
    ]
    return _sheet(request, "players", stage.tournament, {"stage": stage, "cards": cards, "turn": _turn(stage)})


@of_stage
def slips(request: HttpRequest, stage: Stage) -> HttpResponse:
    """Score slips: one for each player of a match, for each match of a group, or for each game that somebody may play.

    With `?number=` only those of one.
    """
    found = list(_match_slips(request, stage) if stage.spec.matches else _solo_slips(request, stage))
    wanted = request.GET.get("number", "")
    chosen = [slip for slip in found if slip.concerns(wanted)]
    return _sheet(request, "slips", stage.tournament, {"stage": stage, "slips": chosen, "turn": _turn(stage)})


def _turn(stage: Stage) -> str:
    """What the matches that are played at the same time are called; in groups they are only next in the order."""
    return "turn" if stage.spec.grouped else "game"


@of_tournament
def results(request: HttpRequest, tournament: Tournament) -> HttpResponse:
    """The final places of everybody."""
    people = _people(tournament)
    lines = [(line, people[line.entry.pk]) for line in reports.declared(tournament)]
    return _sheet(request, "results", tournament, {"lines": lines})


@of_tournament
def winners(request: HttpRequest, tournament: Tournament) -> HttpResponse:
    """What the presenter reads out: the last first, the champion at the end."""
    people, members = _people(tournament), course.members_of(tournament)
    best = [line for line in reports.declared(tournament) if line.position and line.position <= ANNOUNCED]
    lines = [(line, people[line.entry.pk], members.get(line.entry.pk, ())) for line in reversed(best)]
    return _sheet(request, "winners", tournament, {"lines": lines})


@of_tournament
def results_csv(request: HttpRequest, tournament: Tournament) -> HttpResponse:
    """The final places as a table."""
    rows = spreadsheets.result_cells(reports.declared(tournament))
    return _file(spreadsheets.csv_file(RESULTS, rows), "text/csv", tournament, "results.csv")


@of_tournament
def ratings_csv(request: HttpRequest, tournament: Tournament) -> HttpResponse:
    """The field for the world rankings as a table."""
    rows = spreadsheets.rating_cells(reports.for_ratings(tournament))
    return _file(spreadsheets.csv_file(RATINGS, rows), "text/csv", tournament, "ratings.csv")


@of_tournament
def results_xlsx(request: HttpRequest, tournament: Tournament) -> HttpResponse:
    """The final places and the field for the world rankings as a spreadsheet."""
    sheets = [
        ("Results", RESULTS, spreadsheets.result_cells(reports.declared(tournament))),
        ("World rankings", RATINGS, spreadsheets.rating_cells(reports.for_ratings(tournament))),
    ]
    return _file(spreadsheets.workbook(sheets), XLSX, tournament, "results.xlsx")


def _sheet(request: HttpRequest, template: str, tournament: Tournament, context: dict[str, Any]) -> HttpResponse:
    """A page to print; the revision was read before anything else, so what it shows is never older."""
    shared = {
        "tournament": tournament,
        "show": tournament.show,
        "revision": tournament.revision,
        "printed_at": timezone.now(),
        "noun": tournament.kind.noun,
    }
    return render(request, f"tournaments/paper/{template}.html", shared | context)


def _file(content: bytes, kind: str, tournament: Tournament, name: str) -> HttpResponse:
    file = f"{tournament.show.slug}-{tournament.slug}-{name}"
    return HttpResponse(content, content_type=kind, headers={"Content-Disposition": f'attachment; filename="{file}"'})


def _people(tournament: Tournament) -> dict[int, Person]:
    kind = tournament.kind
    entries = list(selectors.entered(tournament).order_by("number"))
    handicaps = line_ups.handicaps(entries)
    return {
        entry.pk: Person(entry.pk, entry.number, formats.public_name(entry.name, kind), handicaps.get(entry.pk, ""))
        for entry in entries
    }


def _calls(stage: Stage) -> list[Call]:
    """The matches of a stage in the order in which they are played."""
    people = _people(stage.tournament)
    over = Score.objects.filter(match__stage=stage, state__in=(*Score.COUNTED, Score.State.DISCARDED))
    values = {(score.match_id, score.entry_id): score.counts for score in over}
    discarded = {(score.match_id, score.entry_id) for score in over if score.state == Score.State.DISCARDED}
    found = stage.matches.exclude(state=Match.State.VOID).select_related("machine")
    sides = Prefetch("sides", Side.objects.order_by("rank"))
    grouped = stage.spec.grouped
    return [
        Call(
            match.round,
            match.machine.name,
            [
                Seated(
                    people[side.entry_id],
                    side.rank,
                    side.choice or NO_CHOICE,
                    side.absent or (match.pk, side.entry_id) in discarded,
                    values.get((match.pk, side.entry_id)),
                )
                for side in match.sides.all()
            ],
            stage.spec.alone if grouped and len(match.sides.all()) == 1 else "",
        )
        for match in found.prefetch_related(sides).order_by("round", "order")
    ]


def _in_order(call: Call, order: dict[int, reports.Line]) -> list[tuple[reports.Line, Person]]:
    """The players of a match by their places in it, those whose score is still to come left out."""
    found = [(order[each.person.entry], each.person) for each in call.seated if each.person.entry in order]
    return sorted(found, key=lambda pair: pair[0].position or 0)


def _match_slips(request: HttpRequest, stage: Stage) -> Iterable[Slip]:
    codes: dict[Person, SafeString] = {}
    for call in _calls(stage):
        if stage.spec.grouped:
            for each in call.playing:
                codes.setdefault(each.person, _code(request, stage.tournament, each.person))
            sides = tuple((each.person, codes[each.person]) for each in call.playing)
            # Whoever is left alone in a match of a group has won it without a game.
            if sides and len(sides) == len(call.seated):
                yield Slip(*sides[0], call.machine, call.round, sides=sides, alone=call.alone)
            continue
        for seated in call.playing:
            person = seated.person
            codes.setdefault(person, _code(request, stage.tournament, person))
            yield Slip(person, codes[person], call.machine, call.round, tuple(call.others(person)))


def _solo_slips(request: HttpRequest, stage: Stage) -> Iterable[Slip]:
    tournament = stage.tournament
    games = tournament.kind.qualifying(tournament.rules_in_force).games_allowed
    for person in _people(tournament).values():
        code = _code(request, tournament, person)
        for _ in range(games):
            yield Slip(person, code)


def _code(request: HttpRequest, tournament: Tournament, person: Person) -> SafeString:
    """The QR code of somebody's public page, as a picture inside the page."""
    path = reverse("public:player", args=[tournament.show.slug, tournament.slug, person.number])
    code = segno.make(request.build_absolute_uri(path), error="m", micro=False)
    # Only squares are drawn of the address; none of its characters reach the page.
    return mark_safe(code.svg_inline(omitsize=True, border=2, svgclass="code", lineclass=None))  # noqa: S308
