"""What all pages of the admin share: who may come in, saving through services, refusals beside the form, acts.

Django's own forms write a model by themselves. Here `save_model` is always a service call, nothing is ever deleted,
and a service's "no" comes back as an error on the form with everything that was typed.
"""

import hashlib
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime, tzinfo
from functools import partial
from typing import Any, cast

from django import forms
from django.conf import settings
from django.contrib import messages
from django.contrib.admin import AdminSite, ModelAdmin
from django.contrib.auth.models import User
from django.contrib.auth.views import redirect_to_login
from django.core.exceptions import PermissionDenied
from django.db.models import Model, QuerySet
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect
from django.template.response import TemplateResponse
from django.urls import URLPattern, path, reverse
from django.utils import timezone
from django.utils.decorators import method_decorator
from django.utils.html import format_html
from django.utils.http import urlencode
from django.utils.safestring import SafeString

from tournaments.domain.refusals import Refusal
from tournaments.models import Show
from tournaments.permissions import ORGANISER, has_role, public
from tournaments.services.change import all_or_nothing

SECTIONS = (
    ("Set up", ("Show", "Tournament", "Stage", "Machine", "StageMachine", "PlacePool")),
    ("People", ("Entry", "Player", "User")),
    ("Look up", ("Score", "Seat", "Ruling", "Journal")),
)
NAMES = {"StageMachine": "Machines in stages", "PlacePool": "Places on sale", "User": "Logins"}
"""What people call a list, where the model is called otherwise."""


