"""Shows, tournaments with their rules, stages with their times, and places."""

from datetime import tzinfo
from typing import Any

from django import forms
from django.contrib.admin import display, register
from django.db.models import Count, Q, QuerySet
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils import timezone
from django.utils.html import format_html_join
from django.utils.safestring import SafeString

from tournaments import formats
from tournaments.admin import rules
from tournaments.admin.base import SeenForm, ServiceAdmin, actor, become, link, moment, show_of, site, typed
from tournaments.models import Entry, PlacePool, Show, Stage, Tournament
from tournaments.services import places, shows
from tournaments.services.change import all_or_nothing


@register(Show, site=site)
class ShowAdmin(ServiceAdmin):
    list_display = ("name", "starts_on", "ends_on", "venue", "time_zone", "rehearsal")
    list_filter = ("rehearsal",)
    search_fields = ("name", "slug", "venue")
    date_hierarchy = "starts_on"
    prepopulated_fields = {"slug": ("name",)}
    add_only = ("slug",)
    fieldsets = (
        (None, {"fields": ("name", "slug", "venue")}),
        ("When", {"fields": ("starts_on", "ends_on", "time_zone")}),
    )

    def get_prepopulated_fields(self, request: HttpRequest, obj: Any = None) -> dict[str, Any]:
        return {} if obj else dict(self.prepopulated_fields)

    def save_model(self, request: HttpRequest, obj: Show, form: Any, change: bool) -> None:
        if change:
            shows.change_show(obj, actor=actor(request), expected=obj.revision, **typed(form))
        else:
            become(obj, shows.create_show(actor=actor(request), **typed(form)))

    def journal_lookup(self, object_id: str) -> dict[str, str] | None:
        return {"show__id__exact": object_id}


class TournamentForm(SeenForm):
    """A tournament; once it is made, with the rules of its format."""

    kind: formats.Format | None = None
    reason = forms.CharField(
        label="Why the rules change",
        required=False,
        max_length=500,
        widget=forms.TextInput(attrs={"size": 60}),
        help_text="Needed when a rule changes; it is kept in the journal beside the change.",
    )

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean()
        if self.kind is not None and not any(name.startswith(rules.PREFIX) for name in self.errors):
            for name, sentence in rules.faults(self.kind, rules.typed_rules(cleaned)):
                self.add_error(name if name in self.fields else None, sentence)
        return cleaned

    def new_rules(self) -> dict[str, Any]:
        """The rules to store: what was stored, and what was typed over it."""
        typed = rules.typed_rules(self.cleaned_data)
        changed = {name: value for name, value in typed.items() if rules.PREFIX + name in self.changed_data}
        return {**self.instance.rules, **changed}


