"""The same person twice: an organiser makes one record of two, or two of one again."""

from functools import partial
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_http_methods

from tournaments import permissions, selectors
from tournaments.domain.refusals import Refusal
from tournaments.forms import SamePersonForm
from tournaments.models import Player, Stage
from tournaments.services import effects, people
from tournaments.views import journal
from tournaments.views.desk.common import actor, entry_of, once, page, posted_from, slips_stage, stage_url, to_page
from tournaments.views.desk.confirm import confirmed


@slips_stage
@permissions.organiser
@require_http_methods(["GET", "HEAD", "POST"])
def same_person(request: HttpRequest, stage: Stage, number: int) -> HttpResponse:
    """Choose the other record, compare both, see what would change, merge."""
    person = entry_of(stage, number).person
    if request.method != "POST":
        form = SamePersonForm(request.GET or None, person=person)
        form.is_valid()
        return _page(request, stage, person, form)
    form = SamePersonForm(request.POST, person=person)
    if not form.is_valid() or form.cleaned_data["other"] is None:
        return _page(request, stage, person, form, Refusal("Say which other record it is.", field="other"))
    # Whoever's number was given up is found by it all the same.
    again = partial(to_page, "desk:entry", stage, number)
    return once(request, lambda: _merge(request, stage, person, form), again=again)


def _merge(request: HttpRequest, stage: Stage, person: Player, form: SamePersonForm) -> HttpResponse:
    typed, other = form.cleaned_data, form.cleaned_data["other"]
    if typed["keep"] not in (str(person.number), str(other.number)):
        return _page(request, stage, person, form, Refusal("Choose which number is kept.", field="keep"))
    keep, gone = (person, other) if typed["keep"] == str(person.number) else (other, person)
    outcome = confirmed(
        request,
        stage,
        lambda shown, _: people.merge(keep, gone, actor=actor(request), reason=typed["reason"], shown=shown),
        look=partial(effects.tried_out, partial(people.picture, keep)),
        title=f"{gone} is the same person as {keep}",
        button="Make them one person",
        done=f"{gone} is {keep} now; a search for number {gone.number} finds number {keep.number}.",
        back=stage_url("desk:entry", stage, keep.number),
    )
    return _page(request, stage, person, form, outcome) if isinstance(outcome, Refusal) else outcome


def _to_their_journal(request: HttpRequest, stage: Stage, number: int) -> HttpResponse:
    return redirect(journal.journal_url(stage.tournament.show, player=entry_of(stage, number).person.number))


@slips_stage
@permissions.organiser
@posted_from("desk:same-person", done=_to_their_journal)
def take_apart(request: HttpRequest, stage: Stage, number: int) -> HttpResponse:
    """Two persons again, after a preview."""
    person = entry_of(stage, number).person
    gone = next((each for each in _merged(person) if str(each.number) == request.POST.get("gone")), None)
    if gone is None:
        messages.info(request, f"{person} and that record are two persons already.")
        return to_page("desk:same-person", stage, number)
    reason = request.POST.get("reason", "")
    outcome = confirmed(
        request,
        stage,
        lambda shown, _: people.take_apart(gone, actor=actor(request), reason=reason, shown=shown),
        look=partial(effects.tried_out, partial(people.picture, person)),
        title=f"{gone} and {person} are two persons",
        button="Make them two persons again",
        done=f"{gone} and {person} are two persons again.",
        back=journal.journal_url(stage.tournament.show, player=person.number),
    )
    form = SamePersonForm(person=person)
    return _page(request, stage, person, form, outcome, apart=gone) if isinstance(outcome, Refusal) else outcome


def _page(
    request: HttpRequest,
    stage: Stage,
    person: Player,
    form: SamePersonForm,
    refusal: Refusal | None = None,
    apart: Player | None = None,
) -> HttpResponse:
    other = form.cleaned_data.get("other") if form.is_bound else None
    context: dict[str, Any] = {
        "person": person,
        "other": other,
        "records": [_record(each) for each in (person, other)] if other else [],
        "maybe": selectors.maybe_the_same(person),
        "merged": _merged(person),
        "apart": apart,
        "keep": request.POST.get("keep", str(person.number)),
        "reason": request.POST.get("reason", ""),
        "form": form,
    }
    faulty = form.is_bound and bool(form.errors) and request.method == "POST"
    return page(request, "same_person", stage, context, refusal, status=422 if faulty else 200)


def _record(person: Player) -> dict[str, Any]:
    """A record with what is entered under it, for comparing two."""
    return {"person": person, "entries": selectors.entries_with_games(person)}


def _merged(person: Player) -> list[Player]:
    return list(person.merged.order_by("number"))
