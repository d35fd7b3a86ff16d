"""Logins: an organiser makes them for volunteers, with one role each, and nobody rises above themselves."""

import pytest
from django.contrib.auth.models import Group, Permission, User

from tests import factories
from tests.tournaments.admin.pages import Pages, errors, text
from tournaments.domain.refusals import Refusal
from tournaments.services import accounts

PASSWORD = "a-quiet-flipper-button"


def roles(user):
    return set(user.groups.values_list("name", flat=True))


def new(pages, name="vera", **typed):
    return pages.save("user", "add", username=name, password1=PASSWORD, password2=PASSWORD, **typed)


@pytest.mark.parametrize("role", ["desk", "official", "organiser"])
def test_an_organiser_makes_a_login_with_a_role(pages, client, role):
    answer = new(pages, role=role, first_name="Vera")

    assert answer.status_code == 302
    made = User.objects.get(username="vera")
    assert roles(made) == {role}
    assert (made.is_staff, made.is_superuser, made.first_name) == (False, False, "Vera")
    assert client.login(username="vera", password=PASSWORD)


def test_a_role_is_changed_and_a_login_is_closed_without_losing_its_history(pages):
    vera = factories.user("desk", "vera")

    pages.save("user", "change", vera.pk, role="official", is_active=None)

    vera.refresh_from_db()
    assert (roles(vera), vera.is_active) == ({"official"}, False)


def test_an_organiser_cannot_become_a_superuser_or_collect_permissions(pages, organiser):
    permission = Permission.objects.first()
    others = Group.objects.create(name="others")
    by_hand = {
        "is_superuser": "on",
        "is_staff": "on",
        "user_permissions": [permission.pk],
        "groups": [others.pk],
        "password": "md5$x$y",
    }

    pages.save("user", "change", organiser.pk, **by_hand)
    new(pages, role="desk", **by_hand)

    for user in (User.objects.get(pk=organiser.pk), User.objects.get(username="vera")):
        assert (user.is_superuser, user.is_staff, user.user_permissions.count()) == (False, False, 0)
        assert "others" not in roles(user)
    assert User.objects.get(pk=organiser.pk).password == organiser.password


def test_an_organiser_cannot_touch_a_superuser(pages, db):
    root = factories.user("", "root", is_superuser=True)
    address = f"/admin/auth/user/{root.pk}/password/"

    answer = pages.client.post(pages.url("user", "change", root.pk), {"username": "mine", "is_active": ""})

    assert answer.status_code == 403
    assert pages.client.get(address).status_code == 403
    assert pages.client.post(address, {"password1": PASSWORD, "password2": PASSWORD}).status_code == 403
    stored = User.objects.get(pk=root.pk)
    assert (stored.username, stored.password, stored.is_active) == ("root", root.password, True)


def test_a_service_keeps_the_rule_even_without_the_page(organiser):
    with pytest.raises(Refusal, match="Only a superuser"):
        accounts.save_account(User(username="x", is_superuser=True), actor=organiser, role="desk")
    assert not User.objects.filter(username="x").exists()


def test_nobody_shuts_themselves_out(pages, organiser):
    assert errors(pages.save("user", "change", organiser.pk, role="desk")) == {
        "role": ["You cannot change your own role; another organiser can."]
    }
    assert errors(pages.save("user", "change", organiser.pk, is_active=None)) == {
        "is_active": ["You cannot close your own login."]
    }
    organiser.refresh_from_db()
    assert (roles(organiser), organiser.is_active) == ({"organiser"}, True)


def test_a_superuser_makes_another_and_cannot_give_up_the_last_word_alone(client, db):
    root = factories.user("", "root", is_superuser=True)
    client.force_login(root)
    pages = Pages(client)
    vera = factories.user("desk", "vera")

    pages.save("user", "change", vera.pk, is_superuser="on")
    answer = pages.save("user", "change", root.pk, is_superuser=None)

    assert User.objects.get(pk=vera.pk).is_superuser
    assert errors(answer) == {"is_superuser": ["You cannot take your own rights away; another superuser can."]}


def test_passwords_that_differ_or_are_too_short_are_refused(pages, db):
    answer = pages.save("user", "add", username="vera", password1="short", password2="shirt", role="desk")

    assert "password2" in errors(answer)
    assert 'value="vera"' in answer.content.decode()
    assert not User.objects.filter(username="vera").exists()


def test_a_password_is_set_anew_for_a_volunteer(pages, client):
    vera = factories.user("desk", "vera")

    pages.client.post(
        f"/admin/auth/user/{vera.pk}/password/",
        {"password1": PASSWORD, "password2": PASSWORD, "usable_password": "true"},
    )

    vera.refresh_from_db()
    assert vera.check_password(PASSWORD)


def test_the_list_says_who_may_do_what(pages, db):
    factories.user("desk", "vera")
    factories.user("", "root", is_superuser=True)

    words = text(pages.get("user"))

    assert "desk" in words
    assert "superuser" in words
