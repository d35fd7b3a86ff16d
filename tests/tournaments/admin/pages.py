"""The admin's forms as a person has them: opened as they are, some fields changed, sent."""

from html.parser import HTMLParser

from django.urls import reverse

from tournaments.models import Show, Tournament


class Pages:
    def __init__(self, client):
        self.client = client

    def url(self, model, page, *args):
        app = "auth" if model == "user" else "tournaments"
        return reverse(f"admin:{app}_{model}_{page}", args=args)

    def get(self, model, page="changelist", *args, **query):
        return self.client.get(self.url(model, page, *args), query)

    def shown(self, model, page, *args):
        """What the form on the page would send if nothing were changed."""
        answer = self.get(model, page, *args)
        assert answer.status_code == 200, answer
        return filled_in(answer.content.decode())

    def save(self, model, page, *args, **typed):
        """Open the form, change these fields, send it; a value of None leaves the field out."""
        return self.send(model, page, *args, form={**self.shown(model, page, *args), **typed})

    def send(self, model, page, *args, form):
        sent = {name: value for name, value in form.items() if value is not None}
        return self.client.post(self.url(model, page, *args), sent)

    def act(self, model, key, *rows, **typed):
        """Do an act to rows, from its page."""
        return self.client.post(self.url(model, "act", key), {"ids": [row.pk for row in rows], "do": "yes", **typed})


def text(answer):
    """The words of a page, with single spaces."""
    return " ".join(_Words.of(answer.content.decode()).split())


def errors(answer):
    """The sentences beside the fields of a refused form, by field; the others under None."""
    form = answer.context["adminform"].form if "adminform" in answer.context else answer.context["form"]
    return {None if field == "__all__" else field: list(found) for field, found in form.errors.items()}


def every_change_is_in_the_journal():
    """One line per revision in every tournament and show: nothing changed one without a trace."""
    for changed in (*Tournament.objects.all(), *Show.objects.all()):
        revisions = changed.journal.order_by("revision").values_list("revision", flat=True)
        assert list(revisions) == list(range(1, changed.revision + 1)), changed
    return True


def filled_in(html):
    form = _Fields()
    form.feed(html)
    return form.values


class _Words(HTMLParser):
    def __init__(self):
        super().__init__()
        self.words = []

    def handle_data(self, data):
        self.words.append(data)

    @classmethod
    def of(cls, html):
        words = cls()
        words.feed(html)
        return " ".join(words.words)


class _Fields(HTMLParser):
    """Only what Django's admin draws: inputs, selects and text areas of the page's main form."""

    def __init__(self):
        super().__init__()
        self.values = {}
        self.select = None
        self.area = None
        self.inside = False

    def handle_starttag(self, tag, attrs):
        given = dict(attrs)
        if tag == "form":
            self.inside = given.get("id", "").endswith("_form")
        name = given.get("name")
        if not self.inside or (tag != "option" and not name):
            return
        if tag == "input" and given.get("type") in ("checkbox", "radio"):
            if "checked" in given:
                self.add(name, given.get("value", "on"), several=given["type"] == "checkbox" and "value" in given)
        elif tag == "input" and given.get("type") != "submit":
            self.values[name] = given.get("value", "")
        elif tag == "select":
            self.select = name
            self.values.setdefault(name, "")
        elif tag == "option" and self.select and "selected" in given:
            self.values[self.select] = given.get("value", "")
        elif tag == "textarea":
            self.area = name
            self.values[name] = ""

    def add(self, name, value, several):
        if several and value != "on":
            self.values.setdefault(name, []).append(value)
        else:
            self.values[name] = value

    def handle_endtag(self, tag):
        if tag == "form":
            self.inside = False
        elif tag == "select":
            self.select = None
        elif tag == "textarea":
            self.area = None

    def handle_data(self, data):
        if self.area:
            self.values[self.area] += data
