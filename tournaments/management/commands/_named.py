"""How commands name a tournament."""

from django.core.management.base import CommandError

from tournaments.models import Tournament


def tournament(path: str) -> Tournament:
    """The tournament called SHOW/TOURNAMENT; raises `CommandError` with those there are."""
    show, _, slug = path.strip("/").partition("/")
    found = Tournament.objects.select_related("show").filter(show__slug=show, slug=slug).first()
    if found is None:
        known = ", ".join(each.path for each in Tournament.objects.select_related("show")) or "none yet"
        raise CommandError(f"There is no tournament “{path}”; there are: {known}.")
    return found
