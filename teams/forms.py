"""What is typed about a team: its details and its people. Whether it may be saved is the services' word."""

from decimal import Decimal
from typing import Any, NamedTuple

from django import forms

from teams import selectors
from teams.models import TeamMember
from teams.services.teams import HIGHEST_WPPR, Person
from tournaments.domain.refusals import Refusal
from tournaments.models import Player, Tournament
from tournaments.selectors import fold, kept

ANOTHER = "another"


class PlayerLine(NamedTuple):
    """One player's fields. `answer` is what was said about a name that the show knows already; "" for nothing."""

    number: int
    field: forms.BoundField
    captain: bool
    answer_name: str
    answer: str


class Namesakes(NamedTuple):
    """Who of the show has the name of a player typed, to be asked about. `other` answers that it is somebody else."""

    typed: str
    answer_name: str
    people: list[Player]
    other: str


class PeopleForm(forms.Form):
    """The players of a team by name or number, empty fields left out, and who of them is the captain.

    A field `is_2` answers who the second player is, where the show has somebody of that name.
    """

    captain = forms.CharField(required=False, max_length=2)

    def __init__(self, *args: Any, tournament: Tournament, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.show, self.size = tournament.show, tournament.rules_in_force.players
        self.members: list[Person] = []
        self.typed_by: list[int] = []
        self.leads = 0
        for number in range(1, self.size + 1):
            self.fields[f"player_{number}"] = forms.CharField(
                required=False, max_length=110, label=f"Player {number}", strip=True
            )
            self.fields[f"is_{number}"] = forms.CharField(required=False, max_length=120)

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or self.cleaned_data
        self.members, self.typed_by = [], []
        for number in range(1, self.size + 1):
            typed = " ".join(cleaned.get(f"player_{number}", "").split())
            if not typed:
                continue
            try:
                self.members.append(self._person(typed, cleaned.get(f"is_{number}", "")))
                self.typed_by.append(number)
            except Refusal as refusal:
                self.add_error(f"player_{number}", refusal.sentence)
        captain = cleaned.get("captain") or "1"
        self.leads = self.typed_by.index(int(captain)) if captain in map(str, self.typed_by) else -1
        return cleaned

    def _person(self, typed: str, answer: str) -> Person:
        known = selectors.person_of(self.show, typed)
        if known:
            return Person(known.name, known)
        if answer == f"{ANOTHER} {typed}":
            return Person(typed, another=True)
        if answer.isdecimal() and len(answer) < 9:
            person = selectors.person_numbered(self.show, int(answer), typed)
            if person:
                return Person(person.name, person)
        return Person(typed)

    def lines(self) -> list[PlayerLine]:
        """The players with who is marked as the captain, as typed or as it is."""
        captain = str(self["captain"].value() or "1")
        return [
            PlayerLine(
                number,
                self[f"player_{number}"],
                captain == str(number),
                f"is_{number}",
                str(self[f"is_{number}"].value() or ""),
            )
            for number in range(1, self.size + 1)
        ]

    def namesakes(self, about: tuple[int, ...]) -> Namesakes | None:
        """The question about these persons of the show, whose name one of the players has."""
        people = selectors.names_among(self.show, about)
        for number, person in zip(self.typed_by, self.members, strict=True):
            if person.player is None and not person.another and fold(person.name) in people:
                same = selectors.people_named(self.show, person.name)
                return Namesakes(person.name, f"is_{number}", same, f"{ANOTHER} {person.name}")
        return None


class DetailsForm(forms.Form):
    """Name, WPPR points and note of a team, and the revision that the page showed."""

    name = forms.CharField(max_length=100, error_messages={"required": "Type the name of the team."})
    wppr = forms.DecimalField(
        required=False,
        label="WPPR points",
        min_value=0,
        max_value=HIGHEST_WPPR,
        max_digits=8,
        decimal_places=2,
        widget=forms.TextInput(attrs={"inputmode": "decimal"}),
        help_text="The sum of its members' points.",
    )
    note = forms.CharField(required=False, max_length=200, help_text="For the desk, for example who comes later.")
    expected = forms.IntegerField(required=False, widget=forms.HiddenInput)

    @property
    def shown(self) -> list[forms.BoundField]:
        """The fields to be typed into."""
        return [self[name] for name in ("name", "wppr", "note")]

    def details(self) -> dict[str, Any]:
        """What the services want to know of a valid form."""
        cleaned = self.cleaned_data
        return {"name": cleaned["name"], "wppr": cleaned["wppr"] or Decimal(0), "note": cleaned["note"]}


class NewTeamForm(PeopleForm, DetailsForm):
    """A team that registers, or comes in for one that is missing; then a reason is asked."""

    number = forms.IntegerField(
        required=False,
        min_value=1,
        max_value=99_999_999,
        widget=forms.TextInput(attrs={"inputmode": "numeric"}),
        help_text="Empty: the next free one.",
    )
    reason = forms.CharField(required=False, max_length=500)
    key = forms.CharField(required=False, max_length=64)

    @property
    def shown(self) -> list[forms.BoundField]:
        return [self[name] for name in ("name", "number", "wppr", "note")]


class LineUpForm(PeopleForm):
    """Who plays for a team from now on; why, once it has begun."""

    reason = forms.CharField(required=False, max_length=500)
    expected = forms.IntegerField(required=False, widget=forms.HiddenInput)


def as_typed(members: list[TeamMember]) -> dict[str, str]:
    """The members of a team as they would be typed."""
    found = {f"player_{number}": str(kept(member.player)) for number, member in enumerate(members, start=1)}
    captain = next((number for number, member in enumerate(members, start=1) if member.captain), 1)
    return found | {"captain": str(captain)}
