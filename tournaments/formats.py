"""What a tournament format is, and the registry of those installed.

A format is data and pure functions; it never writes. Its rules are a frozen dataclass whose fields carry their
label, help text and source, so that the admin form, the public rules page and the check of stored values all come
from one place.
"""

from collections.abc import Mapping, Sequence
from dataclasses import MISSING, Field, dataclass, field, fields, replace
from typing import Any, Protocol, runtime_checkable

from tournaments.domain.facts import QualifyingRules, StageFacts, Table
from tournaments.domain.grouped import Grouped
from tournaments.domain.points import scale

FROM_THE_RULES = "from the rules"
OUR_CHOICE = "our choice"


@dataclass(frozen=True, slots=True)
class Feed:
    """Where the games of a stage send their players: the best `many` of each game, or with `best` false the others."""

    stage: str
    many: int
    best: bool = True


@dataclass(frozen=True, slots=True)
class PlannedMatch:
    """A match before it is in the database; `entries` are in the order in which they choose their position."""

    round: int
    machine: int
    entries: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Judgement:
    """What is wrong with dealt matches and how even they are, in sentences; empty where nothing is to be judged."""

    faults: tuple[str, ...] = ()
    figures: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Running:
    """A stage in the middle of its matches, to be drawn again from here.

    `seats` are entries in seed order, `announced` all its matches as published, `begun` those among them that stay,
    without whoever has left before they were played.
    `machines` may be used from now on; `instead` names one of them as the substitute of a machine that may not. `gone`
    are the entries that have left.
    """

    seats: tuple[int, ...]
    announced: tuple[PlannedMatch, ...]
    begun: tuple[PlannedMatch, ...]
    machines: tuple[int, ...]
    instead: Mapping[int, int]
    gone: frozenset[int]


@dataclass(frozen=True, slots=True)
class Redealt:
    """A running stage drawn again: all its matches, those that have begun included, without whoever has left.

    `gave_way` names in sentences every rule that could not be kept and who plays alone, `figures` how even it is.
    """

    matches: tuple[PlannedMatch, ...]
    gave_way: tuple[str, ...]
    figures: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class StageSpec:
    """One stage of a format: its key and label, how many seats it has and the stage they come from.

    `fewest`, `most` and `even` say how many players can play it; `slips` that the desk enters single games from paper
    slips in it, `matches` that it is played in matches; `ranked` that all its scores make one table with a cut,
    otherwise each match has an order of its own and `feeds` says who goes where from it. `grouped` says that it is
    played in groups: each has a table and sends its best along `feeds`, a match is won or lost, whoever is left alone
    in one has won it, and it is called as soon as its machine and all who play it are free. `by_lot` says that its
    machine is drawn by lot. `positions` that who plays in a match chooses a playing position. `redealt` that the
    format can draw the rest of it again while it is played. `playable` that this version runs it. `alone` is what a
    game of one on its own is called in it.
    """

    key: str
    label: str
    seats: int | None = None
    comes_from: str = ""
    fewest: int = 1
    most: int | None = None
    even: bool = False
    slips: bool = False
    matches: bool = False
    ranked: bool = False
    feeds: tuple[Feed, ...] = ()
    grouped: bool = False
    by_lot: bool = False
    positions: bool = True
    redealt: bool = False
    playable: bool = True
    alone: str = "game alone"

    @property
    def plural(self) -> bool:
        """Whether the label names several: "The semi-finals are", but "The final is"."""
        return self.label.endswith("s")

    @property
    def seated(self) -> bool:
        """Whether everybody who plays it has a seat in it."""
        return bool(self.comes_from) or self.grouped

    def playable_by(self, players: int) -> bool:
        """Whether so many can play the stage."""
        return self.fewest <= players <= (self.most or players) and not (self.even and players % 2)

    @property
    def for_how_many(self) -> str:
        """ "Second round: for an even number of players, 8 to 48." """
        size = f"{self.fewest} to {self.most}" if self.most else f"{self.fewest} or more"
        players = f"an even number of players, {size}" if self.even else f"{size} players"
        return f"{self.label}: for {players}."


