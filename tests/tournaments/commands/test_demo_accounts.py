"""Logins for a demonstration."""

import io
import re

import pytest
from django.contrib.auth import authenticate
from django.contrib.auth.models import User
from django.core.management import call_command

from tournaments.permissions import DESK, OFFICIAL, ORGANISER, has_role

pytestmark = pytest.mark.django_db


def run():
    out = io.StringIO()
    call_command("demo_accounts", "--address", "http://hall.local:8000/", stdout=out)
    return out.getvalue()


def test_it_prints_where_to_go_and_how_to_log_in(monkeypatch):
    monkeypatch.setenv("PINPARTY_DEMO_PASSWORD", "tilt")

    assert run().splitlines() == [
        "Everybody:  http://hall.local:8000/",
        "Desk:       http://hall.local:8000/desk/",
        "Organisers: http://hall.local:8000/admin/",
        "Log in as organiser, desk or official with the password: tilt",
    ]


def test_each_login_may_do_what_its_name_says(monkeypatch):
    monkeypatch.setenv("PINPARTY_DEMO_PASSWORD", "tilt")
    run()

    users = {name: authenticate(username=name, password="tilt") for name in (ORGANISER, DESK, OFFICIAL)}
    assert [[has_role(user, role) for role in (ORGANISER, DESK, OFFICIAL)] for user in users.values()] == [
        [True, True, True],
        [False, True, True],
        [False, False, True],
    ]


def test_repeating_it_renews_the_password_and_makes_nobody_twice(monkeypatch):
    monkeypatch.delenv("PINPARTY_DEMO_PASSWORD", raising=False)
    first = run()

    second = run()

    passwords = [re.search(r"password: (\w+-\w+-\w+-\d\d)$", text)[1] for text in (first, second)]
    assert passwords[0] != passwords[1]
    assert User.objects.count() == 3
    assert User.objects.get(username="desk").check_password(passwords[1])
