"""The import page: the same files and the same report as the command, tried out first if one likes."""

import io
import zipfile

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import call_command

from tests import factories
from tests.tournaments.admin.pages import every_change_is_in_the_journal, text
from tournaments.models import Entry, Journal, Machine, Score, Show, Tournament
from tournaments.services import exchange
from tournaments.views import uploads

ADDRESS = "/organise/import/"


def send(client, files, button="import", **headers):
    chosen = [SimpleUploadedFile(name, content) for name, content in files.items()]
    return client.post(ADDRESS, {"files": chosen, button: "yes"}, **headers)


def zipped(files, folder="", way=zipfile.ZIP_DEFLATED):
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", way) as archive:
        for name, content in files.items():
            archive.writestr(folder + name, content)
    return packed.getvalue()


def nothing_is_there():
    counts = [model.objects.count() for model in (Show, Tournament, Machine, Entry, Score, Journal)]
    return counts == [0] * 6


def told(answer):
    return [(fault.file, fault.line, fault.reason) for fault in answer.context["faults"]]


def test_a_good_folder_is_imported_by_the_person_who_sent_it(organiser, folder):
    answer = send(organiser, folder)

    assert answer.status_code == 200
    tournament = Tournament.objects.get()
    assert tournament.path == "party-2011/open"
    assert Score.objects.get(entry__number=7).value == 99_999_999_990
    assert {line.actor.username for line in Journal.objects.exclude(actor=None)} == {"olivia"}
    assert str(answer.context["report"]) in text(answer)
    assert f'href="{tournament.get_absolute_url()}"' in answer.content.decode()
    assert every_change_is_in_the_journal()


def test_the_report_is_that_of_the_command(organiser, folder, tmp_path, capsys):
    for name, content in folder.items():
        (tmp_path / name).write_bytes(content)
    call_command("import_tournament", str(tmp_path), "--dry-run")
    of_the_command = capsys.readouterr().out.strip()

    answer = send(organiser, folder, "check")

    assert str(answer.context["report"]) == of_the_command
    assert of_the_command in text(answer)


def test_checking_changes_nothing(organiser, folder):
    answer = send(organiser, folder, "check")

    assert answer.status_code == 200
    assert "No faults were found." in text(answer)
    assert nothing_is_there()


def test_the_same_files_again_change_nothing(organiser, folder):
    send(organiser, folder)
    before = Journal.objects.count()

    answer = send(organiser, folder)

    assert "nothing new" in text(answer)
    assert Journal.objects.count() == before


@pytest.mark.parametrize("button", ["check", "import"])
def test_every_fault_is_listed_with_file_line_and_reason_and_nothing_changes(organiser, folder, button):
    folder["entries.csv"] += b"7,Cat Cole,UK\n"
    folder["scores.csv"] += b"7,XX,5\n17,MM,1.5\n"

    answer = send(organiser, folder, button)

    assert answer.status_code == 422
    where = [(file, line) for file, line, _ in told(answer)]
    assert where == [("entries.csv", 4), ("scores.csv", 5), ("scores.csv", 6)]
    words = text(answer)
    assert "Nothing was changed. There are 3 faults." in words
    assert all(reason in words for _, _, reason in told(answer))
    assert nothing_is_there()


def test_the_faults_are_those_of_the_command(organiser, folder):
    folder["scores.csv"] += b"7,XX,5\n8,TZ,5\n"
    del folder["machines.csv"]
    with pytest.raises(exchange.Faults) as faults:
        exchange.import_files(folder, actor=None)

    answer = send(organiser, folder)

    assert answer.context["faults"] == faults.value.faults


def test_a_name_out_of_a_file_is_shown_as_text(organiser, folder):
    folder["entries.csv"] += b"8,<script>alert(1)</script>,UK\n8,Twice,UK\n"
    folder["<b>x</b>.doc"] = b"x"

    html = send(organiser, folder).content.decode()

    assert "<script>alert" not in html
    assert "<b>x" not in html


def test_nothing_chosen_is_said(organiser):
    answer = organiser.post(ADDRESS, {"import": "yes"})

    assert answer.status_code == 422
    assert "Choose the files of a tournament folder, or one zip file." in text(answer)


def test_htmx_gets_the_report_alone_so_that_the_files_stay_chosen(organiser, folder):
    good = send(organiser, folder, "check", headers={"HX-Request": "true"})
    del folder["machines.csv"]
    bad = send(organiser, folder, "check", headers={"HX-Request": "true"})

    assert (good.status_code, bad.status_code) == (200, 422)
    for answer in (good, bad):
        html = answer.content.decode()
        assert '<div class="notice' in html
        assert "<form" not in html
        assert "<html" not in html