@register(Tournament, site=site)
class TournamentAdmin(ServiceAdmin):
    list_display = ("name", "show", "format", "starts_on", "entered", "stages_now")
    list_filter = ("format", "show")
    list_select_related = ("show",)
    search_fields = ("name", "slug", "show__name", "show__slug")
    date_hierarchy = "starts_on"
    autocomplete_fields = ("show",)
    form = TournamentForm
    add_only = ("show", "slug", "format")
    readonly_fields = ("stage_links", "files")

    def get_prepopulated_fields(self, request: HttpRequest, obj: Any = None) -> dict[str, Any]:
        return {} if obj else {"slug": ("name",)}

    def get_queryset(self, request: HttpRequest) -> "QuerySet[Tournament]":
        found = super().get_queryset(request).prefetch_related("stages__tournament")
        return found.annotate(entry_count=Count("entries", filter=~Q(entries__status=Entry.Status.MERGED)))

    def get_fieldsets(self, request: HttpRequest, obj: Tournament | None = None) -> Any:
        """The rules follow once the format is chosen."""
        if obj is None:
            about = "The rules of the format come next; each has a default and can be changed on the following page."
            return [(None, {"fields": ["show", "name", "slug", "format", "starts_on"], "description": about})]
        names = list(rules.form_fields(obj.kind, obj.rules_in_force))
        return [
            (None, {"fields": ["show", "slug", "format", "name", "starts_on", "stage_links", "files", "seen"]}),
            ("Rules", {"fields": [*names, "reason"], "description": "They are printed on the public rules page."}),
        ]

    def get_form(
        self, request: HttpRequest, obj: Tournament | None = None, change: bool = False, **kwargs: Any
    ) -> Any:
        if obj is None:
            form = super().get_form(request, obj, change=change, **kwargs)
            form.base_fields["format"].help_text = _formats_in_words()
            return form
        made = {"kind": obj.kind, **rules.form_fields(obj.kind, obj.rules_in_force)}
        kwargs["form"] = type("TournamentForm", (TournamentForm,), made)
        # The rules are no fields of the model, so Django must not look for them there.
        kwargs["fields"] = ["name", "starts_on"]
        return super().get_form(request, obj, change=change, **kwargs)

    def save_model(self, request: HttpRequest, obj: Tournament, form: Any, change: bool) -> None:
        who, expected = actor(request), obj.revision
        if not change:
            become(obj, shows.create_tournament(actor=who, **typed(form)))
            return
        stored = Tournament.objects.select_related("show").get(pk=obj.pk)
        with all_or_nothing():
            if any(name.startswith(rules.PREFIX) for name in form.changed_data):
                shows.change_rules(
                    stored,
                    actor=who,
                    rules=form.new_rules(),
                    reason=form.cleaned_data["reason"],
                    # As it was when this page compared what it had shown: scores since then do no harm.
                    expected=expected,
                )
                expected = stored.revision
            if {"name", "starts_on"} & set(form.changed_data):
                name, day = form.cleaned_data["name"], form.cleaned_data["starts_on"]
                shows.rename_tournament(stored, actor=who, name=name, starts_on=day, expected=expected)

    def response_add(
        self, request: HttpRequest, obj: Tournament, post_url_continue: str | None = None
    ) -> HttpResponse:
        """On to the rules, unless another tournament is to be added."""
        if "_addanother" not in request.POST and "_popup" not in request.POST:
            asked = request.POST.copy()
            asked["_continue"] = "1"
            request.POST = asked  # type: ignore[assignment]
        return super().response_add(request, obj, post_url_continue)

    def journal_lookup(self, object_id: str) -> dict[str, str] | None:
        return {"tournament__id__exact": object_id}

    @display(description="entries", ordering="entry_count")
    def entered(self, tournament: Any) -> int:
        return int(tournament.entry_count)

    @display(description="stages")
    def stages_now(self, tournament: Tournament) -> str:
        now = timezone.now()
        return ", ".join(f"{stage.label}: {stage.phase(now)}" for stage in tournament.stages.all())

    @display(description="stages and their times")
    def stage_links(self, tournament: Tournament) -> SafeString:
        now = timezone.now()
        return format_html_join(
            "",
            '<div><a href="{}">{}</a>, {}</div>',
            (
                (reverse("admin:tournaments_stage_change", args=[stage.pk]), stage.label, stage.phase(now))
                for stage in tournament.stages.all()
            ),
        )

    @display(description="files")
    def files(self, tournament: Tournament) -> SafeString:
        address = reverse("organiser:export", args=[tournament.show.slug, tournament.slug])
        return link(address, "Download the tournament folder")


