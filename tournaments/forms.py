"""What the desk types, read into entries, machines and scores. Whether it may be saved is the services' word."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import MAXYEAR, MINYEAR, date, datetime, time, timedelta
from typing import Any

from django import forms
from django.utils import timezone
from django.utils.crypto import get_random_string
from django.utils.dateparse import parse_datetime

from tournaments import selectors
from tournaments.domain import scores
from tournaments.domain.refusals import Refusal
from tournaments.models import Entry, Machine, PlacePool, Player, Show, Stage, Tournament
from tournaments.selectors import Meant

Offers = list[Any]


def new_key() -> str:
    """A key for one slip or form: the same key again is the same request, never a second one."""
    return get_random_string(24)


def find_entry(tournament: Tournament, typed: str) -> tuple[Entry | None, list[Entry], str]:
    """The entry meant by what was typed, else offers and the sentence that says why nobody was chosen."""
    entry, offers = selectors.find_entry(tournament, typed)
    return entry, offers, "" if entry else _nobody(tournament, typed.strip(), offers)


def find_machine(stage: Stage, typed: str) -> tuple[Machine | None, list[Machine], str]:
    """The machine meant by what was typed, else offers and the sentence that says why none was chosen."""
    machine, offers = selectors.find_machine(stage, typed)
    return machine, offers, "" if machine else _no_machine(stage, typed.strip(), offers)


def _nobody(tournament: Tournament, typed: str, offers: Offers) -> str:
    if not typed:
        return "Type the number on the badge, or a name."
    if offers:
        return f"Who is “{typed}”?"
    if typed.isdecimal():
        return f"There is no number {typed} in {tournament.name}."
    return f"Nobody in {tournament.name} is called “{typed}”."


def _no_machine(stage: Stage, typed: str, offers: Offers) -> str:
    if not typed:
        return "Type the code of the machine, or its name."
    if offers:
        return f"Which machine is “{typed}”?"
    return f"No machine in {stage.label.lower()} has the code or name “{typed}”."


def read_score(typed: str) -> int:
    """The score as a number; raises `ValidationError` with the reason."""
    try:
        return scores.read(typed)
    except Refusal as refusal:
        raise forms.ValidationError(refusal.sentence) from refusal


class GameForm(forms.Form):
    """Who played which machine. `offers` holds the candidates of a field that could not be told, at most five."""

    number = forms.CharField(required=False)
    machine = forms.CharField(required=False)

    def __init__(self, *args: Any, stage: Stage, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.stage = stage
        self.offers: dict[str, Offers] = {"number": [], "machine": []}

    def clean_number(self) -> Entry:
        return self._one("number", lambda typed: find_entry(self.stage.tournament, typed))

    def clean_machine(self) -> Machine:
        return self._one("machine", lambda typed: find_machine(self.stage, typed))

    def _one(self, field: str, find: Callable[[str], tuple[Any, Offers, str]]) -> Any:
        found, self.offers[field], why = find(self.cleaned_data[field])
        if found is None:
            raise forms.ValidationError(why)
        return found

    def typed(self, field: str) -> str:
        """What stands in the field, exactly as typed."""
        return self[field].value() or ""


class ScoredForm(GameForm):
    """A game with its score. `sure` repeats a doubtful score that somebody confirmed."""

    score = forms.CharField(required=False)
    sure = forms.CharField(required=False)

    def clean_score(self) -> int:
        return read_score(self.cleaned_data["score"])

    def clean_sure(self) -> int | None:
        sure = self.cleaned_data["sure"]
        return int(sure) if sure.isdecimal() and len(sure) <= 15 else None


class SlipForm(ScoredForm):
    """A slip of paper: number, machine and score."""

    key = forms.CharField(required=False, max_length=64)

    @property
    def game_and_value(self) -> dict[str, Any]:
        """What the services want to know of a valid slip."""
        cleaned = self.cleaned_data
        return {
            "entry": cleaned["number"],
            "machine": cleaned["machine"],
            "value": cleaned["score"],
            "key": cleaned["key"],
        }


class MatchScoreForm(forms.Form):
    """One player's score in a match. `checked` repeats a score that was read back, `sure` a doubtful one."""

    number = forms.CharField(required=False)
    score = forms.CharField(required=False)
    checked = forms.CharField(required=False)
    sure = forms.CharField(required=False)
    agreed = forms.BooleanField(required=False)
    key = forms.CharField(required=False, max_length=64)
    replays = forms.CharField(required=False)

    def clean_score(self) -> int:
        return read_score(self.cleaned_data["score"])

    def clean_replays(self) -> int | None:
        return _whole(self.cleaned_data["replays"])

    def clean_sure(self) -> int | None:
        return _whole(self.cleaned_data["sure"])

    def clean_checked(self) -> int | None:
        return _whole(self.cleaned_data["checked"])

    @property
    def entry_number(self) -> int | None:
        """The number of the player whose form was sent."""
        return _whole(self["number"].value() or "")

    @property
    def read_back(self) -> bool:
        """Whether somebody has looked at this very score as a number and in words."""
        return bool(self.cleaned_data["checked"] == self.cleaned_data["score"])


