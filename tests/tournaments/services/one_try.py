"""One try in a server process of its own, started by test_at_once.

Connects, says "ready", waits for the word on standard input, tries what its argument asks for, and prints what came
of it: {"done": …}, {"refused": sentence} or {"constraint": message}.
"""

import json
import sys

import django

django.setup()

from django.db import IntegrityError, connection  # noqa: E402
from django.utils import timezone  # noqa: E402

from tournaments.domain.refusals import Refusal  # noqa: E402
from tournaments.models import Entry, Machine, Match, Score, Stage, Tournament  # noqa: E402
from tournaments.services import entries, machines, matches, scores  # noqa: E402


def record(stage, entry, machine, value, key=""):
    taken = scores.record(_stage(stage), actor=None, **_who(entry, machine), value=value, sure=value, key=key)
    return [taken.score.pk, taken.repeated]


def record_in_match(match, entry, value, key=""):
    chosen = Match.objects.select_related("stage__tournament__show", "machine").get(pk=match)
    taken = matches.record(chosen, actor=None, entry=entry, value=value, sure=value, key=key)
    return [taken.score.pk, taken.repeated]


def correct(score, value):
    chosen = Score.objects.select_related("stage__tournament__show").get(pk=score)
    seen = chosen.revision
    return scores.correct(chosen, actor=None, seen=seen, reason="misread", value=value, sure=value)


def start(stage, entry, machine):
    return scores.start(_stage(stage), actor=None, **_who(entry, machine)).pk


def register(tournament, name, place):
    chosen = Tournament.objects.select_related("show").get(pk=tournament)
    return entries.register(chosen, actor=None, name=name, place=place).number


def use_only_in(machine, stage):
    chosen = Machine.objects.select_related("show").get(pk=machine)
    machines.change_details(chosen, actor=None, name=chosen.name, used_in=[_stage(stage)])


def insert(stage, entry, machine, attempt, slot):
    """What a service without any check would do."""
    values = {"stage_id": stage, "entry_id": entry, "machine_id": machine, "attempt": attempt, "slot": slot}
    return Score.objects.create(**values, state=Score.State.RECORDED, value=1, recorded_at=timezone.now()).pk


def _stage(pk):
    return Stage.objects.select_related("tournament__show").get(pk=pk)


def _who(entry, machine):
    return {
        "entry": Entry.objects.select_related("player").get(pk=entry),
        "machine": Machine.objects.get(pk=machine),
    }


ATTEMPTS = {
    "record": record,
    "record in match": record_in_match,
    "correct": correct,
    "start": start,
    "register": register,
    "insert": insert,
    "use only in": use_only_in,
}


def main():
    attempt = ATTEMPTS[sys.argv[1]]
    wanted = json.loads(sys.argv[2])
    connection.ensure_connection()
    sys.stdout.write("ready\n")
    sys.stdout.flush()
    sys.stdin.readline()
    try:
        came_of_it = {"done": attempt(**wanted)}
    except Refusal as refusal:
        came_of_it = {"refused": refusal.sentence}
    except IntegrityError as error:
        came_of_it = {"constraint": str(error)}
    sys.stdout.write(json.dumps(came_of_it) + "\n")


if __name__ == "__main__":
    main()
