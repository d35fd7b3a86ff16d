"""The rules of a format as form fields, made from the rules dataclass alone: a new format needs nothing here."""

import json
from collections.abc import Mapping
from dataclasses import Field, fields
from typing import Any

from django import forms

from tournaments import formats
from tournaments.domain.points import NAMED

PREFIX = "rule_"


class PointsField(forms.CharField):
    """The name of a points scale, or a list of whole numbers with or without its brackets."""

    def to_python(self, value: Any) -> Any:
        text = " ".join(str(value or "").split())
        inner = text.removeprefix("[").removesuffix("]").replace(" ", "")
        # A name such as linear-100 holds letters; a list holds none.
        if not inner or any(sign.isalpha() for sign in inner):
            return text
        try:
            return tuple(json.loads(f"[{inner.strip(',')}]"))
        except ValueError as fault:
            raise forms.ValidationError("Write a list of whole numbers such as 15, 12, 10, 8.") from fault

    def prepare_value(self, value: Any) -> Any:
        return ", ".join(str(points) for points in value) if isinstance(value, (list, tuple)) else value

    def has_changed(self, initial: Any, data: Any) -> bool:
        try:
            return self.to_python(self.prepare_value(initial)) != self.to_python(data)
        except forms.ValidationError:
            return True


def form_fields(kind: formats.Format, rules: Any) -> dict[str, forms.Field]:
    """A field for each rule of the format, holding what is in force, with meaning, source and default."""
    lines = {line.name: line for line in formats.rule_lines(rules)}
    return {PREFIX + f.name: _form_field(f, lines[f.name]) for f in fields(kind.Rules)}


def typed_rules(cleaned: Mapping[str, Any]) -> dict[str, Any]:
    """The rules typed in, by name, as they are stored."""
    return {
        name.removeprefix(PREFIX): list(value) if isinstance(value, tuple) else value
        for name, value in cleaned.items()
        if name.startswith(PREFIX)
    }


def faults(kind: formats.Format, typed: Mapping[str, Any]) -> list[tuple[str, str]]:
    """What is wrong with the typed rules, as (form field, sentence)."""
    try:
        formats.new_rules(kind, typed)
    except formats.RulesFault as fault:
        return [(PREFIX + name, sentence) for name, sentence in fault.faults]
    return []


def in_words(value: Any, limits: Mapping[str, Any]) -> str:
    """A rule's value for people."""
    if isinstance(value, (list, tuple)):
        return ", ".join(str(points) for points in value)
    return str(limits.get("choices", {}).get(value, value))


def _form_field(rule: "Field[Any]", line: formats.RuleLine) -> forms.Field:
    limits = rule.metadata
    meaning = f"{line.help} {line.source.capitalize()}. Default: {in_words(line.default, limits).removesuffix('.')}."
    common = {"label": line.label, "initial": line.value, "help_text": meaning}
    if limits.get("points"):
        if not all(name in line.help for name in NAMED):
            common["help_text"] = f"{meaning} Scales: {', '.join(NAMED)}."
        return PointsField(**common)
    if "choices" in limits:
        return forms.ChoiceField(choices=list(limits["choices"].items()), **common)
    # A text box: a number box changes when the wheel turns over it.
    widget = forms.TextInput(attrs={"inputmode": "numeric", "size": 6})
    return forms.IntegerField(widget=widget, error_messages={"invalid": "Write a whole number."}, **common)
