"""Who may act as whom."""

import pytest
from django.contrib.auth.models import AnonymousUser, Group, User
from django.core.exceptions import PermissionDenied
from django.http import HttpResponse

from tests import factories
from tournaments import permissions
from tournaments.permissions import DESK, GROUPS, OFFICIAL, ORGANISER, has_role

pytestmark = pytest.mark.django_db

MAY = {
    ORGANISER: {ORGANISER, DESK, OFFICIAL},
    DESK: {DESK, OFFICIAL},
    OFFICIAL: {OFFICIAL},
    "": set(),
}


@pytest.mark.parametrize("role", GROUPS)
@pytest.mark.parametrize("group", list(MAY))
def test_each_group_may_do_what_the_lesser_ones_may_and_no_more(group, role):
    assert has_role(factories.user(group), role) is (role in MAY[group])


@pytest.mark.parametrize("role", GROUPS)
def test_a_superuser_may_do_everything_and_a_stranger_nothing(role):
    assert has_role(User.objects.create_superuser("root"), role) is True
    assert has_role(AnonymousUser(), role) is False


@pytest.mark.parametrize("details", [{}, {"is_superuser": True}])
def test_an_account_switched_off_may_do_nothing(details):
    assert has_role(factories.user(ORGANISER, is_active=False, **details), OFFICIAL) is False


def test_being_in_two_groups_gives_the_rights_of_both():
    user = factories.user(OFFICIAL)
    user.groups.add(Group.objects.get(name=DESK))

    assert has_role(user, DESK) is True


def test_the_groups_are_asked_for_once(django_assert_num_queries):
    user = factories.user(DESK)

    with django_assert_num_queries(1):
        assert [has_role(user, role) for role in GROUPS] == [False, True, True]


def test_the_groups_exist_in_a_fresh_database():
    assert set(Group.objects.values_list("name", flat=True)) >= set(GROUPS)


@pytest.mark.parametrize("role", GROUPS)
@pytest.mark.parametrize("group", list(MAY))
def test_a_view_for_a_role_is_closed_to_those_who_may_not(rf, group, role):
    decorate = {ORGANISER: permissions.organiser, DESK: permissions.desk, OFFICIAL: permissions.official}[role]
    view = decorate(lambda request: HttpResponse("come in"))
    request = rf.get("/")
    request.user = factories.user(group)

    if role in MAY[group]:
        assert view(request).content == b"come in"
    else:
        with pytest.raises(PermissionDenied, match=f"This page is for the {role} group"):
            view(request)


@pytest.mark.parametrize(("group", "page"), [(ORGANISER, "/desk/"), (DESK, "/desk/"), (OFFICIAL, "/official/")])
def test_signing_in_leads_everybody_to_a_page_of_theirs(client, group, page):
    user = factories.user(group)

    answer = client.post("/accounts/login", {"username": user.username, "password": "secret-of-the-hall"}, follow=True)

    assert answer.redirect_chain[-1][0] == page
    assert answer.status_code == 200
