"""Every page of the admin can be opened by an organiser and by nobody else, searched and filtered."""

import re

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from tests import factories
from tests.tournaments.admin.pages import text
from tournaments.admin import site
from tournaments.models import Journal, Score
from tournaments.services import places, rulings, stages

MODELS = [
    "show", "tournament", "stage", "machine", "stagemachine", "placepool", "player", "entry", "user",
    "score", "seat", "ruling", "journal",
]  # fmt: skip
ADDABLE = {"show", "tournament", "machine", "stagemachine", "placepool", "entry", "user"}
CHANGEABLE = {"show", "tournament", "stage", "machine", "placepool", "player", "user"}


@pytest.fixture
def everything(db):
    """A row of every model there is."""
    world = factories.qualifying(players=5, stock=6, rules={"qualifiers": 2})
    places.offer(world.tournament, actor=None, kind="pre-registered", capacity=60)
    factories.closed(world, [[50], [40], [40], [30], [20]])
    rulings.rule_order(
        world.stage, actor=None, order=[world.entries[2].pk, world.entries[1].pk], reason="The organisers decided so."
    )
    stages.declare_cut(world.stage, actor=None)
    return world


def a_row(model):
    registered = {admin.opts.model_name: kind for kind, admin in site._registry.items()}
    return registered[model]._default_manager.order_by("pk").first()


def test_every_model_of_the_house_is_there():
    assert {admin.opts.model_name for admin in site._registry.values()} >= set(MODELS)


@pytest.mark.parametrize("model", MODELS)
def test_an_organiser_can_open_list_row_and_history(pages, everything, model):
    row = a_row(model)

    assert row is not None
    assert pages.get(model).status_code == 200
    assert pages.get(model, "change", row.pk).status_code == 200
    assert pages.client.get(pages.url(model, "history", row.pk), follow=True).status_code == 200


@pytest.mark.parametrize("model", MODELS)
def test_every_list_can_be_searched_and_filtered(pages, everything, model):
    admin = next(admin for admin in site._registry.values() if admin.opts.model_name == model)

    assert admin.search_fields
    assert admin.list_filter
    assert pages.get(model, q="zebra").status_code == 200
    assert pages.get(model, q="1").status_code == 200
    changes = pages.get(model).context["cl"]
    for spec in changes.filter_specs:
        for choice in spec.choices(changes):
            assert pages.client.get(pages.url(model, "changelist") + choice["query_string"]).status_code == 200


@pytest.mark.parametrize("model", MODELS)
def test_only_what_a_service_makes_can_be_added(pages, everything, model):
    assert pages.get(model, "add").status_code == (200 if model in ADDABLE else 403)


@pytest.mark.parametrize("model", MODELS)
def test_nothing_can_be_deleted(pages, everything, model):
    row = a_row(model)
    before = type(row)._default_manager.count()

    assert pages.get(model, "delete", row.pk).status_code == 403
    assert pages.client.post(pages.url(model, "delete", row.pk), {"post": "yes"}).status_code == 403
    pages.client.post(
        pages.url(model, "changelist"), {"action": "delete_selected", "_selected_action": row.pk, "post": "yes"}
    )
    assert type(row)._default_manager.count() == before
    assert "delete" not in pages.get(model, "change", row.pk).content.decode().lower().replace("deletelink", "")


@pytest.mark.parametrize("model", sorted(set(MODELS) - CHANGEABLE))
def test_what_is_only_looked_at_refuses_a_form_made_by_hand(pages, everything, model):
    row = a_row(model)
    fields = {field.attname: field.value_from_object(row) for field in row._meta.concrete_fields}
    sent = {name: 99 if isinstance(value, int) else "changed" for name, value in fields.items()}

    answer = pages.client.post(pages.url(model, "change", row.pk), sent)

    assert answer.status_code == 403
    row.refresh_from_db()
    assert {field.attname: field.value_from_object(row) for field in row._meta.concrete_fields} == fields


@pytest.mark.parametrize("role", ["desk", "official", ""])
@pytest.mark.parametrize("model", MODELS)
def test_other_roles_are_turned_away(client, everything, role, model):
    client.force_login(factories.user(role, is_staff=True))

    for page in ("changelist", "add"):
        address = reverse(f"admin:{'auth' if model == 'user' else 'tournaments'}_{model}_{page}")
        assert client.get(address, follow=True).status_code == 403
        assert client.post(address, {"name": "x"}, follow=True).status_code == 403


