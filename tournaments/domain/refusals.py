"""The three ways the software says no to a person.

Source: house rules, "an order is needed ... the software says so, names them, and asks".
Anything else that goes wrong is a bug and may crash.
"""


class Refusal(Exception):
    """A "no" that a person can do something about.

    `sentence` names the player, machine and place. `field` is the form field it belongs to, if one does.
    """

    status = 422

    def __init__(self, sentence: str, *, field: str = "") -> None:
        super().__init__(sentence)
        self.sentence = sentence
        self.field = field


class Stale(Refusal):
    """The form was filled in from something that has changed since; `seen` and `now` are both values."""

    status = 409

    def __init__(self, sentence: str, *, seen: str = "", now: str = "") -> None:
        super().__init__(sentence)
        self.seen = seen
        self.now = now


class NeedsDecision(Refusal):
    """Nothing is wrong, but a person has to decide first: a tie, a missing result, a doubtful score.

    `settle` is the key of the act that settles it ("tie", "lots", "outstanding", "doubtful"); `about` are the ids of
    the entries it concerns.
    """

    status = 409

    def __init__(self, sentence: str, *, settle: str, about: tuple[int, ...] = (), field: str = "") -> None:
        super().__init__(sentence, field=field)
        self.settle = settle
        self.about = about
