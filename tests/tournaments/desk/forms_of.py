"""The forms of a page as a browser would send them, filled in by somebody who takes the first of every choice."""

from html.parser import HTMLParser

REASONS = ("reason", "what")


class Form:
    """One form that changes something: where it goes, what it carries, and its buttons."""

    def __init__(self, action):
        self.action, self.fields, self.radios, self.buttons = action, {}, {}, []

    def typed(self, button, **chosen):
        """What is sent when this button is pressed; `chosen` stands in place of the first choices."""
        sent = {**self.fields, **{name: values[:1] for name, values in self.radios.items()}}
        numbered = [name for name in sent if name.startswith(("score-", "order-"))]
        sent |= {name: [str(place)] for place, name in enumerate(numbered, start=1) if sent[name] == [""]}
        sent |= {name: ["because"] for name in REASONS if name in sent}
        sent |= {name: [value] for name, value in chosen.items() if name in sent}
        name, value = button
        return {**sent, name: [value]} if name else sent


class _Forms(HTMLParser):
    def __init__(self, address):
        super().__init__()
        self.address, self.found, self.form, self.select = address, [], None, None

    def handle_starttag(self, tag, attrs):
        given = dict(attrs)
        if tag == "form":
            self.form = Form(given.get("action") or self.address) if given.get("method") == "post" else None
            self.found += [self.form] if self.form else []
        elif self.form is not None:
            getattr(self, f"_{tag}", lambda given: None)(given)

    def handle_endtag(self, tag):
        if tag == "form":
            self.form = None

    def _input(self, given):
        name, kind = given.get("name"), given.get("type", "text")
        if not name or name == "csrfmiddlewaretoken" or "disabled" in given:
            return
        if kind == "radio":
            self.form.radios.setdefault(name, []).append(given["value"])
        elif kind != "checkbox" or "checked" in given:
            self.form.fields.setdefault(name, []).append(given.get("value", "on"))

    def _select(self, given):
        self.select = given.get("name")
        self.form.fields[self.select] = []

    def _option(self, given):
        if "selected" in given or not self.form.fields[self.select]:
            self.form.fields[self.select] = [given.get("value", "")]

    def _button(self, given):
        if given.get("type", "submit") == "submit" and "formaction" not in given:
            self.form.buttons.append((given.get("name"), given.get("value", "")))


def forms_of(response):
    """Every form of a page that is posted."""
    reader = _Forms(response.wsgi_request.get_full_path())
    reader.feed(response.content.decode())
    return reader.found
