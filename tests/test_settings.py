"""A value that cannot be meant stops the start with one sentence, and a dangerous database fails the checks."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from pinparty.checks import database_faults
from pinparty.proxy import client_address
from pinparty.settings import POSTGRESQL_OPTIONS, SQLITE_OPTIONS

ROOT = Path(__file__).resolve().parents[1]
READ = "import pinparty.settings as s; print(s.{})"


def start(code, *, cwd=ROOT, **environment):
    """Settings are read once for each process, so each value here meets a process of its own."""
    kept = {name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ}
    return subprocess.run(
        [sys.executable, "-c", code],
        cwd=cwd,
        env={"PYTHONPATH": str(ROOT), "SECRET_KEY": "for-tests", **kept, **environment},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


@pytest.mark.parametrize(
    ("name", "value", "sentence"),
    [
        ("DEBUG", "ture", "DEBUG is 'ture'; write true or false."),
        ("HTTPS", "ja", "HTTPS is 'ja'; write true or false."),
        (
            "TIME_ZONE",
            "Europe/Lodnon",
            "TIME_ZONE is 'Europe/Lodnon', which is no time zone; write one like Europe/London.",
        ),
        ("CONN_MAX_AGE", "-1", "CONN_MAX_AGE is '-1'; write a whole number of seconds, such as 600."),
        ("DATABASE_URL", "nonsense", "DATABASE_URL names no kind of service that is known here;"),
        ("DATABASE_URL", "mysql://a/b", "DATABASE_URL must begin with sqlite:// or postgres://."),
        ("DATABASE_URL", "postgres://host:port/name", "DATABASE_URL cannot be read"),
        ("DATABASE_URL", "sqlite:////no/such/folder/x", "DATABASE_URL asks for a file in /no/such/folder,"),
        ("CACHE_URL", "nonsense", "CACHE_URL cannot be read"),
        ("EMAIL_URL", "nonsense", "EMAIL_URL cannot be read"),
        ("CSRF_TRUSTED_ORIGINS", "pinball.example", "write it with http:// or https:// in front."),
    ],
)
def test_a_bad_value_stops_with_a_sentence(name, value, sentence):
    answer = start("import pinparty.settings", **{name: value})

    assert answer.returncode != 0
    last = answer.stderr.strip().splitlines()[-1]
    assert last.startswith("django.core.exceptions.ImproperlyConfigured: ")
    assert sentence in last


def test_without_a_key_nothing_is_served(tmp_path):
    # A copy elsewhere, because this one may well hold a key of its own in var/.
    copy = tmp_path / "pinparty"
    copy.mkdir()
    shutil.copy(ROOT / "pinparty" / "settings.py", copy)
    answer = start("import pinparty.settings", cwd=tmp_path, PYTHONPATH=str(tmp_path), SECRET_KEY="")

    assert "SECRET_KEY is not set." in answer.stderr


def test_debug_is_off_and_cookies_are_closed_unless_asked_for():
    assert start(READ.format("DEBUG")).stdout == "False\n"
    assert start(READ.format("DEBUG"), DEBUG="true").stdout == "True\n"
    assert start(READ.format("SESSION_COOKIE_SECURE"), HTTPS="true").stdout == "True\n"


def test_a_socket_is_written_as_everywhere_else():
    url = "postgres://pinparty@%2Ftmp%2Fsocket/pinparty"

    assert start(READ.format("DATABASES['default']['HOST']"), DATABASE_URL=url).stdout == "/tmp/socket\n"  # noqa: S108


@pytest.mark.parametrize(
    ("query", "fault"),
    [
        ("transaction_mode=DEFERRED", "uses transaction_mode DEFERRED"),
        ("init_command=PRAGMA+journal_mode%3DWAL%3BPRAGMA+synchronous%3DNORMAL", "has synchronous NORMAL"),
        ("init_command=PRAGMA+mmap_size%3D268435456", "has mmap_size 268435456"),
    ],
)
def test_a_dangerous_sqlite_stops_every_command(tmp_path, query, fault):
    code = (
        "import sys; from django.core.management import execute_from_command_line as run; run(['manage.py', 'check'])"
    )
    answer = start(
        code, DJANGO_SETTINGS_MODULE="pinparty.settings", DATABASE_URL=f"sqlite:///{tmp_path / 'x.sqlite3'}?{query}"
    )

    assert answer.returncode != 0
    assert fault in answer.stderr


def faults(**database):
    return [fault.id for fault in database_faults({"default": database})]


def sqlite(**options):
    return {"ENGINE": "django.db.backends.sqlite3", "OPTIONS": {**SQLITE_OPTIONS, **options}}


def test_our_own_databases_have_no_faults():
    assert faults(**sqlite()) == []
    assert faults(ENGINE="django.db.backends.postgresql", OPTIONS=POSTGRESQL_OPTIONS) == []


@pytest.mark.parametrize(
    ("options", "fault"),
    [
        ({"transaction_mode": "DEFERRED"}, "pinparty.E002"),
        ({"transaction_mode": None}, "pinparty.E002"),
        ({"init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL"}, "pinparty.E003"),
        ({"init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous = 1"}, "pinparty.E003"),
        ({"init_command": "PRAGMA journal_mode=WAL; pragma synchronous(off)"}, "pinparty.E003"),
        ({"init_command": SQLITE_OPTIONS["init_command"] + "; PRAGMA synchronous=NORMAL"}, "pinparty.E003"),
        ({"init_command": "PRAGMA journal_mode=WAL"}, "pinparty.E003"),
        ({"init_command": SQLITE_OPTIONS["init_command"] + "; PRAGMA mmap_size=134217728"}, "pinparty.E004"),
        ({"init_command": SQLITE_OPTIONS["init_command"] + "; PRAGMA main.mmap_size = 1"}, "pinparty.E004"),
        ({"init_command": "PRAGMA synchronous=FULL"}, "pinparty.E005"),
    ],
)
def test_each_danger_is_found(options, fault):
    assert faults(**sqlite(**options)) == [fault]


def test_a_transaction_around_every_page_is_found():
    assert faults(**sqlite(), ATOMIC_REQUESTS=True) == ["pinparty.E001"]


@pytest.mark.django_db
def test_sqlite_runs_as_it_is_configured():
    from django.db import connection  # lazy: needs the test's database

    if connection.vendor != "sqlite":
        pytest.skip("These are settings of SQLite.")
    with connection.cursor() as cursor:
        found = [
            cursor.execute(f"PRAGMA {name}").fetchone()[0] for name in ("journal_mode", "synchronous", "foreign_keys")
        ]

    assert found == ["wal", 2, 1]
    assert Path(connection.settings_dict["NAME"]).is_file()


def test_behind_a_proxy_only_its_own_word_counts(rf):
    claimed = rf.get("/", headers={"X-Forwarded-For": "10.0.0.1, 203.0.113.9"}, REMOTE_ADDR="127.0.0.1")

    assert client_address(claimed) == "203.0.113.9"
    assert client_address(rf.get("/", REMOTE_ADDR="192.168.1.7")) == "192.168.1.7"


@pytest.mark.django_db
def test_a_health_check_needs_no_login_and_asks_the_database(client, django_assert_num_queries):
    with django_assert_num_queries(1):
        answer = client.get("/healthz")

    assert (answer.status_code, answer.content) == (200, b"ok")
    assert not answer.cookies


@pytest.mark.django_db
def test_a_forgotten_password_locks_the_name_at_that_address_only(client, django_user_model, settings):
    settings.AXES_ENABLED = True
    django_user_model.objects.create_user("dora", password="right")
    django_user_model.objects.create_user("olu", password="right")

    def sign_in(name, password, address="10.0.0.1"):
        form = {"username": name, "password": password}
        return client.post("/accounts/login", form, REMOTE_ADDR=address).status_code

    wrong = [sign_in("dora", "wrong") for _ in range(settings.AXES_FAILURE_LIMIT)]

    assert wrong[:-1] == [200] * (settings.AXES_FAILURE_LIMIT - 1)
    assert sign_in("dora", "right") == 429
    assert sign_in("olu", "right") == 302
    assert sign_in("dora", "right", address="10.0.0.2") == 302