def test_the_same_file_chosen_twice_is_refused(organiser, folder):
    twice = [SimpleUploadedFile("entries.csv", content) for content in (folder["entries.csv"], b"number,name\n")]

    answer = organiser.post(ADDRESS, {"files": twice, "import": "yes"})

    assert told(answer) == [("entries.csv", None, "The file was chosen twice.")]


@pytest.mark.parametrize("inside", ["", "my-folder/", "show/open/", "from-windows\\"])
def test_a_zip_file_is_its_folder(organiser, folder, inside):
    noise = {
        f"{inside}sub/notes.csv": b"x",
        f"__MACOSX/{inside}._entries.csv": b"x",
        f"{inside}.DS_Store": b"x",
    }
    content = zipped({**{inside + name: data for name, data in folder.items()}, **noise})

    answer = send(organiser, {"open.zip": content})

    assert answer.status_code == 200, told(answer)
    assert Score.objects.count() == 3


def test_a_zip_file_with_two_tournaments_is_refused(organiser, folder):
    two = {**{f"a/{name}": data for name, data in folder.items()}, "b/tournament.toml": folder["tournament.toml"]}

    answer = send(organiser, {"both.zip": zipped(two)})

    assert told(answer) == [("both.zip", None, "It holds several tournament folders (a, b); import one at a time.")]


def test_a_zip_file_beside_other_files_is_refused(organiser, folder):
    answer = send(organiser, {**folder, "open.zip": zipped(folder)})

    assert told(answer) == [("open.zip", None, "Choose one zip file, or files that are not packed.")]
    assert nothing_is_there()


@pytest.mark.parametrize("content", [b"", b"PK", b"not a zip file", b"PK\x03\x04" + b"\0" * 100])
def test_what_is_no_zip_file_is_said(organiser, content):
    answer = send(organiser, {"open.zip": content})

    assert answer.status_code == 422
    assert "cannot be unpacked" in told(answer)[0][2] or "Choose the files" in told(answer)[0][2]


def test_a_damaged_zip_file_is_said(organiser, folder):
    content = bytearray(zipped({"tournament.toml": folder["tournament.toml"] * 50}))
    content[60:90] = b"\xff" * 30

    answer = send(organiser, {"open.zip": bytes(content)})

    assert "cannot be unpacked" in told(answer)[0][2]


@pytest.mark.parametrize("way", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_a_zip_file_packed_in_an_unusual_way_is_refused_before_it_is_unpacked(organiser, folder, way):
    answer = send(organiser, {"open.zip": zipped(folder, way=way)})

    assert answer.status_code == 422
    reason = "open.zip packs it in an unusual way; make an ordinary zip file."
    assert told(answer) == [("tournament.toml", None, reason)]


def test_a_zip_file_with_a_name_nobody_can_read_is_said(organiser):
    content = zipped({"é.csv": b"x"}).replace("é".encode(), b"\xff\xfe")

    answer = send(organiser, {"open.zip": content})

    assert answer.status_code == 422
    assert "The zip file cannot be unpacked" in text(answer)


def test_a_small_zip_file_that_unpacks_without_end_is_refused_at_the_limit(organiser, folder, monkeypatch):
    monkeypatch.setattr(uploads, "MOST_BYTES", 1_000_000)
    bomb = zipped({**folder, "readme.txt": b"0" * 3_000_000})
    assert len(bomb) < 20_000

    answer = send(organiser, {"bomb.zip": bomb})

    assert "more than a tournament folder can be" in told(answer)[0][2]
    assert nothing_is_there()


def test_too_many_files_are_refused(organiser, folder, monkeypatch):
    monkeypatch.setattr(uploads, "MOST_FILES", 3)

    packed = send(organiser, {"open.zip": zipped(folder)})
    single = send(organiser, folder)

    for answer in (packed, single):
        assert "more than a tournament folder can be" in told(answer)[0][2]


def test_files_that_are_too_large_are_refused_before_they_are_read(organiser, folder, monkeypatch):
    monkeypatch.setattr(uploads, "MOST_BYTES", 100)

    answer = send(organiser, folder)

    assert "more than a tournament folder can be" in told(answer)[0][2]


@pytest.mark.parametrize("role", ["desk", "official", ""])
def test_other_roles_are_refused(client, db, folder, role):
    client.force_login(factories.user(role))

    for address in ("/organise/", ADDRESS, "/organise/templates/open/", "/organise/export/party/open/"):
        assert client.get(address).status_code == 403
    assert send(client, folder).status_code == 403
    assert nothing_is_there()


def test_who_is_not_signed_in_is_asked_to(client, db, folder):
    for address in ("/organise/", ADDRESS, "/organise/templates/open/", "/organise/export/party/open/"):
        assert client.get(address).url.startswith("/accounts/login")
    assert send(client, folder).status_code == 302
    assert nothing_is_there()
