"""Logins of the people who run the show, and the one role each has.

Our choice: an organiser makes logins for volunteers, but nobody rises above themselves by it.
"""

from django.contrib.auth import get_user_model
from django.contrib.auth.models import AbstractBaseUser, Group, User

from tournaments.domain.refusals import Refusal
from tournaments.services.change import all_or_nothing


def set_up(name: str, *, group: str, password: str) -> AbstractBaseUser:
    """A login for trying things out: in a group, with this password, made or brought up to date."""
    users = get_user_model()
    with all_or_nothing():
        user, _ = users.objects.get_or_create(username=name)
        user.is_active = True
        user.set_password(password)
        user.save(update_fields=["is_active", "password"])
        user.groups.add(Group.objects.get(name=group))
    return user


def save_account(account: User, *, actor: User, role: str) -> User:
    """Make a login or change it; `role` is the name of its one group, or nothing.

    Raises `Refusal` when the actor touches a superuser or makes one without being one, and when they would shut
    themselves out. Permissions of single persons are never given: roles are all there is.
    """
    with all_or_nothing():
        stored = User.objects.filter(pk=account.pk).first()
        if not actor.is_superuser and (account.is_superuser or (stored and stored.is_superuser)):
            raise Refusal("Only a superuser may make or change a superuser.", field="is_superuser")
        if stored and stored.pk == actor.pk:
            _refuse_to_shut_out(account, stored, role)
        account.save()
        account.groups.set(Group.objects.filter(name=role))
    return account


def _refuse_to_shut_out(account: User, stored: User, role: str) -> None:
    if not account.is_active:
        raise Refusal("You cannot close your own login.", field="is_active")
    if stored.is_superuser and not account.is_superuser:
        raise Refusal("You cannot take your own rights away; another superuser can.", field="is_superuser")
    if not stored.is_superuser and not stored.groups.filter(name=role).exists():
        raise Refusal("You cannot change your own role; another organiser can.", field="role")
