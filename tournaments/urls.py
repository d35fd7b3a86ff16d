from django.urls import URLPattern, URLResolver, include, path

urlpatterns: list[URLPattern | URLResolver] = [
    path("", include("tournaments.urls_paper")),
    path("", include("tournaments.urls_desk")),
    path("", include("tournaments.urls_official")),
    path("", include("tournaments.urls_organiser")),
]
