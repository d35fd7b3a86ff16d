from django.core.validators import RegexValidator
from django.db import models
from django.db.models.functions import Lower

from tournaments.domain.facts import MachineState
from tournaments.models.show import Show, Stage


class Machine(models.Model):
    """A physical machine of the show."""

    show = models.ForeignKey(Show, on_delete=models.PROTECT, related_name="machines")
    code = models.CharField(
        max_length=10,
        validators=[RegexValidator(r"^[A-Za-z0-9]+$", "A code is letters and digits only, for example TZ.")],
        help_text="Short, as officials write it on a slip, for example TZ.",
    )
    name = models.CharField(max_length=100)
    manufacturer = models.CharField("maker", max_length=100, blank=True)
    year = models.PositiveSmallIntegerField(null=True, blank=True)
    in_order = models.BooleanField("in order", default=True, editable=False)

    class Meta:
        ordering = ["show_id", "name", "code"]
        constraints = [
            models.UniqueConstraint(
                "show",
                Lower("code"),
                name="machine_code_once_in_a_show",
                violation_error_message="The show has another machine with this code.",
            )
        ]

    def __str__(self) -> str:
        return f"{self.name} ({self.code})"


class StageMachine(models.Model):
    """A machine used in a stage.

    One that is withdrawn may have a substitute; `factor` is what its scores are multiplied by to be ranked there.
    """

    class State(models.TextChoices):
        OPEN = MachineState.OPEN, "open"
        LET_STAND = MachineState.LET_STAND, "closed, scores stand"
        CANCELLED = MachineState.CANCELLED, "cancelled"
        RESCALED = MachineState.RESCALED, "withdrawn, scores rescaled"

    stage = models.ForeignKey(Stage, on_delete=models.PROTECT, related_name="stage_machines")
    machine = models.ForeignKey(Machine, on_delete=models.PROTECT, related_name="stage_machines")
    state = models.CharField(max_length=10, choices=State.choices, default=State.OPEN)
    substitute = models.ForeignKey(Machine, on_delete=models.PROTECT, null=True, blank=True, related_name="+")
    factor = models.DecimalField(max_digits=12, decimal_places=6, null=True, blank=True)
    drawn_from = models.PositiveSmallIntegerField(
        null=True, blank=True, editable=False, help_text="Out of how many machines the lot fell on this one."
    )

    class Meta:
        ordering = ["stage_id", "machine__name"]
        constraints = [
            models.UniqueConstraint(fields=["stage", "machine"], name="machine_once_in_a_stage"),
            models.CheckConstraint(
                condition=~models.Q(state="rescaled")
                | models.Q(substitute__isnull=False, factor__isnull=False, factor__gt=0),
                name="rescaled_onto_a_substitute",
            ),
            models.CheckConstraint(
                condition=models.Q(substitute=None) | ~models.Q(substitute=models.F("machine")),
                name="no_machine_for_itself",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.machine} in {self.stage}"
