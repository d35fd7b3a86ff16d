"""The admin and the import page in a real browser: Django's own scripts live with our content policy."""

import re

import pytest
from playwright.sync_api import expect

from tests import factories

pytestmark = pytest.mark.django_db(transaction=True)

FILES = {
    "tournament.toml": 'show = "Party 2011"\nshow_slug = "party-2011"\nname = "The Open"\nslug = "open"\n'
    'format = "open"\nstarts_on = 2011-07-23\n',
    "machines.csv": "code,name\nTZ,Twilight Zone\n",
    "entries.csv": "number,name\n7,Ann Archer\n",
    "scores.csv": "number,machine,score\n7,TZ,12\n",
}


@pytest.fixture
def signed_in(browser_page):
    """signed_in(390, "/admin/") is a page of that width at that address, opened by an organiser."""
    factories.user("organiser", "olivia")

    def open_at(width, address):
        page = browser_page(width)
        page.goto(f"/accounts/login?next={address}")
        page.fill("[name=username]", "olivia")
        page.fill("[name=password]", "secret-of-the-hall")
        page.press("[name=password]", "Enter")
        page.wait_for_url(lambda url: "login" not in url)
        return page

    return open_at


def files(folder, **changed):
    chosen = []
    for name, text in {**FILES, **changed}.items():
        (folder / name).write_text(text)
        chosen.append(folder / name)
    return chosen


@pytest.mark.parametrize("width", [390, 1024, 1920])
def test_the_admin_fits_every_width(signed_in, width):
    world = factories.qualifying(players=2, stock=2)
    page = signed_in(width, "/admin/")

    for address in ("tournaments/entry/", f"tournaments/tournament/{world.tournament.pk}/change/", "auth/user/add/"):
        page.goto(f"/admin/{address}")
        assert page.evaluate("document.documentElement.scrollWidth") <= width, address


def test_the_calendar_the_clock_and_the_search_box_work(signed_in):
    world = factories.qualifying(players=2, stock=2)
    page = signed_in(1024, f"/admin/tournaments/stage/{world.stage.pk}/change/")

    page.click(".field-opens_at .date-icon")
    page.locator(".calendarbox:visible td:not(.nonday) a").nth(3).click()
    page.click(".field-opens_at .clock-icon")
    page.get_by_text("6 a.m.").locator("visible=true").click()
    page.click("[name=_save]")
    expect(page.locator(".messagelist")).to_contain_text("was changed successfully")

    page.goto("/admin/tournaments/entry/add/")
    page.click(".field-player .select2-selection")
    page.fill(".select2-search__field", "Player 2")
    page.locator(".select2-results__option", has_text="2 Player 2").click()
    expect(page.locator(".field-player .select2-selection")).to_contain_text("2 Player 2")


def test_the_wheel_over_a_rule_leaves_it_as_it_is(signed_in):
    world = factories.qualifying(players=1, stock=1)
    page = signed_in(1024, f"/admin/tournaments/tournament/{world.tournament.pk}/change/")

    page.click("[name=rule_qualifiers]")
    page.mouse.wheel(0, 400)

    expect(page.locator("[name=rule_qualifiers]")).to_have_value("24")


@pytest.mark.parametrize("width", [390, 1024])
def test_files_are_checked_and_then_imported_without_choosing_them_again(signed_in, tmp_path, width):
    page = signed_in(width, "/organise/import/")

    page.set_input_files("#files", files(tmp_path))
    page.get_by_role("button", name="Check only").click()
    expect(page.get_by_role("status").filter(has_text="Tried out")).to_contain_text("No faults were found.")
    page.get_by_role("button", name="Import").click()
    expect(page.get_by_role("link", name="Public page")).to_be_visible()

    assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_faults_are_listed_beside_the_form(signed_in, tmp_path):
    page = signed_in(1024, "/organise/import/")

    page.set_input_files("#files", files(tmp_path, **{"scores.csv": "number,machine,score\n8,TZ,1.5\n"}))
    page.get_by_role("button", name="Import").click()

    expect(page.get_by_text("Nothing was changed.")).to_be_visible()
    expect(page.get_by_role("row", name=re.compile("scores.csv 2"))).not_to_have_count(0)