def test_who_is_not_signed_in_is_sent_to_the_one_login_and_back(client, db):
    answer = client.get("/admin/tournaments/show/", follow=True)

    assert answer.redirect_chain[-1][0] == "/accounts/login?next=/admin/tournaments/show/"


def test_a_superuser_without_a_group_may_come_in(client, db):
    client.force_login(factories.user("", "root", is_superuser=True))

    assert client.get("/admin/").status_code == 200


def test_the_front_page_is_sorted_by_what_people_do(pages, everything):
    words = text(pages.client.get("/admin/"))

    assert words.index("Set up") < words.index("People") < words.index("Look up")
    assert "Organising the show" in words


@pytest.mark.parametrize("model", MODELS)
def test_a_list_takes_the_same_number_of_queries_whatever_its_length(pages, everything, model):
    def count():
        with CaptureQueriesContext(connection) as queries:
            pages.get(model)
        return len(queries)

    count()
    with_few = count()
    more = factories.closed(factories.qualifying(players=9, stock=9, of=everything.show, format="kids"), [[9]] * 9)
    places.offer(more.tournament, actor=None, kind="last-chance", capacity=12)
    for number in range(5):
        factories.show(f"show-{number}")
        factories.user("desk", f"volunteer-{number}")

    # Filters list what there is: a second tournament or show may make one more of them appear.
    assert count() <= with_few + 4


def test_the_history_of_a_score_an_entry_and_a_machine_is_their_part_of_the_journal(pages, world):
    score, machine = Score.objects.get(), world.machines[1]

    of_score = pages.client.get(pages.url("score", "history", score.pk), follow=True).context["cl"].result_list
    of_entry = (
        pages.client.get(pages.url("entry", "history", world.entries[1].pk), follow=True).context["cl"].result_list
    )
    of_player = pages.client.get(pages.url("player", "history", world.entries[1].player_id), follow=True)
    of_machine = pages.client.get(pages.url("machine", "history", machine.pk), follow=True).context["cl"].result_list

    assert [line.action for line in of_score] == ["record score"]
    assert [line.action for line in of_entry] == ["register"]
    assert [line.action for line in of_player.context["cl"].result_list] == ["register"]
    assert {line.action for line in of_machine} == {"use machine", "add machine"}


def test_a_journal_line_shows_what_was_before_and_after(pages, world):
    line = Journal.objects.get(action="record score")

    words = text(pages.get("journal", "change", line.pk))

    assert "1 Player 1 on Machine 1 (M1): 1,000,000." in words
    assert '"value": 1000000' in words
    assert "at the server's console" in words


def test_a_score_leads_to_the_desk_where_it_can_be_corrected(pages, world):
    score = Score.objects.get()

    html = pages.get("score", "change", score.pk).content.decode()

    assert f'href="/desk/party/open/qualifying/scores/{score.pk}/"' in html
    assert 'name="_save"' not in html


def test_no_page_holds_an_inline_script_or_style(pages, everything):
    for model in MODELS:
        addresses = [pages.url(model, "changelist"), pages.url(model, "change", a_row(model).pk)]
        addresses += [pages.url(model, "add")] if model in ADDABLE else []
        for address in addresses:
            html = pages.client.get(address).content.decode()
            assert not re.findall(r"<script(?![^>]*\bsrc=)(?![^>]*application/json)[^>]*>", html), address
            assert "<style" not in html, address
            assert not re.findall(r"<[^>]+\s(?:style|on\w+)=", html), address


def test_every_field_that_can_be_typed_says_what_it_means_or_is_named_plainly(pages, everything):
    plain = {
        "name",
        "venue",
        "maker",
        "year",
        "day",
        "first day",
        "last day",
        "country",
        "ifpa number",
        "stage",
        "machine",
    }
    plain |= {
        "username",
        "first name",
        "last name",
        "password",
        "e-mail",
        "email address",
        "role",
        "show",
        "kind",
        "reason",
    }
    plain |= {"tournament", "e mail"}
    for model in sorted(ADDABLE | CHANGEABLE):
        page = pages.get(model, "add") if model in ADDABLE else pages.get(model, "change", a_row(model).pk)
        for bound in page.context["adminform"].form:
            named = str(bound.label).lower()
            assert bound.help_text or bound.is_hidden or named in plain, (model, named)
