from django.apps import AppConfig


class OpenConfig(AppConfig):
    name = "open"
    verbose_name = "Open, Classic and Kids"

    def ready(self) -> None:
        from open.format import register

        register()
