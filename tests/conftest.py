"""What every test needs of the outside world; people and tournaments come from factories."""

import gc

import pytest


def pytest_collection_finish():
    """What is loaded by now stays to the end: the collector need not walk through it again and again.

    The thresholds are those under which the product is served.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(50_000, 10, 10)


@pytest.fixture(scope="session")
def django_db_modify_db_settings(django_db_modify_db_settings_parallel_suffix, tmp_path_factory):
    """SQLite in a real file: in memory there is only one connection, and so no second writer to be afraid of."""
    from django.conf import settings  # lazy: this file is read before the settings are

    database = settings.DATABASES["default"]
    if database["ENGINE"] == "django.db.backends.sqlite3":
        database["TEST"]["NAME"] = str(tmp_path_factory.mktemp("database") / "test.sqlite3")


@pytest.fixture(autouse=True)
def plain_surroundings(settings):
    """No collected files, no slow passwords, and no lock-out unless a test is about it."""
    settings.STORAGES = {
        **settings.STORAGES,
        "staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"},
    }
    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
    settings.AXES_ENABLED = False
    settings.ALLOWED_HOSTS = ["testserver", "localhost", "127.0.0.1"]


@pytest.fixture(autouse=True)
def any_field_plays(request, monkeypatch):
    """A cut of two out of three shows how cuts work, though no second round could be played by two.

    Tests about how many can play a stage are marked `real_fields`.
    """
    from tournaments.formats import StageSpec  # lazy: this file is read before the settings are

    if "real_fields" not in request.keywords:
        monkeypatch.setattr(StageSpec, "playable_by", lambda spec, players: True)


@pytest.fixture(autouse=True)
def forgotten_revisions():
    """Each test has a database of its own, and with it the same ids: no process outlives one otherwise."""
    from tournaments import live, selectors  # lazy: this file is read before the settings are

    selectors._now_known.clear()
    live.forget_everything()
