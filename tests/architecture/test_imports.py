"""The directions in which the code may look, read from the syntax tree.

pinparty -> any app; open, teams -> tournaments, never back and never each other. Inside the apps, from the top down:
views, admin, commands -> forms, permissions -> services -> selectors -> models -> formats -> domain.
Each rule is proved by planting the fault it is there to find.
"""

import ast
import re
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]

# The second part of a module's name -> its level. A module may look at its own level and at those below.
LEVELS = {
    "domain": 0,
    "formats": 1,
    "format": 1,
    "models": 2,
    "line_ups": 2,
    "questions": 2,
    "selectors": 3,
    "services": 4,
    "forms": 5,
    "permissions": 5,
    "views": 6,
    "admin": 6,
    "management": 6,
    "apps": 6,
    "jinja": 6,
    "live": 6,
    "middleware": 6,
    "templatetags": 6,
    "urls": 6,
    "urls_public": 6,
    "urls_desk": 6,
    "urls_official": 6,
    "urls_organiser": 6,
    "urls_paper": 6,
}
PURE = 1  # up to this level: standard library and our own pure modules only
APPS_BELOW = {"tournaments": set(), "open": {"tournaments"}, "teams": {"tournaments"}}
OURS = {*APPS_BELOW, "pinparty"}
TRANSACTIONS = Path("tournaments/services/change.py")

FORMAT_KEYS = {"open", "classic", "kids", "team"}
# "open" is also the state of a stage, and a team is also a noun: those two count only beside the word format.
TELLING_KEYS = {"classic", "kids"}
FORMAT_NAMES = {"format", "format_key"}
FORMAT_IN_TEMPLATE = re.compile(r"""\bformat(?:\.key|_key)?\s*(?:==|!=|in)\s*["']""")


def faults(root: Path) -> list[str]:
    found = []
    for app in APPS_BELOW:
        for path in sorted((root / app).rglob("*.py")):
            relative = path.relative_to(root)
            if "migrations" in relative.parts:
                continue
            tree = ast.parse(path.read_text(encoding="utf-8"))
            found += [f"{relative}:{line}: {what}" for line, what in module_faults(relative, tree)]
    for folder in ("templates/tournaments", "templates/ui"):
        for path in sorted((root / folder).rglob("*.*")):
            if FORMAT_IN_TEMPLATE.search(path.read_text(encoding="utf-8")):
                found.append(f"{path.relative_to(root)}: names a format")
    return found


def module_faults(path: Path, tree: ast.Module) -> Iterator[tuple[int, str]]:
    app, layer = path.parts[0], path.with_suffix("").parts[1]
    if layer == "__init__":
        level = PURE
    elif layer in LEVELS:
        level = LEVELS[layer]
    else:
        yield 1, f"has no place in the layers: {layer}"
        return
    for node in ast.walk(tree):
        for target in imported_modules(path, node):
            what = import_fault(app, level, target)
            if what:
                yield node.lineno, what
        if isinstance(node, ast.Import) and any(name.name.split(".")[0] == "open" for name in node.names):
            yield node.lineno, "import open hides the built-in: write from open.x import y"
        if path != TRANSACTIONS and opens_transaction(node):
            yield node.lineno, "only services/change.py has transactions"
        if level <= PURE and looks_outside(node):
            yield node.lineno, "pure code has no clock and no random without a seed"
        if app == "tournaments" and names_format(node):
            yield node.lineno, "shared code never names a format"


def imported_modules(path: Path, node: ast.AST) -> list[str]:
    """`from app import module` is the same look as `import app.module`."""
    if isinstance(node, ast.Import):
        return [name.name for name in node.names]
    if not isinstance(node, ast.ImportFrom):
        return []
    module = node.module or ""
    if node.level:
        base = path.parent.parts[: len(path.parent.parts) - node.level + 1]
        module = ".".join([*base, *filter(None, [module])])
    return [f"{module}.{name.name}" for name in node.names]


def import_fault(app: str, level: int, target: str) -> str | None:
    other, *rest = target.split(".")
    if other not in OURS:
        if level <= PURE and other not in sys.stdlib_module_names:
            return f"pure code imports {target}"
        return None
    if other != app and other not in APPS_BELOW[app]:
        return f"{app} imports {target}"
    layer = rest[0] if rest else ""
    if layer not in LEVELS:
        return f"imports {target}, which has no place in the layers"
    if LEVELS[layer] > level:
        return f"looks up at {target}"
    return None


