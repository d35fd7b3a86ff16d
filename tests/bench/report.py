"""What was measured, with the limit beside it."""

from dataclasses import dataclass, field


class BenchError(Exception):
    """Nothing can be measured, or what was measured is worth nothing; says why."""


@dataclass
class Report:
    """Prints every figure as it comes and remembers which limits were missed."""

    missed: list[str] = field(default_factory=list)

    def section(self, title: str) -> None:
        """Begin a group of figures."""
        print(f"\n  {title}", flush=True)

    def note(self, what: str, figure: str) -> None:
        """A figure that nothing is demanded of."""
        self._line(what, figure)

    def at_most(self, what: str, value: float, limit: float, unit: str = "") -> None:
        """A figure that must not be above the limit."""
        self._judge(what, value, f"at most {_number(limit)}{unit}", value <= limit, unit)

    def at_least(self, what: str, value: float, limit: float) -> None:
        """A figure that must not be below the limit."""
        self._judge(what, value, f"at least {_number(limit)}", value >= limit)

    def exactly(self, what: str, value: int, wanted: int) -> None:
        """A count that must be this one."""
        self._judge(what, value, f"exactly {_number(wanted)}", value == wanted)

    def _judge(self, what: str, value: float, demand: str, met: bool, unit: str = "") -> None:
        self._line(what, f"{_number(value)}{unit}", demand, "met" if met else "NOT MET")
        if not met:
            self.missed.append(f"{what}: {_number(value)}{unit}, {demand} demanded")

    def _line(self, what: str, figure: str, demand: str = "", verdict: str = "") -> None:
        print(f"    {what:<56} {figure:>12}   {demand:<16} {verdict}".rstrip(), flush=True)


def _number(value: float) -> str:
    return f"{value:,}" if isinstance(value, int) else f"{value:.2f}"
