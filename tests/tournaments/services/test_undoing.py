"""Whatever is ruled in whatever order: a preview is what then happens, and undone in reverse all is as it was."""

from random import Random

import pytest

from tests.tournaments.services.officials import (
    IN_MATCHES,
    IN_QUALIFYING,
    Officials,
    in_qualifying,
    in_the_semi_finals,
)
from tournaments.domain.refusals import Refusal
from tournaments.models import Ruling
from tournaments.services import effects, exchange, rulings
from tournaments.services.undoing import rows

STEPS = 14


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


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize(("begin", "acts"), [(in_qualifying, IN_QUALIFYING), (in_the_semi_finals, IN_MATCHES)])
def test_rulings_undone_in_reverse_leave_everything_as_it_was_and_a_preview_is_what_happens(begin, acts, seed):
    random = Random(seed)
    world = begin(random)
    officials = Officials(world, random)
    states = [(exchange.dump(world.tournament), rows(world.tournament))]
    states += [
        (exchange.dump(world.tournament), rows(world.tournament))
        for _ in range(STEPS)
        if tried(world.tournament, random.choice(acts)(officials))
    ]
    made = list(Ruling.objects.order_by("-pk"))
    assert len(made) == len(states) - 1 > 2
    for ruling in made:
        states.pop()
        act_as_shown(
            world.tournament, lambda shown, r=ruling: rulings.undo_ruling(r, actor=None, reason="appeal", shown=shown)
        )
        files, stored = exchange.dump(world.tournament), rows(world.tournament)
        assert stored == states[-1][1]
        assert files == states[-1][0]
    assert not Ruling.objects.filter(undone_at=None).exists()
