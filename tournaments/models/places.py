from datetime import datetime

from django.db import models

from tournaments.models.show import Tournament


class PlacePool(models.Model):
    """Places of one kind on sale. The database itself never lets more be taken than there are."""

    class Kind(models.TextChoices):
        PRE_REGISTERED = "pre-registered", "pre-registered"
        LAST_CHANCE = "last-chance", "last-chance"
        ADDITIONAL = "additional", "additional"

    tournament = models.ForeignKey(Tournament, on_delete=models.PROTECT, related_name="pools")
    kind = models.CharField(max_length=20, choices=Kind.choices)
    capacity = models.PositiveIntegerField(help_text="How many places there are in all.")
    taken = models.PositiveIntegerField(default=0, editable=False)
    opens_at = models.DateTimeField(
        null=True, blank=True, help_text="From when places are on sale; empty: from the beginning."
    )
    closes_at = models.DateTimeField(null=True, blank=True, help_text="Until when places are on sale; empty: no end.")

    class Meta:
        ordering = ["tournament_id", "kind"]
        constraints = [
            models.UniqueConstraint(fields=["tournament", "kind"], name="one_pool_of_a_kind"),
            models.CheckConstraint(
                condition=models.Q(taken__lte=models.F("capacity")),
                name="places_taken_never_above_capacity",
                violation_error_message="More places are taken than that.",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.get_kind_display()} places"

    def begins_later(self, moment: datetime) -> bool:
        """Whether the sale has not begun at this moment."""
        return self.opens_at is not None and moment < self.opens_at

    def is_over(self, moment: datetime) -> bool:
        """Whether the sale has ended at this moment."""
        return self.closes_at is not None and moment >= self.closes_at

    def on_sale(self, moment: datetime) -> bool:
        """Whether a place can be taken at this moment, as long as there is one."""
        return not self.begins_later(moment) and not self.is_over(moment)
