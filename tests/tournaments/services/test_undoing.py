"""Whatever is ruled in whatever order: a preview is what then happens, and undone in reverse all is as it was."""

from contextlib import suppress
from functools import partial
from random import Random

import pytest

from tests.tournaments.services.officials import (
    AT_THE_CUT,
    IN_MATCHES,
    IN_MATCHES_WITH_TIES,
    IN_QUALIFYING,
    Officials,
    in_qualifying,
    in_the_semi_finals,
    level_at_the_cut,
    level_in_the_semi_finals,
)
from tournaments.domain.refusals import Refusal
from tournaments.models import Match, Ruling, Score
from tournaments.services import effects, exchange, rulings
from tournaments.services.undoing import rows

STEPS = 7


def act_as_shown(tournament, act):
    """Preview, act, and compare; whether a ruling was made."""
    told = effects.preview(tournament, lambda: act(""))
    before, made = effects.picture(tournament), Ruling.objects.count()
    act(told.digest)
    assert effects.compare(before, effects.picture(tournament)) == told
    return Ruling.objects.count() > made


def tried(tournament, act):
    """The same for what may be refused; then the preview has refused it too."""
    try:
        return act_as_shown(tournament, act)
    except Refusal:
        with pytest.raises(Refusal):
            effects.preview(tournament, lambda: act(""))
        return False


def chosen(officials, acts, random):
    """What one of them sets out to do; nothing where there is nothing of that kind."""
    try:
        return random.choice(acts)(officials)
    except Refusal as refused:
        return partial(_refuse, refused)


def _refuse(refusal, shown):
    raise refusal


def ruled(begin, acts, random):
    """A world in which officials have done some things, or tried to, and its rows before each ruling."""
    world = begin(random)
    officials = Officials(world, random)
    files, states = exchange.dump(world.tournament), [rows(world.tournament)]
    states += [
        rows(world.tournament) for _ in range(STEPS) if tried(world.tournament, chosen(officials, acts, random))
    ]
    return world, files, states


def undo(ruling, shown=""):
    rulings.undo_ruling(ruling, actor=None, reason="appeal", shown=shown)


WORLDS = [
    (in_qualifying, IN_QUALIFYING),
    (in_the_semi_finals, IN_MATCHES),
    (level_at_the_cut, AT_THE_CUT),
    (level_in_the_semi_finals, IN_MATCHES_WITH_TIES),
]


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize(("begin", "acts"), WORLDS)
def test_rulings_undone_in_reverse_leave_everything_as_it_was_and_a_preview_is_what_happens(begin, acts, seed):
    world, files, states = ruled(begin, acts, Random(seed))
    made = list(Ruling.objects.order_by("-pk"))
    assert len(made) == len(states) - 1 > 2
    for ruling in made:
        states.pop()
        act_as_shown(world.tournament, lambda shown, r=ruling: undo(r, shown))
        assert rows(world.tournament) == states[-1]
    assert not Ruling.objects.filter(undone_at=None).exists()
    assert exchange.dump(world.tournament) == files


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize(("begin", "acts"), WORLDS)
def test_rulings_undone_in_any_order_are_undone_whole_or_refused_with_what_rests_on_them(begin, acts, seed):
    random = Random(seed)
    world = begin(random)
    officials, before = Officials(world, random), as_played(world.tournament)
    while Ruling.objects.count() < 6:
        with suppress(Refusal):
            random.choice(acts)(officials)("")
    left = list(Ruling.objects.all())
    while left:
        random.shuffle(left)
        undone = [ruling for ruling in left if undone_whole(world.tournament, ruling)]
        assert undone, "the last one can always be taken back"
        left = [ruling for ruling in left if ruling not in undone]
    assert as_played(world.tournament) == before


def undone_whole(tournament, ruling):
    """Whether a ruling was undone; a refusal changes nothing and says what stands in the way."""
    before = rows(tournament)
    refused = refusal(lambda: undo(ruling))
    if refused:
        assert rows(tournament) == before
        assert any(words in refused for words in IN_THE_WAY), refused
        return False
    for match in Match.objects.exclude(state="void"):
        over = all(
            side.absent or side.entry.status == "disqualified" or has_played(side) for side in match.sides.all()
        )
        assert over == (match.state == "done")
    return True


IN_THE_WAY = ("decided later, rests on it; take that back first", "has played the game that was given back")


def refusal(act):
    """The sentence with which an act was refused; "" when it was not."""
    try:
        act()
    except Refusal as refused:
        return refused.sentence
    return ""


def as_played(tournament):
    """All rows, without the moment at which a match was over for the last time."""
    return {key: {f: v for f, v in image.items() if f != "done_at"} for key, image in rows(tournament).items()}


def has_played(side):
    over = ("recorded", "agreed", "discarded")
    return Score.objects.filter(match=side.match, entry=side.entry, state__in=over).exists()
