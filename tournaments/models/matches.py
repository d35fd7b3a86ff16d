from django.db import models
from django.db.models import Q

from tournaments.models.machines import Machine
from tournaments.models.people import Entry
from tournaments.models.show import Stage


class Match(models.Model):
    """Two to four entries on one machine in a round of a stage."""

    class State(models.TextChoices):
        PLANNED = "planned", "planned"
        CALLED = "called", "called"
        WARM_UP = "warm-up", "warming up"
        PLAYING = "playing", "playing"
        DONE = "done", "done"
        VOID = "void", "void"

    UNDER_WAY = (State.CALLED, State.WARM_UP, State.PLAYING)

    stage = models.ForeignKey(Stage, on_delete=models.PROTECT, related_name="matches")
    round = models.PositiveSmallIntegerField()
    order = models.PositiveSmallIntegerField()
    machine = models.ForeignKey(Machine, on_delete=models.PROTECT, related_name="matches")
    state = models.CharField(max_length=10, choices=State.choices, default=State.PLANNED)
    called_at = models.DateTimeField(null=True, blank=True)
    warm_up_at = models.DateTimeField(null=True, blank=True)
    swapped_at = models.DateTimeField(null=True, blank=True)
    started_at = models.DateTimeField(null=True, blank=True)
    done_at = models.DateTimeField(null=True, blank=True)
    revision = models.PositiveIntegerField(default=0)

    class Meta:
        ordering = ["stage_id", "round", "order"]
        verbose_name_plural = "matches"
        constraints = [
            models.UniqueConstraint(
                fields=["stage", "round", "machine"],
                condition=~Q(state="void"),
                name="machine_once_in_a_round",
            ),
            models.UniqueConstraint(
                fields=["stage", "round", "order"], condition=~Q(state="void"), name="order_once_in_a_round"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.stage.label}, game {self.round} on {self.machine}"


class Side(models.Model):
    """An entry in a match. `rank` 1 chooses first; `choice` is the playing position chosen."""

    match = models.ForeignKey(Match, on_delete=models.PROTECT, related_name="sides")
    entry = models.ForeignKey(Entry, on_delete=models.PROTECT, related_name="sides")
    rank = models.PositiveSmallIntegerField()
    choice = models.PositiveSmallIntegerField(null=True, blank=True)
    absent = models.BooleanField(default=False)
    agreed_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["match_id", "rank"]
        constraints = [
            models.UniqueConstraint(fields=["match", "entry"], name="entry_once_in_a_match"),
            models.UniqueConstraint(fields=["match", "rank"], name="rank_once_in_a_match"),
            models.UniqueConstraint(fields=["match", "choice"], name="position_chosen_once_in_a_match"),
        ]

    def __str__(self) -> str:
        return f"{self.entry} in {self.match}"