def main_stage_after(stages: Sequence[StageSpec], spec: StageSpec) -> StageSpec | None:
    """The stage to which the best of this one go; None after the last."""
    best = next((feed.stage for feed in spec.feeds if feed.best), "")
    return next((each for each in stages if each.key == best or (not best and each.comes_from == spec.key)), None)


def stages_too_many(stages: Sequence[StageSpec], spec: StageSpec, players: int) -> tuple[StageSpec, ...] | None:
    """The stages behind this one that so few players leave out to play the next that they can; none as a rule.

    None where they can play no stage at all. One that would send all of them on decides nothing and is left out too.
    Our choice: 5 to 7 go straight to the semi-finals, 2 to 4 to the final, and one alone has won.
    """
    skipped: list[StageSpec] = []
    following = main_stage_after(stages, spec)
    while following and not _fits(stages, following, players):
        # With a stage all that it feeds falls out, but for the one its best go to.
        behind = main_stage_after(stages, following)
        skipped += [following, *(each for each in stages if each.comes_from == following.key and each != behind)]
        following = behind
    return tuple(skipped) if following else None


def _fits(stages: Sequence[StageSpec], spec: StageSpec, players: int) -> bool:
    behind = main_stage_after(stages, spec) if spec.feeds else None
    if behind and behind.seats is not None and players <= behind.seats:
        return False
    return spec.playable_by(players) and players <= (spec.seats or players)


class Format(Protocol):
    """A kind of tournament. Register one object per kind when its app is ready.

    `short_names` says that whoever competes is a child, whose family name is nobody's business. `noun` is what one
    that competes is called, in small letters; an "s" makes it several. `panels` are templates of its own, by stage and
    audience: "public" for the page of a stage, "entry" for a stage on the page of who competes, "paper" for its
    table on paper, "rules" beside the rules to tell how it is decided; at the desk "desk-links" for further
    pages of the stage, "desk-entry" on the page of who competes, "desk-seats" where its seats are missing or shown.
    """

    @property
    def key(self) -> str: ...
    @property
    def label(self) -> str: ...
    @property
    def short_names(self) -> bool: ...
    @property
    def noun(self) -> str: ...
    @property
    def Rules(self) -> type[Any]: ...  # noqa: N802
    @property
    def stages(self) -> tuple[StageSpec, ...]: ...
    @property
    def panels(self) -> Mapping[tuple[str, str], str]: ...

    def table(self, facts: StageFacts, rules: Any) -> Table:
        """The table of a stage of solo games."""
        ...

    def qualifying(self, rules: Any) -> QualifyingRules:
        """The part of the rules that turns solo scores into a table."""
        ...

    def qualifiers(self, rules: Any) -> int:
        """How many go on from qualifying."""
        ...

    def counting(self, stage: str, rules: Any) -> QualifyingRules:
        """How the scores of a ranked stage make up its table."""
        ...

    def go_on(self, stage: str, rules: Any) -> int:
        """How many go on from a ranked stage."""
        ...

    def warm_up(self, rules: Any) -> int:
        """How many seconds each player may warm up before a match."""
        ...

    def machines_wanted(self, stage: str, seats: int) -> tuple[int, int | None]:
        """The least and the greatest number of machines a stage is dealt on; None: any number more."""
        ...

    def judge(
        self,
        stage: str,
        seats: Sequence[int],
        machines: Sequence[int],
        matches: Sequence[PlannedMatch],
        players: Mapping[int, str],
        named: Mapping[int, str] | None = None,
    ) -> Judgement:
        """What is wrong with the matches of a stage and how even they are; `players` are the names by entry,
        `named` those of machines.
        """
        ...

    def deal(
        self, stage: str, seats: Sequence[int], machines: Sequence[int], rules: Any, seed: int
    ) -> list[PlannedMatch]:
        """The matches of a stage: `seats` are entries in seed order; the same input gives the same matches.

        Raises `Refusal` with the reason when these numbers cannot be dealt.
        """

    def unplayable(self, rules: Any) -> list[tuple[str, str]]:
        """What the stages could not play by these rules, as (rule name, sentence)."""
        ...

    def age_limit(self, rules: Any) -> int | None:
        """The age in years that players must be under on the day; None for no limit."""
        ...

    def play_off_at_cut(self, rules: Any) -> bool:
        """Whether a tie across the cut may be settled by a play-off game; a ruling always may."""
        ...


