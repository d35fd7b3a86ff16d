from django.db import models

from tournaments.models.people import Entry
from tournaments.models.show import Tournament


class FinalPlace(models.Model):
    """Where an entry ended, as declared; without a place there is a reason."""

    tournament = models.ForeignKey(Tournament, on_delete=models.PROTECT, related_name="final_places")
    entry = models.OneToOneField(Entry, on_delete=models.PROTECT, related_name="final_place")
    place = models.PositiveIntegerField(null=True, blank=True)
    shared = models.BooleanField(default=False)
    why = models.CharField(max_length=300)

    class Meta:
        ordering = [
            "tournament",
            models.F("place").asc(nulls_last=True),
            "entry__number",
        ]

    def __str__(self) -> str:
        return f"{self.place or 'no place'}: {self.entry}"
