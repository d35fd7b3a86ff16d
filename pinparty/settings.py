"""Every setting that belongs to the machine and not to a tournament, read from the environment.

A value that cannot be meant stops the start with one sentence: on the morning of a show nobody reads a traceback.
Rules of a tournament are never settings: they are data of the tournament.
"""

import os
import zoneinfo
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import environ
from django.core.exceptions import ImproperlyConfigured

BASE_DIR = Path(__file__).resolve().parent.parent
VAR_DIR = BASE_DIR / "var"
TESTING = "PYTEST_VERSION" in os.environ

env = environ.Env()


def read_flag(name: str) -> bool:
    # django-environ takes every word it does not know for "no": HTTPS=ture would quietly open the cookies.
    value: str = env.str(name, default="false").strip().lower()
    if value in {"true", "yes", "on", "1"}:
        return True
    if value in {"false", "no", "off", "0", ""}:
        return False
    raise ImproperlyConfigured(f"{name} is '{value}'; write true or false.")


def read_number(name: str, default: int) -> int:
    value: str = env.str(name, default=str(default)).strip()
    if not value.isascii() or not value.isdecimal():
        raise ImproperlyConfigured(f"{name} is '{value}'; write a whole number of seconds, such as {default}.")
    return int(value)


def read_url(name: str, reader: Callable[..., dict[str, Any]], default: str, key: str, example: str) -> dict[str, Any]:
    try:
        config = reader(name, default=default)
    except Exception as fault:  # the library answers a bad address with almost any of them
        raise ImproperlyConfigured(f"{name} cannot be read ({fault}); write it like {example}.") from fault
    if not config.get(key):
        raise ImproperlyConfigured(f"{name} names no kind of service that is known here; write it like {example}.")
    return config


def read_zone(name: str, default: str) -> str:
    value: str = env.str(name, default=default)
    try:
        zoneinfo.ZoneInfo(value)
    except (zoneinfo.ZoneInfoNotFoundError, ValueError) as fault:
        raise ImproperlyConfigured(f"{name} is '{value}', which is no time zone; write one like {default}.") from fault
    return value


def read_origins(name: str) -> list[str]:
    origins = [origin.strip() for origin in env.list(name, default=[])]
    for origin in origins:
        if not origin.startswith(("http://", "https://")):
            raise ImproperlyConfigured(f"{name} holds '{origin}'; write it with http:// or https:// in front.")
    return origins


def read_secret_key() -> str:
    key: str = env.str("SECRET_KEY", default="")
    kept = VAR_DIR / "secret-key"
    if not key and kept.exists():
        key = kept.read_text().strip()
    if not key and (DEBUG or TESTING):
        key = "only-for-development-and-tests-never-for-a-show"
    if not key:
        raise ImproperlyConfigured(
            "SECRET_KEY is not set. Set it to a long random text, the same on every server of the show; "
            "any `manage.py` command makes one for this machine alone."
        )
    return key


DEBUG = read_flag("DEBUG")
HTTPS = read_flag("HTTPS")
SECRET_KEY = read_secret_key()

# The machine itself may always ask: health checks do.
ALLOWED_HOSTS = [*(host.strip() for host in env.list("ALLOWED_HOSTS", default=[])), "localhost", "127.0.0.1", "[::1]"]
CSRF_TRUSTED_ORIGINS = read_origins("CSRF_TRUSTED_ORIGINS")

INSTALLED_APPS = [
    "pinparty.apps.PinpartyConfig",
    "tournaments.apps.TournamentsConfig",
    "open.apps.OpenConfig",
    "teams.apps.TeamsConfig",
    "django.contrib.admin.apps.SimpleAdminConfig",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "django_htmx",
    "axes",
]

MIDDLEWARE = [
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "tournaments.middleware.ContentSecurityPolicyMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "tournaments.middleware.LoginRequiredMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
    "tournaments.middleware.RefusalMiddleware",
    "axes.middleware.AxesMiddleware",
]

ROOT_URLCONF = "pinparty.urls"
WSGI_APPLICATION = "pinparty.wsgi.application"
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
            ],
        },
    },
    {
        # Only for the few hot fragments, which ask for this engine by its name.
        "BACKEND": "django.template.backends.jinja2.Jinja2",
        "NAME": "jinja2",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": False,
        "OPTIONS": {"environment": "tournaments.jinja.environment"},
    },
]

# Why these values, and what happens without them: pinparty/checks.py.
SQLITE_OPTIONS = {
    "transaction_mode": "IMMEDIATE",
    "timeout": 15,
    "init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL",
}
# A session that waits or forgets itself must not hold the tournament's row, and with it the whole desk. A show fits
# into memory, where a page costs the same wherever it lies; by default the planner thinks of a turning disk and reads
# all the players of a show for those of one tournament.
POSTGRESQL_OPTIONS = {
    "options": "-c lock_timeout=15s -c statement_timeout=30s -c idle_in_transaction_session_timeout=30s"
    " -c random_page_cost=1.1",
}