class DrawForm(forms.Form):
    """The machines of a stage and the number of the draw. The same machines and number give the same draw.

    `groups` are the labels of groups that have a machine each for the game that all of them play; it takes part in
    no other match.
    """

    machine = forms.ModelMultipleChoiceField(
        Machine.objects.none(),
        required=False,
        widget=forms.CheckboxSelectMultiple,
        error_messages={"invalid_choice": "Choose machines from the list."},
    )
    number = forms.IntegerField(required=False, min_value=0, max_value=9_999)
    expected = forms.IntegerField(required=False)

    def __init__(self, *args: Any, machines: Any, groups: Sequence[str] = (), **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        field: Any = self.fields["machine"]
        field.queryset = machines
        self.groups = groups
        for label in groups:
            self.fields[f"group-{label}"] = forms.ModelChoiceField(
                machines, required=False, error_messages={"invalid_choice": "Choose a machine from the list."}
            )

    @property
    def of_groups(self) -> list[tuple[str, forms.BoundField]]:
        """The groups, each with the field for its machine."""
        return [(label, self[f"group-{label}"]) for label in self.groups]

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or self.cleaned_data
        own = [cleaned.get(f"group-{label}") for label in self.groups]
        if any(own) or cleaned.get("machine"):
            for label, machine in zip(self.groups, own, strict=True):
                if machine is None and f"group-{label}" not in self.errors:
                    self.add_error(f"group-{label}", f"Choose the machine of group {label}.")
                elif machine is not None and own.count(machine) > 1:
                    self.add_error(f"group-{label}", f"{machine} is chosen for two groups.")
        return cleaned

    @property
    def chosen(self) -> list[Machine]:
        """The machines in the order of the list, so that ticking them in another order changes nothing; before them
        those of the groups. One of a group is not among the others, also where it is ticked there.
        """
        own = [machine for label in self.groups if (machine := self.cleaned_data.get(f"group-{label}"))]
        return own + [machine for machine in self.cleaned_data.get("machine") or () if machine not in own]

    @property
    def seed(self) -> int:
        return self.cleaned_data.get("number") or 0


class RedrawForm(forms.Form):
    """Which machines of a running stage are out, each with its substitute, and the number of the draw.

    `machines` are those of the stage, `out` those among them that are out in any case, `spare` the substitutes.
    """

    number = forms.IntegerField(required=False, min_value=0, max_value=9_999)
    expected = forms.IntegerField(required=False)
    seen = forms.CharField(required=False, max_length=64)
    reason = forms.CharField(required=False)

    def __init__(
        self, *args: Any, machines: list[Machine], out: list[Machine], spare: list[Machine], **kwargs: Any
    ) -> None:
        super().__init__(*args, **kwargs)
        self.machines = machines
        for machine in machines:
            first = [("", "out of play")] if machine in out else [("", "in play"), (OUT, "out, no substitute")]
            instead = [(str(other.pk), f"out, {other} instead") for other in spare]
            self.fields[f"machine-{machine.pk}"] = forms.ChoiceField(
                choices=first + instead,
                required=False,
                label=str(machine),
                error_messages={"invalid_choice": "That machine cannot be a substitute any more; choose again."},
            )

    def lines(self) -> list[tuple[Machine, forms.BoundField]]:
        """The machines with what is said about each."""
        return [(machine, self[f"machine-{machine.pk}"]) for machine in self.machines]

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or self.cleaned_data
        said = {machine.pk: cleaned.get(f"machine-{machine.pk}") for machine in self.machines}
        self.out = {machine: None if word == OUT else int(word) for machine, word in said.items() if word}
        return cleaned

    @property
    def seed(self) -> int:
        return self.cleaned_data.get("number") or 0


class SubstituteForm(forms.Form):
    """Why a game moves, and the machine that stands in, or those among which it is drawn by lot."""

    machine = forms.ModelMultipleChoiceField(
        queryset=Machine.objects.none(),
        error_messages={"required": "Choose a machine.", "invalid_choice": "That machine cannot be a substitute now."},
    )
    instead_of = forms.IntegerField()
    reason = forms.CharField(required=False, max_length=500)

    def __init__(self, *args: Any, machines: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        field: Any = self.fields["machine"]
        field.queryset = machines


OUT = "out"
"""Said of a machine that plays no further match and that no other stands in for."""


class SeatForm(forms.Form):
    """Who leaves a seat and who takes it."""

    leaves = forms.IntegerField(error_messages={"required": "Choose who leaves.", "invalid": "Choose who leaves."})
    comes = forms.IntegerField(error_messages={"required": "Choose who comes in.", "invalid": "Choose who comes in."})
    reason = forms.CharField(required=False, max_length=500)


def _whole(typed: str) -> int | None:
    return int(typed) if typed.isdecimal() and len(typed) <= 15 else None


class ReasonForm(forms.Form):
    """A reason, and the revision that the person looked at. A missing reason is refused by the service."""

    reason = forms.CharField(required=False, max_length=500)
    seen = forms.IntegerField(widget=forms.HiddenInput)


class ActForm(forms.Form):
    """A reason for an act that concerns a whole stage, and the revision of the tournament that the page showed."""

    reason = forms.CharField(required=False)
    expected = forms.CharField(required=False)

    def asked(self) -> dict[str, Any]:
        """What the service wants to know; raises `Refusal` for a reason that cannot be kept.

        Whoever sends no revision has seen none that there is.
        """
        if not self.is_valid():
            raise Refusal(" ".join(str(error) for errors in self.errors.values() for error in errors), field="reason")
        seen = _whole(self.cleaned_data["expected"])
        return {"reason": self.cleaned_data["reason"], "expected": -1 if seen is None else seen}


class KindForm(forms.Form):
    """One of the kinds of ruling that are offered, each with the field that it asks for, and why."""

    kind = forms.CharField(required=False)
    reason = forms.CharField(required=False, max_length=500)
    key = forms.CharField(required=False, max_length=64)

    def __init__(self, *args: Any, kinds: Mapping[str, str], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.kinds = kinds

    def clean_kind(self) -> str:
        kind: str = self.cleaned_data["kind"]
        if kind not in self.kinds:
            raise forms.ValidationError("Choose what is ruled.")
        return kind


class RulingForm(KindForm):
    """What is ruled on a score, and why."""

    value = forms.CharField(required=False)
    seen = forms.IntegerField(widget=forms.HiddenInput)

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or self.cleaned_data
        asks, typed = self.kinds.get(cleaned.get("kind", ""), ""), cleaned.get("value", "")
        cleaned["value"] = None
        if asks == "value":
            try:
                cleaned["value"] = read_score(typed)
            except forms.ValidationError as fault:
                self.add_error("value", fault)
        return cleaned


class MatchRulingForm(KindForm):
    """What is ruled on a match: whom it concerns, who agrees, or on which machine it is played again.

    A field `agreed-7` for each number: whether that opponent agrees.
    """

    number = forms.CharField(required=False)
    machine = forms.CharField(required=False)

    def __init__(
        self,
        *args: Any,
        entries: Iterable[Entry],
        machines: Iterable[Machine],
        **kwargs: Any,
    ) -> None:
        super().__init__(*args, **kwargs)
        self.entries = {str(entry.number): entry for entry in entries}
        self.machines = {machine.code: machine for machine in machines}
        for number in self.entries:
            self.fields[f"agreed-{number}"] = forms.BooleanField(required=False)

    @property
    def agreeing(self) -> list[tuple[Entry, Any]]:
        """Everybody in the match with the field that says whether they agree."""
        return [(entry, self[f"agreed-{number}"]) for number, entry in self.entries.items()]

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or self.cleaned_data
        asks = self.kinds.get(cleaned.get("kind", ""), "")
        cleaned["agreed"] = [entry for number, entry in self.entries.items() if cleaned.get(f"agreed-{number}")]
        entry = self.entries.get(cleaned.get("number", ""))
        if len(self.entries) == 1:
            entry = next(iter(self.entries.values()))
        if asks and asks != "agreement" and cleaned["agreed"]:
            self.add_error("kind", "Who agrees belongs to a slam tilt that is played again: choose that, or nobody.")
        if asks in ("player", "agreement") and entry is None:
            whom = "Choose who slam tilted." if asks == "agreement" else "Choose the player."
            self.add_error("number", whom)
        code = cleaned.get("machine", "")
        if asks in ("machine", "agreement") and code and code not in self.machines:
            self.add_error("machine", "Choose a machine from the list.")
        cleaned["entry"], cleaned["machine"] = entry, self.machines.get(code)
        return cleaned


class CorrectForm(ScoredForm):
    """Another value, player or machine for a score."""

    reason = forms.CharField(required=False, max_length=500)
    seen = forms.IntegerField(widget=forms.HiddenInput)


class ShowTimeField(forms.DateTimeField):
    """A time of the show's clocks. One that they leave out or show twice when they are changed is refused in words."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(required=False, input_formats=["%Y-%m-%dT%H:%M", "%Y-%m-%d %H:%M"], **kwargs)

    def to_python(self, value: Any) -> datetime | None:
        typed = parse_datetime(value.strip()) if isinstance(value, str) and _has_a_form(value) else None
        if typed and timezone.is_naive(typed) and not _comes_once(typed):
            raise forms.ValidationError(_why_not_once(typed))
        return super().to_python(value)


def _has_a_form(value: str) -> bool:
    """Whether this is a time at all; `parse_datetime` raises for one like 30 February."""
    try:
        return parse_datetime(value.strip()) is not None
    except ValueError:
        return False


def _comes_once(moment: datetime) -> bool:
    """Whether the clocks of the current zone show this time exactly once."""
    zone = timezone.get_current_timezone()
    return zone.utcoffset(moment) == zone.utcoffset(moment.replace(fold=1))


def _why_not_once(typed: datetime) -> str:
    minute = timedelta(minutes=1)
    before = after = typed
    while not _comes_once(before):
        before -= minute
    while not _comes_once(after):
        after += minute
    zone = timezone.get_current_timezone()
    skipped = zone.utcoffset(typed) < zone.utcoffset(after)  # type: ignore[operator]
    what = f"{typed:%H:%M} on {typed.day} {typed:%B %Y}"
    why = (
        f"There is no {what}: the clocks go forward then."
        if skipped
        else f"{what} comes twice: the clocks go back then."
    )
    return f"{why} Type {before:%H:%M} or earlier, or {after:%H:%M} or later."


class TimesForm(forms.Form):
    """When a stage opens and closes, in the show's time."""

    opens_at = ShowTimeField(label="Opens")
    closes_at = ShowTimeField(label="Closes")


class BirthField(forms.DateField):
    """A date of birth, as the browser's own field or a person writes it."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(
            label="Date of birth",
            required=False,
            input_formats=["%Y-%m-%d", "%d/%m/%Y", "%d.%m.%Y"],
            widget=forms.DateInput(attrs={"type": "date"}, format="%Y-%m-%d"),
            error_messages={"invalid": "Write the date of birth like 2012-03-31 or 31/03/2012."},
            **kwargs,
        )


class AgeForm(forms.Form):
    """What is known of somebody's age: a date of birth, or that somebody was shown it."""

    born_on = BirthField()
    age_seen = forms.BooleanField(required=False)


class NewEntryForm(forms.Form):
    """Somebody who enters at the desk."""

    name = forms.CharField(max_length=100, error_messages={"required": "Type the name as it is to be called out."})
    country = forms.CharField(required=False, max_length=50)
    email = forms.EmailField(required=False, label="E-mail", help_text="Never shown in public.")
    contact = forms.CharField(
        required=False, max_length=200, label="Adult contact", help_text="For a child. Never shown in public."
    )
    born_on = BirthField()
    ifpa_number = forms.CharField(required=False, max_length=20, label="IFPA number")
    number = forms.IntegerField(
        required=False,
        min_value=1,
        max_value=99_999_999,
        help_text="Empty: the next free one.",
        widget=forms.TextInput,
    )
    place = forms.ChoiceField(required=False, label="Kind of place")

    def __init__(self, *args: Any, tournament: Tournament, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        limit = tournament.age_limit
        if limit is None:
            del self.fields["born_on"]
        else:
            asked = f"To see that the player is under {limit}; empty: asked at check-in."
            self.fields["born_on"].help_text = f"{asked} Never shown in public or exported."
        pools, now = list(PlacePool.objects.filter(tournament=tournament)), timezone.now()
        if pools:
            place: Any = self.fields["place"]
            place.choices, place.required = [(pool.kind, _place_words(pool, now)) for pool in pools], True
            place.initial = next((p.kind for p in pools if p.taken < p.capacity and p.on_sale(now)), None)
        else:
            del self.fields["place"]


def _place_words(pool: PlacePool, now: datetime) -> str:
    """A kind of place with how many are left, and why none can be taken now."""
    left = f"{pool.capacity - pool.taken} left"
    if pool.begins_later(now):
        left = f"on sale from {timezone.localtime(pool.opens_at):%H:%M on %d %B %Y}"
    elif pool.is_over(now):
        left = f"on sale until {timezone.localtime(pool.closes_at):%H:%M on %d %B %Y}"
    return f"{pool.get_kind_display()} ({left})"


class PlayOffForm(forms.Form):
    """One score for each of those level at the cut."""

    expected = forms.IntegerField(widget=forms.HiddenInput)

    def __init__(self, *args: Any, level: list[Entry], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.level = level
        for entry in level:
            self.fields[f"score-{entry.number}"] = forms.CharField(required=False, label=str(entry))

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or self.cleaned_data
        self.scores: dict[int, int] = {}
        for entry in self.level:
            field = f"score-{entry.number}"
            try:
                self.scores[entry.pk] = read_score(cleaned.get(field, ""))
            except forms.ValidationError as fault:
                self.add_error(field, fault)
        return cleaned

    def lines(self) -> list[forms.BoundField]:
        return [self[f"score-{entry.number}"] for entry in self.level]


class OrderForm(forms.Form):
    """The order of those level at the cut: 1 for the best, and the reason."""

    expected = forms.IntegerField(widget=forms.HiddenInput)
    reason = forms.CharField(required=False, max_length=500)

    def __init__(self, *args: Any, level: list[Entry], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.level = level
        for entry in level:
            self.fields[f"order-{entry.number}"] = forms.CharField(required=False, label=str(entry))

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or self.cleaned_data
        places = {entry.pk: cleaned.get(f"order-{entry.number}", "").strip() for entry in self.level}
        wanted = [str(place) for place in range(1, len(self.level) + 1)]
        if sorted(places.values(), key=lambda place: (len(place), place)) != wanted:
            raise forms.ValidationError(f"Give each of them one of the places {', '.join(wanted)}, each place once.")
        self.order = sorted(places, key=lambda entry: int(places[entry]))
        return cleaned

    def lines(self) -> list[forms.BoundField]:
        return [self[f"order-{entry.number}"] for entry in self.level]


class JournalForm(forms.Form):
    """What somebody looks for in the journal of a show.

    A number may be that of a person and of an entry of several people: `meant` is whom it was taken for, `others` are
    those it could mean as well; `as` in the address chooses between them by their `key`.
    """

    tournament = forms.ChoiceField(required=False)
    player = forms.CharField(required=False, max_length=100)
    machine = forms.CharField(required=False, max_length=100)
    who = forms.ChoiceField(required=False)
    kind = forms.ChoiceField(required=False)
    day = forms.DateField(required=False, error_messages={"invalid": "A day is written like 2010-07-24."})
    since = forms.TimeField(required=False, error_messages={"invalid": "A time is written like 14:30."})
    until = forms.TimeField(required=False, error_messages={"invalid": "A time is written like 14:30."})

    def __init__(
        self, *args: Any, show: Show, kinds: list[tuple[str, str]], people: list[tuple[str, str]], **kwargs: Any
    ) -> None:
        super().__init__(*args, **kwargs)
        self.show = show
        self.meant: Meant | None = None
        self.others: list[Meant] = []
        tournaments = [
            (str(pk), name) for pk, name in show.tournaments.order_by("starts_on").values_list("pk", "name")
        ]
        for name, everything, choices in (
            ("tournament", "the whole show", tournaments),
            ("who", "everybody", people),
            ("kind", "everything", kinds),
        ):
            field: Any = self.fields[name]
            field.choices = [("", everything), *choices]

    def clean_day(self) -> date | None:
        """A day of which every moment can be told in any zone."""
        day: date | None = self.cleaned_data["day"]
        if day and not MINYEAR < day.year < MAXYEAR:
            raise forms.ValidationError(self.fields["day"].error_messages["invalid"])
        return day

    def clean_player(self) -> Meant | None:
        """Whoever is meant: by a number exactly one, see `selectors.meant_by_number`, by a part of a name all."""
        text = self.cleaned_data["player"].strip()
        if not text:
            return None
        if text.isdecimal():
            tournament = self.show.tournaments.filter(pk=self.cleaned_data.get("tournament") or 0).first()
            found = selectors.meant_by_number(self.show, int(text), tournament) if len(text) < 9 else []
        else:
            found = selectors.meant_by_name(self.show, text)
        if not found:
            what = f"has number {text}" if text.isdecimal() else f"is called “{text}”"
            raise forms.ValidationError(f"Nobody in {self.show} {what}.")
        chosen = next((meant for meant in found if meant.key == self.data.get("as")), found[0])
        self.meant, self.others = chosen, [meant for meant in found if meant != chosen]
        return chosen

    def clean_machine(self) -> list[int]:
        """The machine with this code, or all with this in their name."""
        text = " ".join(self.cleaned_data["machine"].split())
        found = [machine.pk for machine in selectors.machines_called(self.show, text)]
        if text and not found:
            raise forms.ValidationError(f"No machine of {self.show} has the code or name “{text}”.")
        return found

    def clean(self) -> dict[str, Any]:
        """`since` and `until` become moments in the time of the show."""
        cleaned = super().clean() or self.cleaned_data
        day, since, until = (cleaned.get(name) for name in ("day", "since", "until"))
        if day is None and (since or until) and "day" not in self.errors:
            self.add_error("day", "Choose the day as well.")
        cleaned["since"] = cleaned["until"] = None
        if day:
            start = datetime.combine(day, since or time.min, self.show.zone)
            # The whole of the last minute, without leaving the day.
            last = until.replace(second=59, microsecond=999999) if until else time.max
            cleaned |= {"since": start, "until": datetime.combine(day, last, self.show.zone)}
            if since and until and until < since:
                self.add_error("until", "This is before the time from which you look; type a later one.")
        return cleaned

    @property
    def filters(self) -> list[Any]:
        """The fields in the order in which people think of them."""
        return [self[name] for name in self.fields]


class SamePersonForm(forms.Form):
    """Which other record is the same person, which of the two numbers is kept, and why it is known."""

    other = forms.CharField(required=False, max_length=100)
    keep = forms.CharField(required=False)
    reason = forms.CharField(required=False, max_length=500)

    def __init__(self, *args: Any, person: Player, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.person = person

    def clean_other(self) -> Player | None:
        """Another person of the show by number, or by the whole name where only one has it."""
        text = " ".join(self.cleaned_data["other"].split())
        show = self.person.show
        if text.isdecimal():
            found = selectors.people_numbered(show, text)
        else:
            named = selectors.people_called(show, text)
            found = [each for each in named if selectors.fold(each.name) == selectors.fold(text)]
        found = [each for each in found if each.pk != self.person.pk]
        if text and len(found) != 1:
            what = "More than one other person is" if found else "No other person is"
            raise forms.ValidationError(f"{what} “{text}”. Type the number on the badge.")
        return found[0] if found else None
