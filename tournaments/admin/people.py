"""Entries, the people behind them, and the logins of those who run the show."""

from typing import Any

from django import forms
from django.contrib.admin import ModelAdmin, RelatedOnlyFieldListFilter, display, register
from django.contrib.auth.admin import UserAdmin
from django.contrib.auth.forms import UserChangeForm, UserCreationForm
from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.decorators import method_decorator
from django.views.decorators.debug import sensitive_post_parameters

from tournaments import selectors
from tournaments.admin.base import (
    Act,
    NothingToSay,
    SeenForm,
    ServiceAdmin,
    actor,
    become,
    moment,
    site,
    typed,
)
from tournaments.domain.refusals import NeedsDecision, Refusal
from tournaments.forms import BirthField
from tournaments.models import Entry, PlacePool, Player
from tournaments.permissions import DESK, OFFICIAL, ORGANISER
from tournaments.services import accounts, entries

DETAILS = ("name", "country", "ifpa_number", "email", "contact", "born_on")


class EntryForm(SeenForm):
    """A new entry: somebody of the show already, or a new person."""

    player = forms.ModelChoiceField(Player.objects.none(), required=False)
    name = forms.CharField(max_length=100, required=False, help_text="Of a new person.")
    number = forms.IntegerField(
        required=False,
        min_value=1,
        max_value=entries.HIGHEST_NUMBER,
        widget=forms.TextInput(attrs={"inputmode": "numeric", "size": 8}),
        help_text="Of a new person; the same in every tournament of the show. Empty: the next one free.",
    )
    country = forms.CharField(max_length=50, required=False)
    ifpa_number = forms.CharField(label="IFPA number", max_length=20, required=False)
    email = forms.EmailField(label="E-mail", required=False, help_text="Never shown in public.")
    contact = forms.CharField(
        label="Adult contact",
        max_length=200,
        required=False,
        help_text="For a child: who is responsible. Never shown in public.",
    )
    born_on = BirthField(
        help_text="For a tournament with an age limit; empty: asked at check-in. Never shown in public or exported."
    )
    place = forms.ChoiceField(
        label="Kind of place",
        choices=[("", "none is counted"), *PlacePool.Kind.choices],
        required=False,
        help_text="Takes one of the places on sale, if the tournament counts them.",
    )
    namesake_is_another = forms.BooleanField(
        label="This is another person",
        required=False,
        help_text="Only when asked: somebody of the show has the same name or e-mail address, and is not this person.",
    )

    def clean(self) -> dict[str, Any]:
        chosen, written = self.cleaned_data.get("player"), self.cleaned_data.get("name")
        if not self.errors and bool(chosen) == bool(written):
            self.add_error("name", "Choose a person of the show, or write the name of a new one; one of the two.")
        return super().clean()

    def refuse(self, refusal: Refusal) -> None:
        """A namesake is a question; the box that answers it is on the form."""
        super().refuse(refusal)
        if isinstance(refusal, NeedsDecision) and refusal.settle == "namesake":
            self.add_error("namesake_is_another", "Tick this if it is another person; otherwise choose the one above.")


class CheckInForm(forms.Form):
    """Whether somebody has seen how old they are, which only matters where there is an age limit."""

    age_seen = forms.BooleanField(
        label="I have seen that they keep the age limit",
        required=False,
        help_text="Needed where there is one and no date of birth is known.",
    )


CHECK_IN = Act("check-in", "Check in", "They are here.", entries.check_in, CheckInForm)
TAKE_CHECK_IN_BACK = Act(
    "take-check-in-back",
    "Take check-in back",
    "They are not here after all.",
    entries.take_check_in_back,
    NothingToSay,
)
CHECK_AGE = Act(
    "check-age", "Age checked", "You have seen that they keep the age limit.", entries.confirm_age, NothingToSay
)
WITHDRAW = Act(
    "withdraw", "Withdraw", "They play no more. Scores stay; a place in the cut goes to the next.", entries.withdraw
)
DISQUALIFY = Act(
    "disqualify", "Disqualify", "All their games leave every rank, and the others move up.", entries.disqualify
)
REINSTATE = Act(
    "reinstate", "Reinstate", "Takes a withdrawal or disqualification back; all is as before.", entries.reinstate
)


