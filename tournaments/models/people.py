from datetime import date

from django.conf import settings
from django.db import models
from django.db.models.functions import Lower

from tournaments.domain.facts import Standing
from tournaments.models.places import PlacePool
from tournaments.models.show import Show, Tournament


class Player(models.Model):
    """A person. Only the name, and for children only a part of it, is ever public."""

    show = models.ForeignKey(Show, on_delete=models.PROTECT, related_name="players")
    number = models.PositiveIntegerField(help_text="The same in every tournament of the show.")
    name = models.CharField(max_length=100)
    country = models.CharField(max_length=50, blank=True)
    ifpa_number = models.CharField("IFPA number", max_length=20, blank=True)
    email = models.EmailField("e-mail", blank=True, help_text="Never shown in public.")
    contact = models.CharField(
        "adult contact",
        max_length=200,
        blank=True,
        help_text="For a child: who is responsible. Never shown in public.",
    )
    account = models.OneToOneField(
        settings.AUTH_USER_MODEL,
        on_delete=models.PROTECT,
        null=True,
        blank=True,
        related_name="player",
        help_text="Of somebody who plays and helps: nobody rules on a game of their own.",
    )
    merged_into = models.ForeignKey(
        "self", on_delete=models.PROTECT, null=True, blank=True, editable=False, related_name="merged"
    )
    born_on = models.DateField(
        "date of birth",
        null=True,
        blank=True,
        help_text="For a tournament with an age limit: asked to keep to it. Never shown in public or exported.",
    )

    class Meta:
        ordering = ["show_id", "number"]
        constraints = [
            models.UniqueConstraint(fields=["show", "number"], name="player_number_once_in_a_show"),
        ]

    def __str__(self) -> str:
        return f"{self.number} {self.name}"


class Entry(models.Model):
    """Whoever competes in a tournament: a player, or several people under a name of their own."""

    class Status(models.TextChoices):
        ENTERED = "entered", "entered"
        CHECKED_IN = "checked-in", "checked in"
        WITHDRAWN = "withdrawn", "withdrawn"
        DISQUALIFIED = "disqualified", "disqualified"
        MERGED = "merged", "merged with another"

    tournament = models.ForeignKey(Tournament, on_delete=models.PROTECT, related_name="entries")
    player = models.ForeignKey(Player, on_delete=models.PROTECT, null=True, blank=True, related_name="entries")
    title = models.CharField(
        max_length=100, blank=True, help_text="The name of who competes where it is no one person."
    )
    number = models.PositiveIntegerField()
    status = models.CharField(max_length=12, choices=Status.choices, default=Status.ENTERED)
    pool = models.ForeignKey(PlacePool, on_delete=models.PROTECT, null=True, blank=True, related_name="entries")
    entered_at = models.DateTimeField()
    age_checked_at = models.DateTimeField(
        null=True, blank=True, editable=False, help_text="When an adult showed that the age limit is kept."
    )

    class Meta:
        ordering = ["tournament_id", "number"]
        verbose_name_plural = "entries"
        constraints = [
            models.UniqueConstraint(fields=["tournament", "number"], name="number_once_in_a_tournament"),
            models.UniqueConstraint(fields=["tournament", "player"], name="player_once_in_a_tournament"),
            models.UniqueConstraint(
                "tournament",
                Lower("title"),
                condition=~models.Q(title=""),
                name="title_once_in_a_tournament",
                violation_error_message="The tournament has another entry of this name.",
            ),
            models.CheckConstraint(
                condition=models.Q(player=None) ^ models.Q(title=""), name="entry_of_a_player_or_with_a_title"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.number} {self.name}"

    @property
    def name(self) -> str:
        return self.player.name if self.player else self.title

    @property
    def person(self) -> Player:
        """The player; raises `LookupError` where it is no one person that competes."""
        if self.player is None:
            raise LookupError(f"{self} is not one person.")
        return self.player

    @property
    def born_on(self) -> date | None:
        """The player's date of birth, as far as it is known."""
        return self.player.born_on if self.player else None

    @property
    def country(self) -> str:
        """The player's country, as far as it is known."""
        return self.player.country if self.player else ""

    @property
    def ifpa_number(self) -> str:
        """The player's number in the world rankings, as far as it is known."""
        return self.player.ifpa_number if self.player else ""

    @property
    def age_known(self) -> bool:
        """Whether there is a date of birth, which was compared with the age limit, or somebody was shown the age."""
        return self.born_on is not None or self.age_checked_at is not None

    @property
    def standing(self) -> Standing:
        return STANDINGS.get(self.status, Standing.IN)


STANDINGS = {
    Entry.Status.WITHDRAWN.value: Standing.WITHDRAWN,
    Entry.Status.DISQUALIFIED.value: Standing.DISQUALIFIED,
    # In no list; where one is asked about all the same, it competes no more.
    Entry.Status.MERGED.value: Standing.WITHDRAWN,
}