def opens_transaction(node: ast.AST) -> bool:
    if isinstance(node, ast.ImportFrom):
        names = {name.name for name in node.names}
        return node.module == "django.db.transaction" or (node.module == "django.db" and "transaction" in names)
    if isinstance(node, ast.Import):
        return any(name.name == "django.db.transaction" for name in node.names)
    return (isinstance(node, ast.Attribute) and node.attr in {"atomic", "select_for_update"}) or (
        isinstance(node, ast.Name) and node.id in {"atomic", "select_for_update"}
    )


def looks_outside(node: ast.AST) -> bool:
    if isinstance(node, ast.Import):
        return any(name.name in {"time", "secrets"} for name in node.names)
    if isinstance(node, ast.ImportFrom):
        loose = {name.name for name in node.names} - {"Random"}
        return node.module in {"time", "secrets"} or (node.module == "random" and bool(loose))
    if not isinstance(node, ast.Attribute):
        return False
    owner = ast.unparse(node.value)
    if owner == "random":
        return node.attr != "Random"
    return owner.rpartition(".")[2] in {"datetime", "date", "timezone"} and node.attr in {"now", "utcnow", "today"}


def names_format(node: ast.AST) -> bool:
    if isinstance(node, ast.Constant):
        return node.value in TELLING_KEYS
    if isinstance(node, ast.Compare):
        sides = [node.left, *node.comparators]
        return any(map(is_format, sides)) and any(strings(side) for side in sides)
    if isinstance(node, ast.Match):
        return is_format(node.subject)
    if isinstance(node, ast.keyword):
        word = (node.arg or "").rpartition("__")[2]
        return word in FORMAT_NAMES and bool(strings(node.value) & FORMAT_KEYS)
    return False


def is_format(node: ast.AST) -> bool:
    """`x.format`, `format_key`, and `x.format.key`."""
    if isinstance(node, ast.Attribute):
        return node.attr in FORMAT_NAMES or (node.attr == "key" and is_format(node.value))
    return isinstance(node, ast.Name) and node.id in FORMAT_NAMES


def strings(node: ast.AST) -> set[str]:
    return {part.value for part in ast.walk(node) if isinstance(part, ast.Constant) and isinstance(part.value, str)}


def plant(root: Path, path: str, source: str) -> list[str]:
    file = root / path
    file.parent.mkdir(parents=True)
    file.write_text(source)
    return faults(root)


def test_the_code_looks_only_where_it_may():
    assert faults(ROOT) == []


@pytest.mark.parametrize(
    ("path", "source", "fault"),
    [
        ("tournaments/views/desk.py", "from open.format import OPEN", "tournaments imports open.format"),
        ("tournaments/apps.py", "def ready():\n    import teams.format", "tournaments imports teams.format"),
        ("tournaments/forms.py", "from pinparty import settings", "tournaments imports pinparty.settings"),
        ("open/views/desk.py", "from teams import selectors", "open imports teams.selectors"),
        ("teams/views/desk.py", "from open.domain import draw", "teams imports open.domain.draw"),
        ("tournaments/selectors.py", "from tournaments.services import scores", "looks up at tournaments.services"),
        ("tournaments/selectors.py", "from tournaments import services", "looks up at tournaments.services"),
        ("tournaments/selectors.py", "from . import services", "looks up at tournaments.services"),
        ("tournaments/services/scores.py", "from ..views import desk", "looks up at tournaments.views.desk"),
        ("tournaments/services/scores.py", "from tournaments import forms", "looks up at tournaments.forms"),
        ("tournaments/services/scores.py", "from tournaments.permissions import desk", "looks up at"),
        ("tournaments/models/play.py", "import tournaments.selectors", "looks up at tournaments.selectors"),
        ("tournaments/formats.py", "from tournaments.models import Stage", "looks up at tournaments.models"),
        ("tournaments/domain/facts.py", "from tournaments import formats", "looks up at tournaments.formats"),
        ("teams/selectors.py", "from tournaments.services import scores", "looks up at tournaments.services"),
        ("tournaments/forms.py", "from tournaments.management.commands import rehearse", "looks up at"),
        ("open/domain/draw.py", "from django.conf import settings", "pure code imports django"),
        ("open/domain/draw.py", "from open.format import OPEN", "looks up at open.format"),
        ("open/format.py", "import numpy", "pure code imports numpy"),
        ("open/domain/draw.py", "import random\nrandom.shuffle([])", "no random without a seed"),
        ("open/domain/draw.py", "from random import shuffle", "no random without a seed"),
        ("tournaments/domain/facts.py", "import time", "no clock"),
        ("tournaments/domain/facts.py", "from datetime import datetime\ndatetime.now()", "no clock"),
        ("tournaments/services/scores.py", "from django.db import transaction", "only services/change.py"),
        ("tournaments/services/scores.py", "from django.db.transaction import atomic", "only services/change.py"),
        ("tournaments/views/desk.py", "import django.db.transaction", "only services/change.py"),
        ("teams/services.py", "Team.objects.select_for_update()", "only services/change.py"),
        ("teams/services/change.py", "from django.db import transaction", "only services/change.py"),
        ("tournaments/admin.py", "@db.transaction.atomic\ndef save(): ...", "only services/change.py"),
        ("tournaments/helpers.py", "", "has no place in the layers: helpers"),
        ("tournaments/views/desk.py", "from tournaments import helpers", "has no place in the layers"),
        ("open/views/desk.py", "import open", "hides the built-in"),
        ("open/views/desk.py", "import open.format", "hides the built-in"),
        ("tournaments/selectors.py", "if tournament.format == 'open': ...", "never names a format"),
        ("tournaments/selectors.py", "if format.key in ('open', 'team'): ...", "never names a format"),
        ("tournaments/selectors.py", "Tournament.objects.get(format='team')", "never names a format"),
        ("tournaments/selectors.py", "match stage.tournament.format:\n    case 'open': ...", "never names a format"),
        ("tournaments/management/commands/rehearse.py", "choices = ['classic']", "never names a format"),
        ("templates/tournaments/public/stage.html", "{% if t.format == 'open' %}", "names a format"),
    ],
)
def test_a_planted_fault_is_found(tmp_path, path, source, fault):
    found = plant(tmp_path, path, source)

    assert len(found) >= 1
    assert any(fault in line for line in found), found


