"""Teams in the administration: looked at, entered and corrected through the services of the desk."""

from typing import Any

from django import forms
from django.contrib.admin import display, register
from django.http import HttpRequest
from django.urls import reverse

from teams import selectors
from teams.format import TEAM
from teams.models import Team, TeamMember
from teams.services import teams
from teams.services.teams import Person
from tournaments.admin.base import LookOnly, SeenForm, ServiceAdmin, actor, become, link, site
from tournaments.domain.refusals import NeedsDecision, Refusal
from tournaments.models import Show, Tournament
from tournaments.selectors import kept
from tournaments.services import entries
from tournaments.services.change import all_or_nothing


class TeamForm(SeenForm):
    """A team and its people. Who they are is told by name or number, one a line."""

    tournament = forms.ModelChoiceField(Tournament.objects.none())
    name = forms.CharField(max_length=100)
    number = forms.IntegerField(
        required=False,
        min_value=1,
        max_value=entries.HIGHEST_NUMBER,
        widget=forms.TextInput(attrs={"inputmode": "numeric", "size": 8}),
        help_text="Empty: the next one free.",
    )
    players = forms.CharField(
        widget=forms.Textarea(attrs={"rows": 5, "cols": 40}),
        help_text="One a line: a name, or the number of somebody who is in the show already.",
    )
    captain = forms.IntegerField(
        min_value=1, initial=1, help_text="The line of the captain, 1 for the first.", widget=forms.TextInput
    )
    reason = forms.CharField(
        max_length=500, required=False, help_text="Needed for other players once the team has begun."
    )
    namesake_is_another = forms.BooleanField(
        label="These are other people",
        required=False,
        help_text="Only when asked: somebody of the show has the same name as a new player, and is not this person.",
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        team = kwargs.get("instance")
        if team is not None and team.pk:
            people = selectors.line_up(team)
            captain = next((number for number, member in enumerate(people, start=1) if member.captain), 1)
            shown = {
                "name": team.entry.title,
                "players": "\n".join(str(kept(member.player)) for member in people),
                "captain": captain,
            }
            kwargs["initial"] = {**(kwargs.get("initial") or {}), **shown}
        super().__init__(*args, **kwargs)
        if "tournament" in self.fields:
            field: Any = self.fields["tournament"]
            field.queryset = Tournament.objects.filter(format=TEAM.key)

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean()
        tournament = cleaned.get("tournament") or (self.instance.entry.tournament if self.instance.pk else None)
        if tournament and "players" in cleaned:
            another = cleaned.get("namesake_is_another", False)
            try:
                cleaned["members"] = [_person(tournament.show, line, another) for line in _lines(cleaned["players"])]
            except Refusal as refusal:
                self.add_error("players", refusal.sentence)
        return cleaned

    def refuse(self, refusal: Refusal) -> None:
        """A namesake is a question; the box that answers it is on the form."""
        if refusal.field == "members":
            self.add_error("players", refusal.sentence)
            return
        super().refuse(refusal)
        if isinstance(refusal, NeedsDecision) and refusal.settle == "namesake":
            self.add_error("namesake_is_another", "Tick this if it is another person; otherwise write the number.")


def _lines(typed: str) -> list[str]:
    return [words for line in typed.splitlines() if (words := " ".join(line.split()))]


def _person(show: Show, typed: str, another: bool) -> Person:
    known = selectors.person_of(show, typed)
    return Person(known.name, known) if known else Person(typed, another=another)


@register(Team, site=site)
class TeamAdmin(ServiceAdmin):
    list_display = ("number", "name", "people", "wppr", "status", "plays_in")
    list_display_links = ("number", "name")
    list_filter = ("entry__status", "entry__tournament")
    list_select_related = ("entry__tournament__show",)
    search_fields = ("=entry__number", "entry__title", "members__player__name")
    search_help_text = "A number finds exactly that number; otherwise a part of the name of a team or a player."
    form = TeamForm
    readonly_fields = ("standing",)

    def get_queryset(self, request: HttpRequest) -> Any:
        return super().get_queryset(request).prefetch_related("members__player")

    def get_fieldsets(self, request: HttpRequest, obj: Team | None = None) -> Any:
        first = ["tournament", "name", "number"] if obj is None else ["standing", "name"]
        players = ["players", "captain", "namesake_is_another"] + ([] if obj is None else ["reason"])
        given = [(None, {"fields": [*first, "wppr", "note"]}), ("Players", {"fields": players})]
        if obj is not None:
            given[0][1]["fields"].append("seen")
        return given

    def get_form(self, request: HttpRequest, obj: Team | None = None, change: bool = False, **kwargs: Any) -> Any:
        # What is not of the model is for the service, which can say what is wrong with it.
        kwargs["fields"] = ["wppr", "note"]
        form = super().get_form(request, obj, change=change, **kwargs)
        for name in ("tournament", "number") if obj is not None else ():
            del form.base_fields[name]
        return form

    def save_model(self, request: HttpRequest, obj: Team, form: Any, change: bool) -> None:
        asked, who = form.cleaned_data, actor(request)
        details = {name: asked[name] for name in ("name", "wppr", "note")}
        people = {"members": asked["members"], "captain": asked["captain"] - 1}
        if not change:
            made = teams.register(asked["tournament"], actor=who, number=asked["number"], **details, **people)
            become(obj, made)
            return
        with all_or_nothing():
            teams.change_details(obj, actor=who, **details)
            teams.change_members(obj, actor=who, reason=asked["reason"], **people)

    def journal_lookup(self, object_id: str) -> dict[str, str] | None:
        team = Team.objects.filter(pk=object_id).first()
        return {"entry__id__exact": str(team.entry_id)} if team else None

    @display(description="number", ordering="entry__number")
    def number(self, team: Team) -> int:
        return team.entry.number

    @display(description="name", ordering="entry__title")
    def name(self, team: Team) -> str:
        return team.entry.title

    @display(description="players")
    def people(self, team: Team) -> str:
        here = (member for member in team.members.all() if member.left_at is None)
        return ", ".join(f"{m.player}{' (captain)' if m.captain else ''}" for m in here)

    @display(description="status", ordering="entry__status")
    def status(self, team: Team) -> str:
        return team.entry.get_status_display()

    @display(description="entry")
    def standing(self, team: Team) -> str:
        """Where the team is checked in, withdrawn and disqualified."""
        address = reverse("admin:tournaments_entry_change", args=[team.entry_id])
        return link(address, f"{team.entry}: {team.entry.get_status_display()}")

    @display(description="tournament", ordering="entry__tournament")
    def plays_in(self, team: Team) -> str:
        return team.entry.tournament.name


@register(TeamMember, site=site)
class TeamMemberAdmin(LookOnly):
    """Who is or was in which team; changed on the page of the team."""

    list_display = ("player", "team", "captain", "left_at", "tournament")
    list_filter = ("captain", "tournament", "team")
    list_select_related = ("player", "team__entry", "tournament__show")
    search_fields = ("=player__number", "player__name", "team__entry__title")
    search_help_text = "A number finds exactly that number; otherwise a part of the name of a player or a team."