@runtime_checkable
class Redealing(Protocol):
    """What a format has beside `Format` when it can draw the rest of a stage again; others leave it out."""

    def redeal(
        self, stage: str, running: Running, seed: int, players: Mapping[int, str], named: Mapping[int, str]
    ) -> Redealt:
        """The matches of a stage from here on; the same input gives the same matches.

        What has begun stays, and of the rest as much as can. `players` and `named` are names of entries and machines.
        Raises `Refusal` with the reason when nothing can be drawn.
        """
        ...


@runtime_checkable
class Grouping(Protocol):
    """What a format has beside `Format` when it has a stage played in groups; others leave it out."""

    def grouped(self, facts: StageFacts, rules: Any) -> Grouped:
        """The groups of a stage, each with its table and who goes on from it, and the order of their winners."""
        ...

    def letters(self, entries: int) -> Sequence[str]:
        """The group of each seed, for so many entries; raises `Refusal` where it has no groups for them."""
        ...

    def deal_groups(
        self, groups: Sequence[Sequence[int]], machines: Sequence[int], rules: Any, seed: int
    ) -> list[PlannedMatch]:
        """The matches of a stage played in groups, entries of each in seed order; the same input gives the same.

        Raises `Refusal` with the reason when these numbers cannot be dealt.
        """
        ...

    def lateness(self, rules: Any) -> int | None:
        """How many minutes after the call whoever has not come loses the match; None when nobody ever does."""
        ...


_formats: dict[str, Format] = {}


def register(chosen: Format) -> None:
    """Make a format available; a key is taken once."""
    if _formats.get(chosen.key, chosen) is not chosen:
        raise ValueError(f"There are two formats called “{chosen.key}”.")
    _formats[chosen.key] = chosen


def get(key: str) -> Format:
    """The format with this key; raises `KeyError`."""
    return _formats[key]


def known() -> tuple[Format, ...]:
    """Every format installed, in the order of registration."""
    return tuple(_formats.values())


def choices() -> list[tuple[str, str]]:
    """Key and label for forms. A function, so that a new format makes no migration."""
    return [(chosen.key, chosen.label) for chosen in known()]


def public_name(name: str, kind: Format) -> str:
    """A competitor's name as everybody may read it: "Ann S." for a child, otherwise the whole name.

    Source: house rules, "In public a child is a first name and an initial".
    """
    return short_name(name) if kind.short_names else name


def short_name(name: str) -> str:
    """A first name and the initial of the family name, where there is one: "Ann S."."""
    family = family_name(name)
    return f"{_words(name)[0]} {family[0].upper()}." if family else name


def family_name(name: str) -> str:
    """The last word of a name, or what stands before its comma; "" when there is only one name."""
    words = _words(name)
    return words[-1] if len(words) > 1 else ""


def _words(name: str) -> list[str]:
    """The words of a name with the family name last, also of "Smith, Ann"."""
    family, comma, given = name.partition(",")
    words = [*given.split(), family.strip()] if comma else name.split()
    return [word for word in words if word]


def redealing(kind: Format, stage: str) -> Redealing | None:
    """The format as one that can draw the rest of this stage again, if it can."""
    offered = any(spec.key == stage and spec.redealt for spec in kind.stages)
    return kind if offered and isinstance(kind, Redealing) else None


def grouping(kind: Format) -> Grouping:
    """The format as one that has a stage played in groups; raises `TypeError` for any other."""
    if not isinstance(kind, Grouping):
        raise TypeError(f"{kind.label} is not played in groups.")
    return kind


