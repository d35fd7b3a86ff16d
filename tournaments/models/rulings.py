from django.conf import settings
from django.db import models

from tournaments.models.machines import Machine
from tournaments.models.people import Entry
from tournaments.models.play import Score
from tournaments.models.show import Stage, Tournament


class Ruling(models.Model):
    """What people decided, why and when; taken back by filling in `undone_at`, never by deleting."""

    class Kind(models.TextChoices):
        PLAY_OFF = "play-off", "play-off result"
        ORDER = "order", "ruling on an order"
        LOTS = "lots", "lots drawn"

    tournament = models.ForeignKey(Tournament, on_delete=models.PROTECT, related_name="rulings")
    stage = models.ForeignKey(Stage, on_delete=models.PROTECT, related_name="rulings")
    kind = models.CharField(max_length=20, choices=Kind.choices)
    data = models.JSONField(default=dict)
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
        ordering = ["stage", "decided_at", "pk"]

    def __str__(self) -> str:
        return f"{self.get_kind_display()} in {self.stage}"


class Journal(models.Model):
    """Every change, one line per revision; append only. The database refuses a revision twice."""

    tournament = models.ForeignKey(Tournament, on_delete=models.PROTECT, related_name="journal")
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

    class Meta:
        ordering = ["tournament", "-revision"]
        verbose_name_plural = "journal"
        constraints = [
            models.UniqueConstraint(fields=["tournament", "revision"], name="one_journal_line_per_revision")
        ]

    def __str__(self) -> str:
        return f"{self.revision}: {self.summary}"