@pytest.mark.parametrize(
    ("path", "source"),
    [
        ("tournaments/services/change.py", "from django.db import transaction\ntransaction.atomic()"),
        ("tournaments/services/scores.py", "from tournaments.services import change"),
        ("tournaments/services/scores.py", "from tournaments import selectors"),
        ("tournaments/views/desk.py", "from tournaments.domain import scores"),
        ("tournaments/models/show.py", "STATES = ['planned', 'open', 'closed']\nif stage.state == 'open': ..."),
        ("tournaments/management/commands/standings.py", "if options['format'] == 'csv': ..."),
        ("open/domain/draw.py", "from random import Random\nfrom tournaments.domain import facts"),
        ("open/format.py", "from tournaments.formats import Format\nKEY = 'classic'"),
        ("open/apps.py", "from open.format import CLASSIC\nfrom tournaments import formats"),
        ("teams/models.py", "from django.db import models\nfrom tournaments.models import Entry"),
    ],
)
def test_what_is_allowed_is_left_alone(tmp_path, path, source):
    assert plant(tmp_path, path, source) == []


MAY_STILL_QUERY = {
    "tournaments/views/acts.py",
    "tournaments/views/course.py",
    "tournaments/views/matches.py",
    "tournaments/views/official.py",
    "tournaments/views/organiser.py",
    "tournaments/views/paper.py",
    "tournaments/views/desk/board.py",
    "tournaments/views/desk/common.py",
    "tournaments/views/desk/cut.py",
    "tournaments/views/desk/decided.py",
    "tournaments/views/desk/entries.py",
    "tournaments/views/desk/machines.py",
    "tournaments/views/desk/next_steps.py",
    "tournaments/views/desk/overview.py",
    "tournaments/views/desk/results.py",
    "tournaments/views/desk/seats.py",
    "tournaments/views/desk/slips.py",
    "tournaments/views/desk/ties.py",
    "tournaments/views/desk/withdrawals.py",
    "tournaments/forms.py",
}
"""Views and forms that read the database themselves. Selectors read; this list only becomes shorter."""


def that_query(root: Path) -> set[str]:
    """The views and forms that go to a model's `objects`."""
    looked_at = [path for app in APPS_BELOW for path in (root / app).rglob("*.py")]
    return {
        path.relative_to(root).as_posix()
        for path in looked_at
        if "views" in path.relative_to(root).parts or path.name == "forms.py"
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Attribute) and node.attr in ("objects", "_default_manager")
    }


def test_views_and_forms_leave_reading_to_selectors():
    assert that_query(ROOT) == MAY_STILL_QUERY


def test_a_view_that_queries_is_found(tmp_path):
    plant(tmp_path, "tournaments/views/desk.py", "def page(request):\n    return Stage.objects.get(pk=1)")

    assert that_query(tmp_path) == {"tournaments/views/desk.py"}
