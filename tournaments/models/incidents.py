from django.conf import settings
from django.db import models

from tournaments.models.machines import Machine
from tournaments.models.people import Entry


class Incident(models.Model):
    """A fault that somebody reported on a machine: a page in its incident book, ended when it is repaired.

    A report made by mistake is taken back by filling in `undone_at`, never by deleting. `what` may be empty: whoever
    closes a machine with one tap need not know what is wrong with it.
    """

    machine = models.ForeignKey(Machine, on_delete=models.PROTECT, related_name="incidents")
    what = models.CharField("what is wrong", max_length=300, blank=True)
    out_of_order = models.BooleanField("out of order", default=True)
    reported_at = models.DateTimeField()
    reported_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, blank=True, related_name="+"
    )
    repaired_at = models.DateTimeField(null=True, blank=True)
    repaired_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, blank=True, related_name="+"
    )
    repair = models.CharField("what was done", max_length=300, blank=True)
    undone_at = models.DateTimeField(null=True, blank=True)
    undone_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, blank=True, related_name="+"
    )

    class Meta:
        ordering = ["machine_id", "-reported_at", "-pk"]

    def __str__(self) -> str:
        return f"{self.machine}: {self.words}"

    @property
    def words(self) -> str:
        """What is wrong, in words also where nobody has said it."""
        return self.what or ("out of order" if self.out_of_order else "a fault")


class Waiting(models.Model):
    """Somebody who waits for a machine to be repaired, to be called when it is."""

    incident = models.ForeignKey(Incident, on_delete=models.PROTECT, related_name="waiting")
    entry = models.ForeignKey(Entry, on_delete=models.PROTECT, related_name="+")
    since = models.DateTimeField()

    class Meta:
        ordering = ["incident_id", "since", "entry__number"]
        verbose_name_plural = "waiting"
        constraints = [models.UniqueConstraint(fields=["incident", "entry"], name="waits_once_for_a_machine")]

    def __str__(self) -> str:
        return f"{self.entry} waits for {self.incident.machine}"
