"""What every answer carries, who gets in, and how a "no" is told."""

import pytest
from django.contrib.auth.models import User
from django.http import HttpResponse
from django.urls import URLPattern, URLResolver, get_resolver, include, path

from tournaments.domain.refusals import NeedsDecision, Refusal, Stale
from tournaments.middleware import CONTENT_POLICY
from tournaments.permissions import public

pytestmark = pytest.mark.django_db

HTMX = {"HX-Request": "true"}


# Views that answer as ours may, beside the real ones


@public
def welcome(request):
    return HttpResponse("welcome")


def closed(request):
    return HttpResponse("inside")


@public
def refuse(request, kind):
    raise {
        "refusal": Refusal("Ann <b>Example</b> has already played Twilight Zone.", field="machine"),
        "stale": Stale("Somebody changed this score.", seen="1,000", now="2,000"),
        "decision": NeedsDecision("12,345,678? It would lead this machine.", settle="doubtful", about=(1,)),
    }[kind]


@public
def fall_over(request):
    raise ZeroDivisionError


urlpatterns = [
    path("test/welcome/", welcome),
    path("test/closed/", closed),
    path("test/refuse/<kind>/", refuse),
    path("test/fall-over/", fall_over),
    path("", include("pinparty.urls")),
]


@pytest.fixture
def ours(settings):
    settings.ROOT_URLCONF = __name__


# The content policy


@pytest.mark.parametrize("address", ["/", "/healthz", "/accounts/login", "/desk/", "/admin/", "/no/such/page"])
def test_every_answer_carries_the_content_policy(client, address):
    assert client.get(address).headers["Content-Security-Policy"] == CONTENT_POLICY


@pytest.mark.parametrize("address", ["/test/welcome/", "/test/closed/", "/test/refuse/stale/"])
def test_answers_of_every_kind_carry_the_content_policy(client, ours, address):
    assert client.get(address).headers["Content-Security-Policy"] == CONTENT_POLICY


def test_an_answer_to_a_fault_of_ours_carries_the_content_policy(client, ours):
    client.raise_request_exception = False
    answer = client.get("/test/fall-over/")

    assert answer.status_code == 500
    assert answer.headers["Content-Security-Policy"] == CONTENT_POLICY


def test_the_policy_allows_nothing_inline_and_nothing_from_elsewhere():
    assert "unsafe" not in CONTENT_POLICY
    assert "http" not in CONTENT_POLICY
    assert CONTENT_POLICY.startswith("default-src 'none'; ")


# Login


STAFF = ("desk/", "official/", "organise/")


def views(patterns=None, prefix="", namespace=""):
    """Every view that has an address: (namespace:name, address, view)."""
    for pattern in patterns if patterns is not None else get_resolver().url_patterns:
        address = prefix + str(pattern.pattern)
        if isinstance(pattern, URLResolver):
            yield from views(pattern.url_patterns, address, pattern.namespace or namespace)
        elif isinstance(pattern, URLPattern):
            yield f"{namespace}:{pattern.name}" if namespace else str(pattern.name), address, pattern.callback


def test_every_view_asks_for_a_login_unless_it_is_for_everybody():
    open_to_all = {name for name, _, view in views() if not getattr(view, "login_required", True)}

    assert {name for name in open_to_all if not name.startswith("public:")} <= {
        "healthz",
        "login",
        "admin:login",
        "admin:jsi18n",
    }


def test_no_page_of_the_desk_the_officials_or_the_organisers_is_for_everybody():
    staff = [(name, view) for name, address, view in views() if address.startswith(STAFF)]

    assert staff
    assert [name for name, view in staff if not getattr(view, "login_required", True)] == []


def test_every_page_of_the_staff_is_closed_to_whoever_is_in_no_group(client):
    client.force_login(User.objects.create_user("visitor"))
    examples = {"<slug:show>": "party", "<slug:slug>": "open", "<slug:stage>": "qualifying"}
    for name, address, _ in views():
        if not address.startswith(STAFF):
            continue
        for part, example in examples.items():
            address = address.replace(part, example)
        if "<" in address:
            address = "/".join("1" if part.startswith("<") else part for part in address.split("/"))
        for answer in (client.get(f"/{address}"), client.post(f"/{address}")):
            assert answer.status_code in (403, 405), name


