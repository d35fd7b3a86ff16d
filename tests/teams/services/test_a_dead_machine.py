"""A machine that dies in the middle of an evening, and a copy of that evening elsewhere."""

import pytest

from tests.teams.evening import Evening
from tournaments.models import Show, StageMachine, Tournament
from tournaments.services import exchange, redraw, reports, stages

pytestmark = pytest.mark.django_db


def test_an_evening_with_a_substitute_for_a_bonus_machine_is_the_same_in_a_copy():
    evening = Evening(8)
    evening.begin(machines=8)
    spare = evening.hall(9)[-1]
    evening.play({1: 500})
    dead = evening.match(1).machine
    redraw.publish(evening.groups, actor=None, out={dead.pk: spare.pk}, reason="it died")
    assert evening.match(1).machine == dead
    assert evening.match(6).machine == spare
    evening.play_all()
    stages.close_stage(evening.groups, actor=None)

    files = exchange.dump(evening.tournament)
    files["tournament.toml"] = files["tournament.toml"].replace(b'show_slug = "party"', b'show_slug = "copy"')
    exchange.import_files(files, actor=None)

    copy = Tournament.objects.get(show=Show.objects.get(slug="copy"))
    assert StageMachine.objects.get(stage__tournament=copy, machine__code=dead.code).state == "let-stand"
    tables = [
        [(line.group, line.position, line.entry.number, line.points) for line in reports.of_stage(stage)]
        for stage in (evening.groups, copy.stages.get(key="groups"))
    ]
    assert tables[0] == tables[1]
