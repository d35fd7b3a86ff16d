"""The addresses of the organisers' own pages, beside the admin."""

from django.urls import path

from tournaments.views import organiser

app_name = "organiser"

urlpatterns = [
    path("organise/", organiser.home, name="home"),
    path("organise/import/", organiser.import_folder, name="import"),
    path("organise/templates/<slug:key>/", organiser.template, name="template"),
    path("organise/export/<slug:show>/<slug:slug>/", organiser.export, name="export"),
]
