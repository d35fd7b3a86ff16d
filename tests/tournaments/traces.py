"""What is written while something happens, as the database is told it, and whether the journal tells of it."""

import re
from collections import Counter
from contextlib import contextmanager

from django.db import connection

from tournaments.models import Journal, Tournament
from tournaments.services.undoing import rows

WRITE = re.compile(r'\s*(?:INSERT(?: OR \w+)? INTO|UPDATE|DELETE FROM)\s+"(?:tournaments|teams)_(\w+)"')


@contextmanager
def watched(name, several=False):
    """Fail unless everything written in the block is told in the journal: one line for each tournament and show.

    `several` is for what consists of several changes on purpose, such as an import. What raises has written nothing.
    """
    written = set()

    def note(execute, sql, params, many, context):
        table = WRITE.match(sql)
        if table:
            written.add(table[1])
        return execute(sql, params, many, context)

    last = Journal.objects.order_by("-pk").values_list("pk", flat=True).first() or 0
    before = pictures()
    with connection.execute_wrapper(note):
        yield written
    lines = Journal.objects.filter(pk__gt=last)
    of = Counter(lines.values_list("tournament", "show"))
    if written:
        assert of, f"{name} wrote {', '.join(sorted(written))} and no journal line"
    assert several or set(of.values()) <= {1}, f"{name} wrote more than one journal line of one thing"
    changed = {pk for pk, picture in pictures().items() if picture != before.get(pk, picture)}
    silent = changed - {tournament for tournament, _ in of}
    assert not silent, f"{name} changed rows of tournaments {silent} without a line in their journals"


def pictures():
    """The rows of the tournaments made last: those that a test is about."""
    return {tournament.pk: rows(tournament) for tournament in Tournament.objects.order_by("-pk")[:3]}
