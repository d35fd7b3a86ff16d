from tournaments.models.incidents import Incident, Waiting
from tournaments.models.machines import Machine, StageMachine
from tournaments.models.matches import Match, Side
from tournaments.models.people import Entry, Player
from tournaments.models.places import PlacePool
from tournaments.models.play import Score, Seat
from tournaments.models.results import FinalPlace
from tournaments.models.rulings import Journal, Ruling
from tournaments.models.show import Show, Stage, Tournament

__all__ = [
    "Entry",
    "FinalPlace",
    "Incident",
    "Journal",
    "Machine",
    "Match",
    "PlacePool",
    "Player",
    "Ruling",
    "Score",
    "Seat",
    "Show",
    "Side",
    "Stage",
    "StageMachine",
    "Tournament",
    "Waiting",
]
