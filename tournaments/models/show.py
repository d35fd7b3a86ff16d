from datetime import datetime
from functools import cache
from typing import Any
from zoneinfo import ZoneInfo, available_timezones

from django.core.exceptions import ValidationError
from django.db import models
from django.urls import reverse

from tournaments import formats
from tournaments.domain.facts import Phase


@cache
def time_zones() -> frozenset[str]:
    """The names of all IANA time zones, asked for once: to tell them the library opens six hundred files."""
    return frozenset(available_timezones())


def known_time_zone(name: str) -> None:
    """Raise `ValidationError` unless the name is an IANA time zone."""
    if name not in time_zones():
        raise ValidationError(f"“{name}” is not a time zone; use for example Europe/London.")


class Show(models.Model):
    """One year's party."""

    name = models.CharField(max_length=100, help_text="As visitors know it, for example “UK Pinball Party 2010”.")
    slug = models.SlugField(unique=True, help_text="The show's part of every address, for example ukpp-2010.")
    starts_on = models.DateField("first day")
    ends_on = models.DateField("last day")
    venue = models.CharField(max_length=200, blank=True)
    time_zone = models.CharField(
        max_length=50, default="Europe/London", validators=[known_time_zone], help_text="Every time is shown in it."
    )
    rehearsal = models.BooleanField(default=False, editable=False)
    revision = models.PositiveIntegerField(default=0, editable=False)

    class Meta:
        ordering = ["-starts_on", "slug"]
        constraints = [
            models.CheckConstraint(
                condition=models.Q(ends_on__gte=models.F("starts_on")),
                name="show_ends_after_it_starts",
                violation_error_message="The last day is before the first.",
            )
        ]

    def __str__(self) -> str:
        return self.name

    @property
    def zone(self) -> ZoneInfo:
        return ZoneInfo(self.time_zone)


class Tournament(models.Model):
    """One competition of a show. `revision` rises by one with every change that anybody can see."""

    show = models.ForeignKey(Show, on_delete=models.PROTECT, related_name="tournaments")
    name = models.CharField(max_length=100)
    slug = models.SlugField(help_text="The tournament's part of every address, for example open.")
    format = models.CharField(max_length=30, choices=formats.choices)
    rules = models.JSONField(default=dict, blank=True)
    starts_on = models.DateField("day")
    results_declared_at = models.DateTimeField(null=True, blank=True, editable=False)
    results_held_back = models.BooleanField(default=False, editable=False)
    revision = models.PositiveIntegerField(default=0, editable=False)

    class Meta:
        ordering = ["show", "starts_on", "slug"]
        constraints = [
            models.UniqueConstraint(
                fields=["show", "slug"],
                name="tournament_slug_once_in_a_show",
                violation_error_message="The show has another tournament with this slug.",
            )
        ]

    def __str__(self) -> str:
        return f"{self.name}, {self.show.name}"

    def get_absolute_url(self) -> str:
        return reverse("public:tournament", args=[self.show.slug, self.slug])

    @property
    def path(self) -> str:
        """How commands name it: show/tournament."""
        return f"{self.show.slug}/{self.slug}"

    @property
    def kind(self) -> formats.Format:
        return formats.get(self.format)

    @property
    def rules_in_force(self) -> Any:
        """The rules as the format's dataclass."""
        return formats.read_rules(self.kind.Rules, self.rules)

    @property
    def age_limit(self) -> int | None:
        """Whoever competes is younger than this on the day; None where anybody may."""
        return self.kind.age_limit(self.rules_in_force)


class Stage(models.Model):
    """A stage of a tournament. The state says what people decided; `phase` also looks at the clock."""

    class State(models.TextChoices):
        PLANNED = "planned", "planned"
        OPEN = "open", "open"
        CLOSED = "closed", "closed"

    tournament = models.ForeignKey(Tournament, on_delete=models.PROTECT, related_name="stages")
    key = models.SlugField()
    position = models.PositiveSmallIntegerField()
    state = models.CharField(max_length=10, choices=State.choices, default=State.PLANNED, editable=False)
    opens_at = models.DateTimeField(null=True, blank=True, help_text="When play is due to begin, for people to read.")
    closes_at = models.DateTimeField(null=True, blank=True, help_text="From then on no new game may start.")
    opened_at = models.DateTimeField(null=True, blank=True, editable=False)
    closed_at = models.DateTimeField(null=True, blank=True, editable=False)
    open_round = models.PositiveSmallIntegerField(default=1, editable=False)

    class Meta:
        ordering = ["tournament_id", "position"]
        constraints = [
            models.UniqueConstraint(fields=["tournament", "key"], name="stage_key_once_in_a_tournament"),
        ]

    def __str__(self) -> str:
        return self.label

    @property
    def spec(self) -> formats.StageSpec:
        return next(spec for spec in self.tournament.kind.stages if spec.key == self.key)

    @property
    def label(self) -> str:
        return self.spec.label

    @property
    def left_out(self) -> bool:
        """Whether it is not played at all, because too few went on: closed without ever having been open."""
        return self.state == self.State.CLOSED and self.opened_at is None

    def phase(self, now: datetime) -> Phase:
        """How far the stage is at this moment: open becomes closing by itself at `closes_at`.

        Source: house rules, "16:00: no new game starts, running ones finish".
        """
        if self.state == self.State.OPEN and self.closes_at is not None and now >= self.closes_at:
            return Phase.CLOSING
        return Phase(self.state)
