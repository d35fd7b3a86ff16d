"""How tests read a page: as the words a reader sees, and as the lines of its tables."""

from html.parser import HTMLParser

from django.test import Client

from tournaments import live, selectors


def as_a_new_reader(world_or_tournament, path):
    """The words of a public page as a process shows it that has just begun: none is kept, not even for a second."""
    tournament = getattr(world_or_tournament, "tournament", world_or_tournament)
    selectors._now_known.clear()
    live.forget_everything()
    return text(Client().get(f"/t/{tournament.show.slug}/{tournament.slug}/{path}"))


class _Words(HTMLParser):
    def __init__(self):
        super().__init__()
        self.words, self.tables, self.silent, self.cell = [], [], 0, None

    def handle_starttag(self, tag, attrs):
        if tag in {"script", "title", "style"}:
            self.silent += 1
        elif tag == "table":
            self.tables.append((dict(attrs).get("class") or "", []))
        elif tag == "tr" and self.tables:
            self.tables[-1][1].append([])
        elif tag in {"td", "th"} and self.tables:
            self.cell = []
            self.tables[-1][1][-1].append(self.cell)
        self.words.append(" ")

    def handle_endtag(self, tag):
        if tag in {"script", "title", "style"}:
            self.silent -= 1
        elif tag in {"td", "th"}:
            self.cell = None
        self.words.append(" ")

    def handle_data(self, data):
        if self.silent:
            return
        self.words.append(data)
        if self.cell is not None:
            self.cell.append(data)


def _joined(parts):
    return " ".join("".join(parts).replace("\u00a0", " ").split()).replace(" .", ".").replace(" ,", ",")


def text(response):
    """What a reader sees, without tags."""
    page = _Words()
    page.feed(response.content.decode())
    return _joined(page.words)


def table(response, wanted=""):
    """The lines below the head of the first table, or of the first one of that class, as lists of cells."""
    page = _Words()
    page.feed(response.content.decode())
    for name, lines in page.tables:
        if not wanted or wanted in name.split():
            return [[_joined(cell) for cell in line] for line in lines[1:]]
    return []


def standings(response):
    """The lines of the standings as (place, name and number, points, status); the cut line is one string."""
    lines = []
    for cells in table(response, "standings"):
        if len(cells) == 1:
            lines.append(cells[0])
        else:
            place, who, _, _, points, _, status = cells
            lines.append((place, who, int(points.split()[0]), status))
    return lines