@register(Entry, site=site)
class EntryAdmin(ServiceAdmin):
    list_display = ("number", "person", "plays_in", "status", "age", "place", "entered")
    list_display_links = ("number", "person")
    list_filter = ("status", "tournament", "pool__kind")
    list_select_related = ("player", "tournament__show", "pool")
    search_fields = ("=number", "player__name", "title", "player__email", "player__ifpa_number")
    search_help_text = "A number finds exactly that number; otherwise a part of the name, e-mail or IFPA number."
    autocomplete_fields = ("tournament", "player")
    form = EntryForm
    acts = (CHECK_IN, TAKE_CHECK_IN_BACK, CHECK_AGE, WITHDRAW, DISQUALIFY, REINSTATE)
    date_hierarchy = "entered_at"

    def get_queryset(self, request: HttpRequest) -> Any:
        """Without entries that were merged with another: the person's page tells of them."""
        return super().get_queryset(request).exclude(status=Entry.Status.MERGED)

    def get_fieldsets(self, request: HttpRequest, obj: Entry | None = None) -> Any:
        if obj is not None:
            about = "Name and other details belong to the person: open the person to correct them."
            fields = ["number", "player", "tournament", "status", "age", "place", "entered"]
            return [(None, {"fields": fields, "description": about})]
        return [
            (None, {"fields": ["tournament", "place"]}),
            ("Somebody of the show", {"fields": ["player"], "description": "Plays in another tournament already."}),
            ("A new person", {"fields": ["name", "number", *DETAILS[1:], "namesake_is_another"]}),
        ]

    def get_readonly_fields(self, request: HttpRequest, obj: Entry | None = None) -> list[str]:
        return [] if obj is None else ["number", "player", "tournament", "status", "age", "place", "entered"]

    def get_form(self, request: HttpRequest, obj: Entry | None = None, change: bool = False, **kwargs: Any) -> Any:
        if obj is None:
            # The others are for the service, which can say who has the number.
            kwargs["fields"] = ["tournament"]
        form = super().get_form(request, obj, change=change, **kwargs)
        if obj is None:
            self._offer_people(request, form)
        return form

    def _offer_people(self, request: HttpRequest, form: Any) -> None:
        field: Any = self.formfield_for_dbfield(Entry._meta.get_field("player"), request=request)
        field.required = False
        field.help_text = "Search by number or name."
        form.base_fields["player"] = field

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """What can be changed is the person's details, on the person's page, and the status, by an act."""
        return False

    def acts_for(self, obj: Entry) -> tuple[Act, ...]:
        if obj.status in (Entry.Status.WITHDRAWN, Entry.Status.DISQUALIFIED):
            return (REINSTATE,) if obj.status == Entry.Status.DISQUALIFIED else (REINSTATE, DISQUALIFY)
        if obj.status == Entry.Status.ENTERED:
            return (CHECK_IN, WITHDRAW, DISQUALIFY)
        return (CHECK_AGE, WITHDRAW, DISQUALIFY) if _age_unchecked(obj) else (WITHDRAW, DISQUALIFY)

    def save_model(self, request: HttpRequest, obj: Entry, form: Any, change: bool) -> None:
        asked = typed(form)
        become(obj, entries.register(asked.pop("tournament"), actor=actor(request), **asked))

    def journal_lookup(self, object_id: str) -> dict[str, str] | None:
        return {"entry__id__exact": object_id}

    @display(description="name", ordering="player__name")
    def person(self, entry: Entry) -> str:
        return entry.name

    @display(description="tournament", ordering="tournament")
    def plays_in(self, entry: Entry) -> str:
        return entry.tournament.name

    @display(description="age")
    def age(self, entry: Entry) -> str:
        if entry.tournament.age_limit is None:
            return "–"
        return "age not checked" if _age_unchecked(entry) else "checked"

    @display(description="kind of place", ordering="pool__kind")
    def place(self, entry: Entry) -> str:
        return entry.pool.get_kind_display() if entry.pool else "–"

    @display(description="entered", ordering="entered_at")
    def entered(self, entry: Entry) -> str:
        return moment(entry.entered_at, entry)


def _age_unchecked(entry: Entry) -> bool:
    return entry.tournament.age_limit is not None and not entry.age_known


