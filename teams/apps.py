from django.apps import AppConfig


class TeamsConfig(AppConfig):
    name = "teams"
    verbose_name = "Team Tournament"

    def ready(self) -> None:
        # Models can only be imported now.
        from teams.format import register
        from teams.selectors import LineUps
        from teams.services.rehearsal import TeamCast
        from teams.services.roster import TeamRoster
        from teams.views import public
        from tournaments import line_ups
        from tournaments.services import rehearsal
        from tournaments.services.exchange import rosters

        register()
        public.register()
        line_ups.register(LineUps())
        rehearsal.register("team", TeamCast())
        rosters.register("team", TeamRoster())
