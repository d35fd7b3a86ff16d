"""No function writes a row without a journal line, read from the syntax tree.

A write stands inside `change` or `change_shared`, or in one `all_or_nothing` or `changes_in` with one of them, or in a
helper that such a block calls. Outside the services nothing writes at all. Each rule is proved by planting the fault
that it is there to find.
"""

import ast
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

ROOT = Path(__file__).resolve().parents[2]
SERVICES = ("tournaments/services", "teams/services")
APPS = ("tournaments", "open", "teams")

ALWAYS_WRITES = {"save", "create", "bulk_create", "bulk_update", "get_or_create", "update_or_create", "delete"}
JOURNALS = {"change", "change_shared"}
TOGETHER = {"all_or_nothing", "changes_in"}

EXCEPTIONS = {
    "tournaments/services/accounts.py": "a login belongs to no show; the admin keeps its own log of who changed it",
    "tournaments/services/change.py": "writes the journal itself",
    "tournaments/services/exchange/loading_rulings.py:_keep_rows": "adds to a ruling told just before, in one import",
    "tournaments/services/exchange/loading_rulings.py:_write_on_match": "the same",
    "tournaments/services/rehearsal.py:remove": "deletes a rehearsal show, and with it all that could tell of it",
}
"""What writes without a journal line, and why it may."""

NO_ROWS = {
    "tournaments/views/spreadsheets.py": "saves a spreadsheet, not a row",
    "tournaments/jinja.py": "updates the filters of templates",
}
"""Modules outside the services in which a call only looks like a write."""


class Event(NamedTuple):
    """A write, or a call of one of our functions; `covered` when a journal line is sure to be written with it."""

    line: int
    called: str
    covered: bool


def faults(root: Path) -> list[str]:
    trees = {
        path.relative_to(root).as_posix(): ast.parse(path.read_text(encoding="utf-8"))
        for app in APPS
        for path in sorted((root / app).rglob("*.py"))
        if "migrations" not in path.parts
    }
    services = {path: tree for path, tree in trees.items() if path.startswith(SERVICES)}
    functions = {}
    openers = JOURNALS | {name for tree in services.values() for name, node in defined(tree) if opens_a_change(node)}
    for path, tree in services.items():
        names = imported(root, tree)
        for name, node in defined(tree):
            functions[f"{path}:{name}"] = events(path, node, names, openers)
    uncovered = writing_by_themselves(functions)
    called = {event.called for found in functions.values() for event in found}
    outside = {path: tree for path, tree in trees.items() if not path.startswith(SERVICES)}
    others = {path: events(path, tree, imported(root, tree), set()) for path, tree in outside.items()}
    from_outside = {event.called for found in others.values() for event in found}
    found = [
        f"{name} writes without a journal line, in line {uncovered[name]}"
        for name in sorted(uncovered)
        if name not in called or name in from_outside
    ]
    for path, own in others.items():
        lines = [event.line for event in own if event.called == "a write"]
        found += [f"{path}:{line} writes outside the services" for line in lines if path not in NO_ROWS]
    for path, tree in trees.items():
        made = [node for node in ast.walk(tree) if isinstance(node, ast.Call) and ast.unparse(node.func) == "Log"]
        if made and path != f"{SERVICES[0]}/change.py":
            found.append(f"{path} makes a Log of its own")
    return found


def writing_by_themselves(functions: dict[str, list[Event]]) -> dict[str, int]:
    """The functions after which somebody else has to write the journal, with the line in which they write."""
    found: dict[str, int] = {}
    while True:
        more = {
            name: event.line
            for name, own in functions.items()
            for event in own
            if not excepted(name)
            and name not in found
            and not event.covered
            and (event.called == "a write" or event.called in found)
        }
        if not more:
            return found
        found |= more


def excepted(name: str) -> bool:
    return name in EXCEPTIONS or name.partition(":")[0] in EXCEPTIONS


def defined(tree: ast.Module) -> Iterator[tuple[str, ast.FunctionDef]]:
    """The functions of a module, and the methods of its classes by their own names."""
    for node in tree.body:
        if isinstance(node, ast.FunctionDef):
            yield node.name, node
        elif isinstance(node, ast.ClassDef):
            for part in node.body:
                if isinstance(part, ast.FunctionDef):
                    yield part.name, part


def has_log(node: ast.FunctionDef) -> bool:
    """Only a change makes a `Log`, so who is given one is inside a change."""
    given = [*node.args.args, *node.args.kwonlyargs]
    return any(arg.annotation is not None and ast.unparse(arg.annotation) == "Log" for arg in given)


def opens_a_change(node: ast.FunctionDef) -> bool:
    """Whether a context manager of ours opens changes for the block within it."""
    if "contextmanager" not in {ast.unparse(decorator) for decorator in node.decorator_list}:
        return False
    return any(name_of(part) in JOURNALS for part in ast.walk(node))