@register(Player, site=site)
class PlayerAdmin(ServiceAdmin):
    list_display = ("number", "name", "country", "ifpa_number", "plays_in", "same_person", "show")
    list_display_links = ("number", "name")
    list_filter = ("show", "entries__tournament", "country")
    list_select_related = ("show", "merged_into")
    search_fields = ("=number", "name", "email", "ifpa_number")
    search_help_text = "A number finds exactly that number; otherwise a part of the name, e-mail or IFPA number."
    readonly_fields = ("number", "show", "plays_in", "same_person")
    fieldsets = (
        (None, {"fields": ("number", "show", "plays_in", "same_person")}),
        (
            "Details",
            {"fields": DETAILS, "description": "A correction shows in every tournament of the show."},
        ),
    )

    def has_add_permission(self, request: HttpRequest) -> bool:
        """A person comes with the first entry, and with it the number."""
        return False

    def get_queryset(self, request: HttpRequest) -> Any:
        return super().get_queryset(request).select_related("show").prefetch_related("entries__tournament", "merged")

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """A record that is another one now is corrected there."""
        return super().has_change_permission(request, obj) and (obj is None or obj.merged_into_id is None)

    def get_search_results(self, request: HttpRequest, queryset: Any, search_term: str) -> tuple[Any, bool]:
        """In the box for choosing a person, only records that stand."""
        found, distinct = super().get_search_results(request, queryset, search_term)
        if request.path == reverse("admin:autocomplete"):
            found = found.filter(merged_into=None)
        return found, distinct

    def save_model(self, request: HttpRequest, obj: Player, form: Any, change: bool) -> None:
        entry = next(iter(selectors.entries_with(obj)), None)
        if entry is None:
            raise Refusal(f"{obj} is entered in no tournament; enter the person first.")
        entries.change_details(entry, actor=actor(request), expected=obj.show.revision, person=obj, **typed(form))

    def journal_lookup(self, object_id: str) -> dict[str, str] | None:
        return {"entry__player__id__exact": object_id}

    @display(description="plays in")
    def plays_in(self, player: Player) -> str:
        own = (entry for entry in player.entries.all() if entry.status != Entry.Status.MERGED)
        return ", ".join(entry.tournament.name for entry in own)

    @display(description="the same person as")
    def same_person(self, player: Player) -> str:
        others = [player.merged_into] if player.merged_into else list(player.merged.all())
        return ", ".join(str(other) for other in others) or "–"


ROLES = (
    (DESK, "Desk: enters and corrects scores, registers people"),
    (OFFICIAL, "Official: takes scores at the machines"),
    (ORGANISER, "Organiser: all of that, and everything here"),
    ("", "None: cannot do anything"),
)


class RoleForm(SeenForm):
    """The role of a login."""

    role = forms.ChoiceField(choices=ROLES, widget=forms.RadioSelect, required=False, initial=DESK)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        account = kwargs.get("instance")
        if account is not None and account.pk:
            names = set(account.groups.values_list("name", flat=True))
            role = next((role for role in (ORGANISER, DESK, OFFICIAL) if role in names), "")
            kwargs["initial"] = {**(kwargs.get("initial") or {}), "role": role}
        super().__init__(*args, **kwargs)


class AccountForm(RoleForm, UserChangeForm):
    """A login that is there already."""


class NewAccountForm(RoleForm, UserCreationForm):
    """A new login."""


@register(User, site=site)
class AccountAdmin(ServiceAdmin, UserAdmin):
    list_display = ("username", "first_name", "last_name", "role", "is_active", "last_login")
    list_filter = ("is_active", "is_superuser", ("groups", RelatedOnlyFieldListFilter))
    search_fields = ("username", "first_name", "last_name", "email")
    form = AccountForm
    add_form = NewAccountForm
    filter_horizontal = ()
    readonly_fields = ("last_login", "date_joined")
    fieldsets = (
        (None, {"fields": ("username", "password")}),
        ("Person", {"fields": ("first_name", "last_name", "email")}),
        ("Rights", {"fields": ("role", "is_active", "is_superuser")}),
        ("Dates", {"fields": ("last_login", "date_joined")}),
    )
    add_fieldsets = ((None, {"fields": ("username", "first_name", "last_name", "role", "password1", "password2")}),)

    def has_change_permission(self, request: HttpRequest, obj: User | None = None) -> bool:
        """An organiser cannot touch a superuser, not even the password."""
        if obj is not None and obj.is_superuser and not actor(request).is_superuser:
            return False
        return super().has_change_permission(request, obj)

    def get_fieldsets(self, request: HttpRequest, obj: User | None = None) -> Any:
        given: Any = self.add_fieldsets if obj is None else self.fieldsets
        found = [(title, dict(options)) for title, options in given]
        if obj is not None and self.has_change_permission(request, obj):
            found[0][1]["fields"] = [*found[0][1]["fields"], "seen"]
        return found

    def get_readonly_fields(self, request: HttpRequest, obj: User | None = None) -> list[str]:
        own = [] if actor(request).is_superuser else ["is_superuser"]
        return [*self.readonly_fields, *own]

    @method_decorator(sensitive_post_parameters())
    def add_view(
        self, request: HttpRequest, form_url: str = "", extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        """Without the transaction Django puts around it; see `ServiceAdmin.changeform_view`."""
        return ModelAdmin.add_view(self, request, form_url, extra_context)

    def save_model(self, request: HttpRequest, obj: User, form: Any, change: bool) -> None:
        accounts.save_account(obj, actor=actor(request), role=form.cleaned_data.get("role", ""))

    def get_queryset(self, request: HttpRequest) -> Any:
        return super().get_queryset(request).prefetch_related("groups")

    @display(description="role")
    def role(self, account: User) -> str:
        if account.is_superuser:
            return "superuser"
        return ", ".join(sorted(group.name for group in account.groups.all())) or "none"