class OrganiserSite(AdminSite):
    """The admin of the organisers: their role opens it, not Django's staff mark."""

    site_header = "pinparty"
    site_title = "pinparty"
    index_title = "Organising the show"
    empty_value_display = "–"

    def has_permission(self, request: HttpRequest) -> bool:
        return has_role(request.user, ORGANISER)

    @method_decorator(public)
    def login(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> HttpResponse:
        """The one login of the whole house; who is signed in and comes here has the wrong role."""
        if request.user.is_authenticated and not self.has_permission(request):
            raise PermissionDenied(f"This page is for the {ORGANISER} group.")
        return redirect_to_login(request.GET.get("next", reverse("admin:index")), settings.LOGIN_URL)

    def get_app_list(self, request: HttpRequest, app_label: str | None = None) -> list[dict[str, Any]]:
        """By what people want to do rather than by the program's parts."""
        apps = super().get_app_list(request, app_label)
        if app_label is not None:
            return apps
        pages = {page["object_name"]: page for app in apps for page in app["models"]}
        for name, page in pages.items():
            page["name"] = NAMES.get(name, page["name"])
        listed = {name for _, names in SECTIONS for name in names}
        sections = (*SECTIONS, ("More", tuple(name for name in pages if name not in listed)))
        return [
            {
                "name": title,
                "app_label": title.lower().replace(" ", "-"),
                "app_url": reverse("admin:index"),
                "has_module_perms": True,
                "models": [pages[name] for name in names if name in pages],
            }
            for title, names in sections
            if any(name in pages for name in names)
        ]


site = OrganiserSite(name="admin")


class ByRole(ModelAdmin):
    """Rights by role instead of Django's permission rows. Nothing is deleted: the history needs it."""

    def has_module_permission(self, request: HttpRequest) -> bool:
        return has_role(request.user, ORGANISER)

    def has_view_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return has_role(request.user, ORGANISER)

    def has_add_permission(self, request: HttpRequest) -> bool:
        return has_role(request.user, ORGANISER)

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return has_role(request.user, ORGANISER)

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def get_ordering(self, request: HttpRequest) -> list[Any]:
        """A model keeps its order within one show, tournament or stage; lists here go over all, in their order."""
        kept = super().get_ordering(request) or self.opts.ordering or ()
        return [name.removesuffix("_id") if isinstance(name, str) else name for name in kept]


class SeenForm(forms.ModelForm):
    """A form that knows what it showed, so that nobody overwrites what somebody else has changed meanwhile."""

    seen = forms.CharField(widget=forms.HiddenInput, required=False)
    refusal: Refusal | None = None
    """What a service answered to these very values; set for the second reading of a refused form."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.stored = {
            name: self.get_initial_for_field(field, name) for name, field in self.fields.items() if name != "seen"
        }
        self.initial["seen"] = _digest(self.stored)

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or self.cleaned_data
        if self.instance.pk is not None and cleaned.get("seen") != self.initial["seen"]:
            self._say_what_changed()
        if self.refusal:
            self.refuse(self.refusal)
        return cleaned

    def refuse(self, refusal: Refusal) -> None:
        """Put a service's sentence where it belongs."""
        self.add_error(refusal.field if refusal.field in self.fields else None, refusal.sentence)

    def _say_what_changed(self) -> None:
        now = [
            f"{self.fields[name].label or name} is now “{_words(value)}”"
            for name, value in self.stored.items()
            if self.fields[name].has_changed(value, self[name].data)
        ]
        self.add_error(
            None,
            "Somebody changed this while you were looking; nothing of yours was saved."
            f" {'; '.join(now) + '.' if now else ''} Look again, then save again.",
        )
        # The next save is made knowing this.
        data = cast("QueryDict", self.data).copy()
        data[self.add_prefix("seen")] = self.initial["seen"]
        self.data = data


def _digest(values: dict[str, Any]) -> str:
    text = json.dumps(values, sort_keys=True, default=_words)
    return hashlib.sha256(text.encode()).hexdigest()[:32]


def _words(value: Any) -> str:
    if isinstance(value, datetime):
        return f"{timezone.localtime(value):%d %B %Y %H:%M:%S}"
    if isinstance(value, (list, tuple, QuerySet)):
        return ", ".join(sorted(str(each) for each in value))
    return "–" if value is None else str(value)


class ReasonForm(forms.Form):
    """Why something is done."""

    reason = forms.CharField(
        max_length=500,
        strip=True,
        required=False,
        widget=forms.TextInput(attrs={"size": 60}),
        help_text="In a few words; it is kept beside the change and can be read by everybody who works at the show.",
    )


class NothingToSay(forms.Form):
    """An act that asks no question."""


@dataclass(frozen=True)
class Act:
    """Something to be done with one or several rows: a page says what it means and asks what it needs to know.

    `does` is called as does(row, actor=…, **what the form asked); it is a service or calls one.
    """

    key: str
    label: str
    meaning: str
    does: Callable[..., Any]
    asks: type[forms.Form] = ReasonForm


class ServiceAdmin(ByRole):
    """A model whose every write is a service call, made in `save_model`."""

    form: Any = SeenForm
    acts: Sequence[Act] = ()
    actions_selection_counter = True
    show_full_result_count = False
    list_per_page = 100
    add_only: tuple[str, ...] = ()
    """Fields that are chosen once, when the row is made."""

    def zone(self, request: HttpRequest, obj: Any) -> tzinfo:
        """The time zone of the row's show; that of the machine when there is no row yet."""
        show = show_of(obj)
        return show.zone if show else timezone.get_default_timezone()

    def changeform_view(
        self,
        request: HttpRequest,
        object_id: str | None = None,
        form_url: str = "",
        extra_context: dict[str, Any] | None = None,
    ) -> HttpResponse:
        """Django's page without the transaction Django puts around it: the service opens the only one.

        Around the whole page it would keep all other writers waiting while the page is drawn, and on SQLite it
        would hold the database before the service has its turn.
        """
        obj = self.get_object(request, object_id) if object_id else None
        context = {**(extra_context or {}), "acts": self.act_links(obj) if obj else []}
        django_page = partial(self._changeform_view, request, object_id, form_url, context)  # type: ignore[attr-defined]
        with timezone.override(self.zone(request, obj)):
            try:
                response = django_page()
            except Refusal as refusal:
                request.refusal = refusal  # type: ignore[attr-defined]
                response = django_page()
            if isinstance(response, TemplateResponse):
                response.render()
        return cast("HttpResponse", response)

    def get_form(self, request: HttpRequest, obj: Any = None, change: bool = False, **kwargs: Any) -> Any:
        form: Any = super().get_form(request, obj, change=change, **kwargs)
        form.refusal = getattr(request, "refusal", None)
        return form

    def get_fieldsets(self, request: HttpRequest, obj: Any = None) -> Any:
        """On a row that can be changed, what the form showed goes along unseen."""
        given: Any = super().get_fieldsets(request, obj)
        fieldsets = [(title, dict(options)) for title, options in given]
        names = [name for _, options in fieldsets for name in options["fields"]]
        if obj is not None and self.has_change_permission(request, obj) and "seen" not in names:
            fieldsets[0][1]["fields"] = [*fieldsets[0][1]["fields"], "seen"]
        elif obj is None:
            for _, options in fieldsets:
                options["fields"] = [name for name in options["fields"] if name != "seen"]
        return fieldsets

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> list[str]:
        """What a service owns cannot be typed; what is chosen once is only shown afterwards."""
        return [*self.readonly_fields, *(self.add_only if obj is not None else ())]

    def save_model(self, request: HttpRequest, obj: Any, form: Any, change: bool) -> None:
        """The service call; every page says which. Without one nothing is ever written."""
        raise NotImplementedError(f"{type(self).__name__} names no service")

    def save_related(self, request: HttpRequest, form: Any, formsets: Any, change: bool) -> None:
        """Nothing: the service has written all there is."""

    def history_view(
        self, request: HttpRequest, object_id: str, extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        """The journal, which holds what everybody did, not only what was done here."""
        lookup = self.journal_lookup(object_id)
        if lookup is None:
            return super().history_view(request, object_id, extra_context)
        return redirect(f"{reverse('admin:tournaments_journal_changelist')}?{urlencode(lookup)}")

    def journal_lookup(self, object_id: str) -> dict[str, str] | None:
        """The filter of the journal that shows one row's history; None when the journal keeps none."""
        return None

    def changelist_view(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> HttpResponse:
        """The list under the name that people use."""
        name = NAMES.get(self.model.__name__, str(self.opts.verbose_name_plural).capitalize())
        return super().changelist_view(request, {"title": name, **(extra_context or {})})

    def get_actions(self, request: HttpRequest) -> dict[str, Any]:
        if "_popup" in request.GET:
            return {}
        return {act.key: (partial(_open_act_page, act), act.key, f"{act.label} …") for act in self.acts}

    def get_urls(self) -> list[URLPattern]:
        name = f"{self.opts.app_label}_{self.opts.model_name}_act"
        return [path("act/<slug:key>/", self.admin_site.admin_view(self.act_view), name=name), *super().get_urls()]

    def acts_for(self, obj: Any) -> Sequence[Act]:
        """Those that make sense for this row now."""
        return self.acts

    def act_links(self, obj: Any) -> list[tuple[str, str]]:
        """(label, address) for the row's own page."""
        name = f"admin:{self.opts.app_label}_{self.opts.model_name}_act"
        return [(act.label, f"{reverse(name, args=[act.key])}?ids={obj.pk}") for act in self.acts_for(obj)]

    def act_view(self, request: HttpRequest, key: str) -> HttpResponse:
        """Say what an act means, ask what it needs, do it to all rows or to none."""
        act = next((act for act in self.acts if act.key == key), None)
        if act is None or not self.has_view_permission(request):
            raise PermissionDenied
        given = request.POST.getlist("ids") or request.GET.get("ids", "").split(",")
        ids = [int(each) for each in given if each.isdecimal() and len(each) < 19]
        rows = self.get_queryset(request).filter(pk__in=ids)
        form = act.asks(request.POST if "do" in request.POST else None)
        if form.is_bound and form.is_valid() and self._done(request, act, rows, form):
            return redirect(f"admin:{self.opts.app_label}_{self.opts.model_name}_changelist")
        return self.act_page(request, act, rows, form)

    def _done(self, request: HttpRequest, act: Act, rows: "QuerySet[Any]", form: forms.Form) -> bool:
        # Several tournaments are locked in one order, whoever acts.
        ordered = sorted(rows, key=lambda row: (tournament_id_of(row), row.pk))
        try:
            with all_or_nothing():
                for row in ordered:
                    act.does(row, actor=request.user, **form.cleaned_data)
        except Refusal as refusal:
            form.add_error(refusal.field if refusal.field in form.fields else None, refusal.sentence)
            return False
        messages.success(request, f"{act.label}: {', '.join(str(row) for row in ordered)}.")
        return True

    def act_page(
        self, request: HttpRequest, act: Act, rows: "QuerySet[Any]", form: forms.Form | None = None
    ) -> HttpResponse:
        """The page of an act, before it is done or after it was refused."""
        context = {
            **self.admin_site.each_context(request),
            "title": act.label,
            "act": act,
            "rows": rows,
            "form": form or act.asks(),
            "opts": self.opts,
            "address": reverse(f"admin:{self.opts.app_label}_{self.opts.model_name}_act", args=[act.key]),
        }
        status = 422 if form is not None and form.errors else 200
        return TemplateResponse(request, "admin/tournaments/act.html", context, status=status)


def _open_act_page(act: Act, page: ServiceAdmin, request: HttpRequest, rows: "QuerySet[Any]") -> HttpResponse:
    return page.act_page(request, act, rows)


def typed(form: Any) -> dict[str, Any]:
    """What a form asked, without what it only carries along."""
    return {name: value for name, value in form.cleaned_data.items() if name not in ("seen", "reason")}


class LookOnly(ServiceAdmin):
    """A model that is written elsewhere and can be read here."""

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False


def actor(request: HttpRequest) -> User:
    """Who acts; the admin lets nobody in who is not signed in."""
    return cast("User", request.user)


def become(obj: Model, made: Model) -> None:
    """Let the admin's unsaved row be the one that the service has made."""
    obj.__dict__.update(made.__dict__)


def show_of(obj: Any) -> Show | None:
    """The show a row belongs to, whatever row it is."""
    while obj is not None and not isinstance(obj, Show):
        ways = (getattr(obj, name) for name in ("tournament", "show", "stage") if hasattr(type(obj), name))
        obj = next((way for way in ways if way is not None), None)
    return obj


def tournament_id_of(obj: Any) -> int:
    """The tournament a row belongs to, for the order of locking; 0 for what belongs to the show."""
    holder = obj if hasattr(obj, "tournament_id") else getattr(obj, "stage", None)
    return holder.tournament_id if holder is not None else 0


def moment(value: datetime | None, obj: Any) -> str:
    """A time in the zone of the row's show."""
    show = show_of(obj)
    if value is None:
        return "–"
    return f"{value.astimezone(show.zone if show else None):%a %d %b %Y, %H:%M}"


def link(address: str, text: object) -> SafeString:
    """A link in a cell or beside a form."""
    return format_html('<a href="{}">{}</a>', address, text)
