"""Signing in leads everybody to where they work."""

from django.contrib.auth.views import LoginView
from django.urls import reverse

from tournaments.permissions import DESK, has_role


class SignIn(LoginView):
    """Django's page; who came from no page of ours begins at the desk, an official at the machines."""

    def get_default_redirect_url(self) -> str:
        return reverse("desk:home" if has_role(self.request.user, DESK) else "official:home")