def test_a_page_without_a_mark_sends_a_stranger_to_the_login_and_back(client, ours):
    answer = client.get("/test/closed/?tab=2")

    assert answer.status_code == 302
    assert answer.headers["Location"] == "/accounts/login?next=/test/closed/%3Ftab%3D2"


def test_a_page_without_a_mark_opens_after_the_login(client, ours):
    client.force_login(User.objects.create_user("somebody"))

    assert client.get("/test/closed/").content == b"inside"


def test_htmx_is_sent_to_the_login_and_back_to_the_page_and_not_to_the_fragment(client, ours):
    page = {"HX-Current-URL": "http://testserver/desk/party/open/?tab=missing"}

    answer = client.post("/test/closed/", headers={**HTMX, **page})

    assert answer.status_code == 200
    assert answer.headers["HX-Redirect"] == "/accounts/login?next=%2Fdesk%2Fparty%2Fopen%2F%3Ftab%3Dmissing"
    assert "Location" not in answer.headers


def test_htmx_that_does_not_say_where_it_is_comes_back_to_what_it_asked_for(client, ours):
    answer = client.get("/test/closed/", headers=HTMX)

    assert answer.headers["HX-Redirect"] == "/accounts/login?next=%2Ftest%2Fclosed%2F"


def test_a_form_sent_after_the_login_ran_out_leads_back_to_the_page_with_the_form(client, ours):
    answer = client.post("/test/closed/", headers={"Referer": "http://testserver/desk/party/open/?tab=2"})

    assert answer.status_code == 302
    assert answer.headers["Location"] == "/accounts/login?next=%2Fdesk%2Fparty%2Fopen%2F%3Ftab%3D2"


@pytest.mark.parametrize("elsewhere", ["http://evil.example/trap/", "http://testserver//evil.example/", ""])
def test_no_header_leads_away_from_this_site(client, ours, elsewhere):
    for answer in (
        client.post("/test/closed/", headers={**HTMX, "HX-Current-URL": elsewhere}),
        client.post("/test/closed/", headers={"Referer": elsewhere}),
    ):
        back = answer.headers.get("HX-Redirect") or answer.headers["Location"]
        assert back.startswith("/accounts/login?next=%2F")
        assert not back.startswith("/accounts/login?next=%2F%2F")


# Refusals


@pytest.mark.parametrize(
    ("kind", "status", "told"),
    [
        ("refusal", 422, ["Ann &lt;b&gt;Example&lt;/b&gt; has already played Twilight Zone."]),
        ("stale", 409, ["Somebody changed this score.", "1,000", "2,000"]),
        ("decision", 409, ["12,345,678? It would lead this machine."]),
    ],
)
@pytest.mark.parametrize("headers", [{}, HTMX])
def test_a_no_is_told_in_its_sentence_with_its_status(client, ours, kind, status, told, headers):
    answer = client.post(f"/test/refuse/{kind}/", headers=headers)

    assert answer.status_code == status
    for words in told:
        assert words in answer.content.decode()


def test_a_no_to_htmx_goes_into_the_notice_and_is_no_whole_page(client, ours):
    answer = client.post("/test/refuse/refusal/", headers=HTMX)

    assert answer.headers["HX-Retarget"] == "#notice"
    assert answer.headers["HX-Reswap"] == "innerHTML"
    assert "<html" not in answer.content.decode()


@pytest.mark.parametrize(
    ("came_from", "back"),
    [
        ("http://testserver/desk/party/open/?tab=2", 'href="/desk/party/open/?tab=2"'),
        ("http://evil.example/desk/", 'href="/"'),
        ("", 'href="/"'),
    ],
)
def test_a_no_on_a_page_of_its_own_leads_back_to_where_the_form_was(client, ours, came_from, back):
    answer = client.post("/test/refuse/refusal/", headers={"Referer": came_from}).content.decode()

    assert "<html" in answer
    assert back in answer


def test_a_fault_of_ours_is_not_dressed_up_as_a_no(client, ours):
    with pytest.raises(ZeroDivisionError):
        client.get("/test/fall-over/")
