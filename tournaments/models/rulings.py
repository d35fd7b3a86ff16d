from typing import Any

from django.conf import settings
from django.db import models

from tournaments.models.machines import Machine
from tournaments.models.matches import Match
from tournaments.models.people import Entry
from tournaments.models.play import Score
from tournaments.models.show import Show, Stage, Tournament


def nothing_changed() -> dict[str, Any]:
    """What a ruling that only settles an order has changed: no row."""
    return {"rows": [], "following": {}}


class Ruling(models.Model):
    """What people decided, why and when; taken back by filling in `undone_at`, never by deleting.

    `changes` are the rows that the ruling changed, as they were before and after: what taking it back puts back.
    """

    class Kind(models.TextChoices):
        PLAY_OFF = "play-off", "play-off result"
        ORDER = "order", "ruling on an order"
        LOTS = "lots", "lots drawn"
        SEEDING = "seeding", "order of seeds"
        PLAYED_ON = "played-on", "fault, played on"
        STOPPED = "stopped", "fault, game stopped"
        EXTRA_BALL = "extra-ball", "extra ball, next ball not played"
        EXTRA_BALL_80 = "extra-ball-80", "extra ball, 80 %"
        EXTRA_BALL_ZERO = "extra-ball-zero", "extra ball, zero"
        SLAM_TILT = "slam-tilt", "slam tilt"
        ADJUSTED = "adjusted", "score adjusted"
        ZERO = "zero", "score set to zero"
        DISCARDED = "discarded", "game discarded"
        CORRECTED = "corrected", "late correction"
        VOIDED = "void", "late void"
        WARNING = "warning", "warning"
        OUT_OF_MATCH = "out-of-match", "disqualified from the match"
        REPLAYED = "replayed", "match stopped, played again"
        DISQUALIFIED = "disqualified", "disqualified from the tournament"
        REPLACED = "replaced", "replacement"
        NO_SHOWS = "no-shows", "no-shows withdrawn"
        MACHINE = "machine", "machine withdrawn"
        MERGED = "merged", "two records of one person"

    ORDERS = (Kind.PLAY_OFF, Kind.ORDER, Kind.LOTS)
    """The kinds that settle an order; their `data` has it."""

    tournament = models.ForeignKey(Tournament, on_delete=models.PROTECT, related_name="rulings")
    stage = models.ForeignKey(Stage, on_delete=models.PROTECT, related_name="rulings", null=True, blank=True)
    kind = models.CharField(max_length=20, choices=Kind.choices)
    score = models.ForeignKey(Score, on_delete=models.PROTECT, related_name="rulings", null=True, blank=True)
    match = models.ForeignKey(Match, on_delete=models.PROTECT, related_name="rulings", null=True, blank=True)
    entry = models.ForeignKey(Entry, on_delete=models.PROTECT, related_name="rulings", null=True, blank=True)
    machine = models.ForeignKey(Machine, on_delete=models.PROTECT, related_name="rulings", null=True, blank=True)
    data = models.JSONField(default=dict)
    changes = models.JSONField(default=nothing_changed, blank=True)
    reason = models.CharField(max_length=500, blank=True)
    decided_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, blank=True, related_name="+"
    )
    decided_at = models.DateTimeField()
    undone_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, blank=True, related_name="+"
    )
    undone_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["stage_id", "decided_at", "pk"]

    def __str__(self) -> str:
        return f"{self.get_kind_display()} in {self.stage or self.tournament.name}"

    @property
    def decider(self) -> str:
        """Who decided it, as the desk reads it: a login, or what a folder said of it."""
        if self.decided_by:
            return self.decided_by.get_username()
        if "decided_by" in self.data:
            return f"imported, decided by {self.data['decided_by']}" if self.data["decided_by"] else "imported"
        return "at the server"


class Journal(models.Model):
    """Every change, one line per revision; append only. The database refuses a revision twice.

    A line is of a tournament, or of what the tournaments of a show share: then it has the show and its revision.
    """

    tournament = models.ForeignKey(Tournament, on_delete=models.PROTECT, related_name="journal", null=True, blank=True)
    show = models.ForeignKey(Show, on_delete=models.PROTECT, related_name="journal", null=True, blank=True)
    revision = models.PositiveIntegerField()
    at = models.DateTimeField()
    actor = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, blank=True, related_name="+"
    )
    action = models.CharField(max_length=40)
    summary = models.CharField(max_length=500)
    before = models.JSONField(null=True, blank=True)
    after = models.JSONField(null=True, blank=True)
    reason = models.CharField(max_length=500, blank=True)
    client_key = models.CharField(max_length=64, null=True, blank=True, unique=True)
    digest = models.CharField(max_length=64, blank=True)
    score = models.ForeignKey(Score, on_delete=models.PROTECT, null=True, blank=True, related_name="journal")
    other_score = models.ForeignKey(Score, on_delete=models.PROTECT, null=True, blank=True, related_name="+")
    entry = models.ForeignKey(Entry, on_delete=models.PROTECT, null=True, blank=True, related_name="journal")
    machine = models.ForeignKey(Machine, on_delete=models.PROTECT, null=True, blank=True, related_name="journal")
    ruling = models.ForeignKey(Ruling, on_delete=models.PROTECT, null=True, blank=True, related_name="journal")

    class Meta:
        ordering = ["tournament_id", "-revision"]
        verbose_name_plural = "journal"
        constraints = [
            models.UniqueConstraint(fields=["tournament", "revision"], name="one_journal_line_per_revision"),
            models.UniqueConstraint(fields=["show", "revision"], name="one_journal_line_per_show_revision"),
            models.CheckConstraint(
                condition=models.Q(tournament=None) ^ models.Q(show=None), name="journal_line_of_one_of_both"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.revision}: {self.summary}"
