"""How old somebody is on a day."""

from datetime import date

OLDEST = 120
"""Nobody was born longer ago, in years; whoever types it has mistyped the year."""


def age_on(day: date, born_on: date) -> int:
    """Whole years on this day. Who was born on 29 February is a year older on 1 March where there is none."""
    before_the_birthday = (day.month, day.day) < (born_on.month, born_on.day)
    return day.year - born_on.year - before_the_birthday
