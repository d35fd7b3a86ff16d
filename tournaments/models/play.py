from django.conf import settings
from django.db import models
from django.db.models import Q

from tournaments.domain.scores import HIGHEST
from tournaments.models.machines import Machine
from tournaments.models.matches import Match
from tournaments.models.people import Entry
from tournaments.models.show import Stage


class Seat(models.Model):
    """An entry in a stage with its seed, frozen when the cut is declared."""

    stage = models.ForeignKey(Stage, on_delete=models.PROTECT, related_name="seats")
    entry = models.ForeignKey(Entry, on_delete=models.PROTECT, related_name="seats")
    seed = models.PositiveSmallIntegerField()
    group = models.CharField(max_length=5, blank=True, help_text="Where the stage is played in groups, which one.")
    why = models.CharField(max_length=300, blank=True)

    class Meta:
        ordering = ["stage_id", "seed"]
        constraints = [
            models.UniqueConstraint(fields=["stage", "entry"], name="one_seat_for_an_entry"),
            models.UniqueConstraint(fields=["stage", "seed"], name="one_seat_for_a_seed"),
        ]

    def __str__(self) -> str:
        return f"seed {self.seed}: {self.entry}"


class Score(models.Model):
    """One entry's game on one machine in a stage.

    `attempt` counts an entry's games on this machine and `slot` its games in the stage; both are given to live
    scores only once, so that two tablets or two servers can never make a second game of one. A discarded score is
    live, as its game was played, but in no rank. `ranked` is the value that counts where a ruling put another one
    beside what was reached.
    """

    class State(models.TextChoices):
        PLAYING = "playing", "playing"
        RECORDED = "recorded", "recorded"
        AGREED = "agreed", "agreed"
        DISCARDED = "discarded", "discarded"
        WAITING = "waiting", "waiting for a decision"
        VOID = "void", "void"

    LIVE = (State.PLAYING, State.RECORDED, State.AGREED, State.DISCARDED)
    COUNTED = (State.RECORDED, State.AGREED)

    stage = models.ForeignKey(Stage, on_delete=models.PROTECT, related_name="scores")
    entry = models.ForeignKey(Entry, on_delete=models.PROTECT, related_name="scores")
    machine = models.ForeignKey(Machine, on_delete=models.PROTECT, related_name="scores")
    match = models.ForeignKey(Match, on_delete=models.PROTECT, null=True, blank=True, related_name="scores")
    attempt = models.PositiveSmallIntegerField(default=1)
    slot = models.PositiveSmallIntegerField(default=1)
    state = models.CharField(max_length=10, choices=State.choices)
    value = models.BigIntegerField(null=True, blank=True)
    ranked = models.BigIntegerField(null=True, blank=True)
    late = models.BooleanField(default=False)
    started_at = models.DateTimeField(null=True, blank=True)
    taken_at = models.DateTimeField(null=True, blank=True)
    recorded_at = models.DateTimeField(null=True, blank=True)
    recorded_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, blank=True, related_name="+"
    )
    source = models.CharField(max_length=20, default="slip")
    revision = models.PositiveIntegerField(default=0)

    class Meta:
        ordering = ["stage_id", "recorded_at", "pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["stage", "entry", "machine", "attempt"],
                condition=Q(state__in=["playing", "recorded", "agreed", "discarded"], match=None),
                name="one_live_score_for_an_attempt",
            ),
            models.UniqueConstraint(
                fields=["stage", "entry", "slot"],
                condition=Q(state__in=["playing", "recorded", "agreed", "discarded"], match=None),
                name="one_live_score_for_a_slot",
            ),
            models.UniqueConstraint(
                fields=["match", "entry"],
                condition=Q(state__in=["playing", "recorded", "agreed", "discarded"]),
                name="one_live_score_in_a_match",
            ),
            models.CheckConstraint(
                condition=Q(value__isnull=True) | Q(value__range=(0, HIGHEST)), name="score_within_range"
            ),
            models.CheckConstraint(
                condition=Q(ranked__isnull=True) | Q(ranked__range=(0, HIGHEST)), name="ranked_within_range"
            ),
            models.CheckConstraint(
                condition=Q(state__in=["playing", "void"]) | Q(value__isnull=False), name="score_has_a_value"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.entry} on {self.machine}: {self.value if self.value is not None else self.get_state_display()}"

    @property
    def counts(self) -> int | None:
        """The value that is ranked: what was reached, or what a ruling made of it."""
        return self.value if self.ranked is None else self.ranked