def read_database() -> dict[str, Any]:
    database = read_url(
        "DATABASE_URL",
        env.db_url,
        default=f"sqlite:///{VAR_DIR / 'pinparty.sqlite3'}",
        key="ENGINE",
        example="sqlite:////srv/pinparty/show.sqlite3 or postgres://user:password@host:5432/pinparty",
    )
    if database["ENGINE"] == "django.db.backends.sqlite3":
        usual: dict[str, Any] = SQLITE_OPTIONS
        folder = Path(database["NAME"]).parent
        if folder == VAR_DIR:
            folder.mkdir(exist_ok=True)
        elif database["NAME"] != ":memory:" and not folder.is_dir():
            raise ImproperlyConfigured(f"DATABASE_URL asks for a file in {folder}, and there is no such folder.")
    elif database["ENGINE"] == "django.db.backends.postgresql":
        usual = POSTGRESQL_OPTIONS
        database["HOST"] = unquote(database["HOST"])  # a socket's folder is written with %2F
    else:
        raise ImproperlyConfigured("DATABASE_URL must begin with sqlite:// or postgres://.")
    database["OPTIONS"] = {**usual, **database.get("OPTIONS", {})}
    # Kept open on SQLite too: the last connection to close would copy the whole write-ahead log each time.
    database["CONN_MAX_AGE"] = read_number("CONN_MAX_AGE", default=600)
    database["CONN_HEALTH_CHECKS"] = True
    return database


DATABASES = {"default": read_database()}

CACHES = {
    "default": read_url(
        "CACHE_URL",
        env.cache_url,
        default="locmemcache://pinparty",
        key="BACKEND",
        example="rediscache://cache.local:6379/1",
    )
}

EMAIL = read_url(
    "EMAIL_URL",
    env.email_url,
    default="consolemail://",
    key="EMAIL_BACKEND",
    example="smtp+tls://user:password@mail.local:587",
)
EMAIL_BACKEND = EMAIL["EMAIL_BACKEND"]
EMAIL_HOST = EMAIL.get("EMAIL_HOST") or "localhost"
EMAIL_PORT = EMAIL.get("EMAIL_PORT") or 25
EMAIL_HOST_USER = EMAIL.get("EMAIL_HOST_USER") or ""
EMAIL_HOST_PASSWORD = EMAIL.get("EMAIL_HOST_PASSWORD") or ""
EMAIL_USE_TLS = EMAIL.get("EMAIL_USE_TLS", False)
EMAIL_USE_SSL = EMAIL.get("EMAIL_USE_SSL", False)
EMAIL_TIMEOUT = 10
DEFAULT_FROM_EMAIL = env.str("DEFAULT_FROM_EMAIL", default="pinparty@localhost")

LANGUAGE_CODE = "en-gb"
TIME_ZONE = read_zone("TIME_ZONE", default="Europe/London")
USE_TZ = True
USE_I18N = True

STATIC_URL = "static/"
STATIC_ROOT = VAR_DIR / "static"
STATICFILES_DIRS = [BASE_DIR / "static"]
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {
        "BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"
        if DEBUG
        else "whitenoise.storage.CompressedManifestStaticFilesStorage"
    },
}

LOGIN_URL = "login"
LOGOUT_REDIRECT_URL = "/"
AUTHENTICATION_BACKENDS = [
    "axes.backends.AxesStandaloneBackend",
    "django.contrib.auth.backends.ModelBackend",
]
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": "django.contrib.auth.password_validation.UserAttributeSimilarityValidator"},
    {"NAME": "django.contrib.auth.password_validation.MinimumLengthValidator"},
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
    {"NAME": "django.contrib.auth.password_validation.NumericPasswordValidator"},
]

# Name and address together: a whole hall shares one address, so a lock on that alone would shut out every volunteer.
AXES_LOCKOUT_PARAMETERS = [["username", "ip_address"]]
AXES_FAILURE_LIMIT = 10
AXES_COOLOFF_TIME = timedelta(minutes=5)
AXES_RESET_ON_SUCCESS = True
AXES_ENABLE_ADMIN = False
AXES_VERBOSE = False
AXES_COOLOFF_MESSAGE = "Too many wrong passwords for this name. Wait five minutes and try again."
if HTTPS:
    AXES_CLIENT_IP_CALLABLE = "pinparty.proxy.client_address"

SESSION_COOKIE_HTTPONLY = True
SESSION_COOKIE_SAMESITE = "Lax"
CSRF_COOKIE_SAMESITE = "Lax"
X_FRAME_OPTIONS = "DENY"
SECURE_CONTENT_TYPE_NOSNIFF = True
SECURE_REFERRER_POLICY = "same-origin"

# HTTPS=true promises a proxy in front that speaks https and sets both X-Forwarded headers itself.
SESSION_COOKIE_SECURE = HTTPS
CSRF_COOKIE_SECURE = HTTPS
SECURE_SSL_REDIRECT = HTTPS
SECURE_REDIRECT_EXEMPT = [r"^healthz$"]
SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https") if HTTPS else None
SECURE_HSTS_SECONDS = read_number("HSTS_SECONDS", default=31_536_000) if HTTPS else 0

LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {"line": {"format": "{asctime} {levelname} {name}: {message}", "style": "{"}},
    "handlers": {"stderr": {"class": "logging.StreamHandler", "formatter": "line"}},
    "root": {"handlers": ["stderr"], "level": "INFO"},
    # Django's own handlers would write every line twice, or mail it.
    "loggers": {"django": {"handlers": [], "level": "INFO", "propagate": True}},
}
