from django.contrib.auth import views as auth_views
from django.urls import include, path

from pinparty.health import healthz
from pinparty.signing_in import SignIn
from teams.admin import site  # the site of tournaments.admin, with what teams add to it

urlpatterns = [
    # First: each address before it would be tried in vain for every poll of every phone.
    path("", include("tournaments.urls_public")),
    path("healthz", healthz, name="healthz"),
    path("accounts/login", SignIn.as_view(), name="login"),
    path("accounts/logout", auth_views.LogoutView.as_view(), name="logout"),
    path("admin/", site.urls),
    path("", include("teams.urls_desk")),
    path("", include("tournaments.urls")),
]
