"""The organisers' own pages: a tournament from files, empty files to fill in, and a tournament as files."""

import io
import zipfile
from collections.abc import Mapping
from functools import partial

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_http_methods

from tournaments import formats, permissions
from tournaments.domain.refusals import Refusal
from tournaments.models import Tournament
from tournaments.services import exchange
from tournaments.services.exchange import Fault
from tournaments.views.desk.common import actor, attempt
from tournaments.views.uploads import folder_files


@never_cache
@permissions.organiser
@require_GET
def home(request: HttpRequest) -> HttpResponse:
    """What an organiser can do, where; every tournament as files; every format as empty files."""
    tournaments = Tournament.objects.select_related("show").order_by("-show__starts_on", "show", "starts_on", "slug")
    context = {"here": "home", "tournaments": tournaments, "formats": _formats()}
    return render(request, "tournaments/organiser/home.html", context)


@never_cache
@permissions.organiser
@require_http_methods(["GET", "POST"])
def import_folder(request: HttpRequest) -> HttpResponse:
    """A tournament folder, tried out or taken, with the report of `import_tournament`."""
    if request.method == "GET":
        return render(request, "tournaments/organiser/import.html", {"here": "import", "formats": _formats()})
    answer = attempt(partial(_import, request))
    refused = isinstance(answer, Refusal)
    context = {
        "here": "import",
        "formats": _formats(),
        "report": None if refused else answer,
        "faults": answer.faults if isinstance(answer, exchange.Faults) else (),
        "tournament": None if isinstance(answer, Refusal) else _tournament(answer.path),
        "refusal": answer if refused else None,
    }
    page = "_import_report.html" if "HX-Request" in request.headers else "import.html"
    return render(request, f"tournaments/organiser/{page}", context, status=422 if refused else 200)


@permissions.organiser
@require_GET
def template(request: HttpRequest, key: str) -> HttpResponse:
    """The empty files of a format, packed."""
    if key not in dict(formats.choices()):
        raise Http404(f"There is no format “{key}”.")
    return _download(exchange.template(key), key)


@never_cache
@permissions.organiser
@require_GET
def export(request: HttpRequest, show: str, slug: str) -> HttpResponse:
    """A tournament as its folder, packed."""
    tournament = get_object_or_404(Tournament.objects.select_related("show"), show__slug=show, slug=slug)
    return _download(exchange.dump(tournament), f"{show}-{slug}")


def _import(request: HttpRequest) -> exchange.Report:
    uploads = request.FILES.getlist("files")
    if not uploads:
        raise exchange.Faults([Fault("Files", None, "Choose the files of a tournament folder, or one zip file.")])
    return exchange.import_files(folder_files(uploads), actor=actor(request), dry_run="check" in request.POST)


def _tournament(path: str) -> Tournament | None:
    """The tournament of a report; None when it was only tried out."""
    show, _, slug = path.partition("/")
    return Tournament.objects.select_related("show").filter(show__slug=show, slug=slug).first()


def _formats() -> list[dict[str, object]]:
    return [{"key": kind.key, "label": kind.label, "not_yet": formats.not_yet(kind)} for kind in formats.known()]


def _download(files: Mapping[str, bytes], name: str) -> HttpResponse:
    """One zip file with one folder in it."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for file, content in files.items():
            archive.writestr(f"{name}/{file}", content)
    headers = {"Content-Disposition": f'attachment; filename="{name}.zip"'}
    return HttpResponse(packed.getvalue(), content_type="application/zip", headers=headers)
