from django.apps import AppConfig


class TeamsConfig(AppConfig):
    name = "teams"
    verbose_name = "Team Tournament"

    def ready(self) -> None:
        from teams.format import register

        register()
