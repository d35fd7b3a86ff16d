"""The three ways the software says no to a person.

Source: house rules, "an order is needed ... the software says so, names them, and asks".
Anything else that goes wrong is a bug and may crash.
"""

from typing import NamedTuple


class Step(NamedTuple):
    """The one thing to do before what was refused: an act of `STEPS` and the id of what it is done to."""

    act: str
    of: int


UNDO_RULING, VOID_SCORE, UNDO_SCORE = "undo-ruling", "void-score", "undo-score"
BREAK_OFF, PRESENT, ABSENT = "break-off", "present", "absent"
REOPEN, WITHDRAW_CUT, UNDO_REDRAW, UNDO_RESULTS = "reopen", "withdraw-cut", "undo-redraw", "undo-results"
STEPS = {
    UNDO_RULING: "Take that ruling back",
    VOID_SCORE: "To that score",
    UNDO_SCORE: "To that score",
    BREAK_OFF: "To that match",
    PRESENT: "To that match",
    ABSENT: "To that match",
    REOPEN: "Open it again",
    WITHDRAW_CUT: "To the cut",
    UNDO_REDRAW: "To the re-draw",
    UNDO_RESULTS: "To the results",
}
"""What a refusal may name as the next step, and what the link to it says. Of a ruling, a score, a match (break off), a
side of one (present, absent), a stage or a tournament."""


class Refusal(Exception):
    """A "no" that a person can do something about.

    `sentence` names the player, machine and place. `field` is the form field it belongs to, if one does. `step` is
    what the sentence says has to be done first, where that is one thing: it then is possible, or names the next one.
    """

    status = 422

    def __init__(self, sentence: str, *, field: str = "", step: Step | None = None) -> None:
        super().__init__(sentence)
        self.sentence = sentence
        self.field = field
        self.step = step


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