@register(Stage, site=site)
class StageAdmin(ServiceAdmin):
    list_display = ("label", "tournament", "phase_now", "opens", "closes", "machines_used")
    list_display_links = ("label",)
    list_filter = ("state", "tournament")
    list_select_related = ("tournament__show",)
    search_fields = ("key", "tournament__name", "tournament__show__name")
    ordering = ("tournament__show", "tournament", "position")
    readonly_fields = ("tournament", "label", "phase_now")
    fieldsets = (
        (None, {"fields": ("tournament", "label", "phase_now")}),
        (
            "Times",
            {
                "fields": ("opens_at", "closes_at"),
                "description": "In the time zone of the show. The desk opens and closes a stage; from the closing time"
                " on no new game starts, and games under way finish.",
            },
        ),
    )

    def has_add_permission(self, request: HttpRequest) -> bool:
        """A tournament has the stages of its format."""
        return False

    def get_queryset(self, request: HttpRequest) -> "QuerySet[Stage]":
        found = super().get_queryset(request).select_related("tournament__show")
        return found.annotate(machine_count=Count("stage_machines"))

    def save_model(self, request: HttpRequest, obj: Stage, form: Any, change: bool) -> None:
        stored = Stage.objects.select_related("tournament__show").get(pk=obj.pk)
        if form.changed_data:
            shows.set_times(
                stored,
                actor=actor(request),
                opens_at=form.cleaned_data["opens_at"],
                closes_at=form.cleaned_data["closes_at"],
                expected=obj.tournament.revision,
            )

    def journal_lookup(self, object_id: str) -> dict[str, str] | None:
        return {"tournament__id__exact": str(Stage.objects.values_list("tournament", flat=True).get(pk=object_id))}

    def get_search_results(self, request: HttpRequest, queryset: Any, search_term: str) -> tuple[Any, bool]:
        """In the box for choosing a stage, only those a machine or a game can still come into."""
        found, distinct = super().get_search_results(request, queryset, search_term)
        if request.path == reverse("admin:autocomplete"):
            found = found.exclude(state=Stage.State.CLOSED)
        return found, distinct

    @display(description="stage", ordering="position")
    def label(self, stage: Stage) -> str:
        return stage.label

    @display(description="now")
    def phase_now(self, stage: Stage) -> str:
        return str(stage.phase(timezone.now()))

    @display(description="opens", ordering="opens_at")
    def opens(self, stage: Stage) -> str:
        return moment(stage.opens_at, stage)

    @display(description="closes", ordering="closes_at")
    def closes(self, stage: Stage) -> str:
        return moment(stage.closes_at, stage)

    @display(description="machines", ordering="machine_count")
    def machines_used(self, stage: Any) -> int:
        return int(stage.machine_count)


@register(PlacePool, site=site)
class PlacePoolAdmin(ServiceAdmin):
    list_display = ("kind", "tournament", "capacity", "taken", "opens", "closes")
    list_filter = ("kind", "tournament")
    list_select_related = ("tournament__show",)
    search_fields = ("kind", "tournament__name", "tournament__show__name")
    autocomplete_fields = ("tournament",)
    readonly_fields = ("taken",)
    add_only = ("tournament", "kind")
    fieldsets = (
        (None, {"fields": ("tournament", "kind", "capacity", "taken")}),
        ("On sale", {"fields": ("opens_at", "closes_at"), "description": "In the time zone of the show."}),
    )

    def get_queryset(self, request: HttpRequest) -> "QuerySet[PlacePool]":
        return super().get_queryset(request).select_related("tournament__show")

    def zone(self, request: HttpRequest, obj: Any) -> tzinfo:
        """For new places the zone of the tournament chosen in the same form."""
        chosen = request.POST.get("tournament", "")
        if obj is None and chosen.isdecimal():
            tournament = Tournament.objects.select_related("show").filter(pk=chosen).first()
            show = show_of(tournament)
            if show:
                return show.zone
        return super().zone(request, obj)

    def save_model(self, request: HttpRequest, obj: PlacePool, form: Any, change: bool) -> None:
        asked = typed(form)
        if change:
            stored = PlacePool.objects.select_related("tournament").get(pk=obj.pk)
            expected = obj.tournament.revision
            places.offer(stored.tournament, actor=actor(request), kind=stored.kind, expected=expected, **asked)
        else:
            become(obj, places.offer(asked.pop("tournament"), actor=actor(request), **asked))

    def journal_lookup(self, object_id: str) -> dict[str, str] | None:
        pool = PlacePool.objects.get(pk=object_id)
        return {"tournament__id__exact": str(pool.tournament_id), "action__exact": "offer places"}

    @display(description="on sale from", ordering="opens_at")
    def opens(self, pool: PlacePool) -> str:
        return moment(pool.opens_at, pool)

    @display(description="until", ordering="closes_at")
    def closes(self, pool: PlacePool) -> str:
        return moment(pool.closes_at, pool)


def _formats_in_words() -> str:
    """What can be played so far, format by format."""
    told = []
    for kind in formats.known():
        later = ", ".join(label.lower() for label in formats.not_yet(kind))
        told.append(f"{kind.label}: {f'cannot be played yet: {later}' if later else 'all stages can be played'}")
    return ". ".join(told) + "."