def events(path: str, top: ast.AST, names: dict[str, str], openers: set[str]) -> list[Event]:
    """What happens in a module or a function of it.

    `names` are our services as the module knows them, `openers` what opens a change for its block.
    """
    found: list[Event] = []

    def walk(node: ast.AST, covered: bool) -> None:
        if isinstance(node, ast.With):
            covered = covered or journals(node, openers)
        elif isinstance(node, ast.FunctionDef):
            covered = covered or has_log(node)
        if isinstance(node, ast.Call):
            called = target(path, node, names)
            if called:
                found.append(Event(node.lineno, called, covered))
        for child in ast.iter_child_nodes(node):
            walk(child, covered)

    walk(top, False)
    return found


def journals(block: ast.With, openers: set[str]) -> bool:
    """Whether this block writes the journal, or is all or nothing with one that does."""
    opened = {name_of(item.context_expr) for item in block.items}
    if opened & openers:
        return True
    inside = (node for part in block.body for node in ast.walk(part) if isinstance(node, ast.With))
    return bool(TOGETHER & opened) and any(
        name_of(item.context_expr) in openers for node in inside for item in node.items
    )


def name_of(node: ast.AST) -> str:
    return ast.unparse(node.func).rpartition(".")[2] if isinstance(node, ast.Call) else ""


def imported(root: Path, tree: ast.Module) -> dict[str, str]:
    """Our services by the names under which a module knows them: modules by path, functions by path and name."""
    names = {}
    for node in ast.walk(tree):
        folder = (node.module or "").replace(".", "/") if isinstance(node, ast.ImportFrom) else ""
        if isinstance(node, ast.ImportFrom) and folder.startswith(SERVICES):
            for name in node.names:
                module = f"{folder}/{name.name}.py"
                found = module if (root / module).exists() else f"{folder}.py:{name.name}"
                names[name.asname or name.name] = found
    return names


def target(path: str, call: ast.Call, names: dict[str, str]) -> str:
    """What a call means: one of our functions by path and name, "a write", or nothing of interest."""
    if isinstance(call.func, ast.Name):
        name = call.func.id
        return names.get(name, f"{path}:{name}")
    if not isinstance(call.func, ast.Attribute):
        return ""
    owner, name = ast.unparse(call.func.value), call.func.attr
    if names.get(owner, "").endswith(".py"):
        return f"{names[owner]}:{name}"
    if owner == "self":
        return f"{path}:{name}"
    rows = any(part in owner for part in (".objects", ".filter(", ".exclude(", "_default_manager"))
    if name in ALWAYS_WRITES or (name == "update" and (call.keywords or rows)):
        return "a write"
    return "a write" if name in ("add", "set", "remove", "clear") and owner.endswith(".groups") else ""


def plant(root: Path, path: str, source: str) -> list[str]:
    file = root / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(source)
    return faults(root)


def test_no_function_writes_without_a_journal_line():
    assert faults(ROOT) == []


def test_every_exception_still_is_one():
    for name in EXCEPTIONS:
        path, _, function = name.partition(":")
        tree = ast.parse((ROOT / path).read_text())
        assert not function or function in dict(defined(tree))


CHANGED = "with change(tournament, actor=actor, action='x') as log:\n        "


@pytest.mark.parametrize(
    ("path", "source"),
    [
        ("tournaments/services/scores.py", "def void(score):\n    score.save()"),
        ("tournaments/services/scores.py", "def void(score):\n    Score.objects.filter(pk=1).update(state='void')"),
        ("tournaments/services/scores.py", "def void(score):\n    with all_or_nothing():\n        score.delete()"),
        ("tournaments/services/scores.py", f"def void(score):\n    {CHANGED}log.write('x')\n    score.save()"),
        ("tournaments/services/scores.py", "def void(score):\n    _set(score)\ndef _set(score):\n    score.save()"),
        ("tournaments/services/scores.py", "def void(score):\n    log = Log(now, 1)\n    log.write('x')"),
        ("tournaments/views/desk/scores.py", "def void(request):\n    Score.objects.create(value=1)"),
        ("tournaments/admin/scores.py", "def save_model(self, request, obj, form, change):\n    obj.save()"),
        ("open/format.py", "def deal(stage):\n    stage.matches.all().delete()"),
    ],
)
def test_a_planted_write_is_found(tmp_path, path, source):
    assert len(plant(tmp_path, path, source)) == 1


@pytest.mark.parametrize(
    "source",
    [
        f"def void(score):\n    {CHANGED}score.save()",
        f"def void(score):\n    {CHANGED}_set(score)\ndef _set(score):\n    score.save()",
        "def void(score):\n    with all_or_nothing():\n        score.save()\n        with change_shared(show): pass",
        f"@contextmanager\ndef told():\n    {CHANGED}yield\ndef void(score):\n    with told():\n        score.save()",
        "def follow(score, log: Log):\n    score.save()",
        "def told(words):\n    words.update({'a': 1})",
    ],
)
def test_a_write_with_its_line_is_left_alone(tmp_path, source):
    assert plant(tmp_path, "tournaments/services/scores.py", source) == []
