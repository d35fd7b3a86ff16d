from django.db import models

from tournaments.models import Entry, Player, Tournament


class Team(models.Model):
    """Who competes in a team tournament; its name, number and standing are those of its entry."""

    entry = models.OneToOneField(Entry, on_delete=models.PROTECT, related_name="team")
    wppr = models.DecimalField(
        "WPPR points", max_digits=8, decimal_places=2, default=0, help_text="The sum of its members' points."
    )
    note = models.CharField(max_length=200, blank=True, help_text="For the desk, for example who comes later.")

    class Meta:
        ordering = ["entry"]
        constraints = [models.CheckConstraint(condition=models.Q(wppr__gte=0), name="wppr_not_below_zero")]

    def __str__(self) -> str:
        return str(self.entry)


class TeamMember(models.Model):
    """A person in a team. Who has left a team that had begun stays noted: nobody plays for two."""

    team = models.ForeignKey(Team, on_delete=models.PROTECT, related_name="members")
    tournament = models.ForeignKey(Tournament, on_delete=models.PROTECT, related_name="+")
    player = models.ForeignKey(Player, on_delete=models.PROTECT, related_name="+")
    position = models.PositiveSmallIntegerField()
    captain = models.BooleanField(default=False)
    left_at = models.DateTimeField(null=True, blank=True, editable=False)

    class Meta:
        ordering = ["team_id", "position"]
        constraints = [
            models.UniqueConstraint(fields=["tournament", "player"], name="person_in_one_team_only"),
            models.UniqueConstraint(
                fields=["team", "position"], condition=models.Q(left_at=None), name="position_once_in_a_team"
            ),
            models.UniqueConstraint(
                fields=["team"], condition=models.Q(left_at=None, captain=True), name="one_captain_of_a_team"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.player} in {self.team}"
