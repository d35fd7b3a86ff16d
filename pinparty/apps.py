from django.apps import AppConfig
from django.core import checks

from pinparty.checks import check_databases


class PinpartyConfig(AppConfig):
    name = "pinparty"

    def ready(self) -> None:
        checks.register(check_databases)