def lateness(kind: Format, rules: Any) -> int | None:
    """How many minutes after the call whoever has not come loses the match, in every stage of matches of a format."""
    return kind.lateness(rules) if isinstance(kind, Grouping) else None


def not_yet(kind: Format) -> tuple[str, ...]:
    """Labels of the stages that this version cannot run."""
    return tuple(spec.label for spec in kind.stages if not spec.playable)


def rule(default: Any, label: str, help_text: str, source: str = OUR_CHOICE, **limits: Any) -> Any:
    """A field of a rules dataclass.

    `limits`: `least` and `most` for whole numbers, `choices` (value to label) for words, `points` for a scale.
    """
    return field(default=default, metadata={"label": label, "help": help_text, "source": source, **limits})


@dataclass(frozen=True, slots=True)
class RuleLine:
    """One rule in force, for people."""

    name: str
    label: str
    help: str
    source: str
    value: Any
    default: Any


def rule_lines(rules: Any) -> tuple[RuleLine, ...]:
    """The rules in force, in the order of the format."""
    return tuple(
        RuleLine(
            f.name, f.metadata["label"], f.metadata["help"], f.metadata["source"], getattr(rules, f.name), f.default
        )
        for f in fields(rules)
    )


def read_rules(rules_type: type[Any], stored: Mapping[str, Any]) -> Any:
    """Rules from stored or imported values; raises `RulesFault` with every fault as (name, sentence)."""
    known_fields = {f.name: f for f in fields(rules_type)}
    faults = [(name, f"“{name}” is not a rule of this format.") for name in stored if name not in known_fields]
    values = {}
    for name, rule_field in known_fields.items():
        if name not in stored:
            continue
        try:
            values[name] = _value(rule_field, stored[name])
        except ValueError as fault:
            faults.append((name, str(fault)))
    if faults:
        raise RulesFault(faults)
    rules = replace(rules_type(), **values)
    conflicts = rules.conflicts() if hasattr(rules, "conflicts") else []
    if conflicts:
        raise RulesFault(conflicts)
    return rules


def new_rules(kind: Format, given: Mapping[str, Any]) -> Any:
    """Rules that are to be put in force; raises `RulesFault` also for what the stages of the format cannot play.

    Rules in force already are read without that: an older tournament keeps its table whatever is known by now.
    """
    rules = read_rules(kind.Rules, given)
    faults = kind.unplayable(rules)
    if faults:
        raise RulesFault(faults)
    return rules


class RulesFault(ValueError):
    """Stored or typed rules that cannot be in force; `faults` are (rule name, sentence)."""

    def __init__(self, faults: list[tuple[str, str]]) -> None:
        super().__init__(" ".join(sentence for _, sentence in faults))
        self.faults = faults


def _value(rule_field: "Field[Any]", given: Any) -> Any:
    limits = rule_field.metadata
    label = limits["label"]
    if limits.get("points"):
        points = tuple(given) if isinstance(given, (list, tuple)) else given
        if not isinstance(points, (str, tuple)):
            raise ValueError(f"{label}: give the name of a scale or a list of whole numbers.")
        try:
            scale(points)
        except ValueError as fault:
            raise ValueError(f"{label}: {fault}") from fault
        return points
    if "choices" in limits:
        if not isinstance(given, str) or given not in limits["choices"]:
            raise ValueError(f"{label}: “{given}” is not one of {', '.join(limits['choices'])}.")
        return given
    if rule_field.default is MISSING or not isinstance(rule_field.default, int):
        raise TypeError(f"rule {rule_field.name} has no kind")
    if not isinstance(given, int) or isinstance(given, bool):
        raise ValueError(f"{label}: “{given}” is not a whole number.")
    least, most = limits.get("least", 1), limits.get("most", 10_000)
    if not least <= given <= most:
        raise ValueError(f"{label}: {given} is not between {least} and {most}.")
    return given
