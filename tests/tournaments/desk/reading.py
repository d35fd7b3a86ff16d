"""How tests read a page."""

import html
import re


def text(response):
    """What a reader sees, without tags and doubled spaces."""
    words = re.sub(r"<(script|template).*?</\1>", " ", response.content.decode(), flags=re.DOTALL)
    return " ".join(re.sub(r"<[^>]+>", " ", words).replace("&amp;", "&").split()).replace(" ,", ",").replace(" .", ".")


def key_in(response):
    """The key of the slip form."""
    return re.search(r'id="slip-key" value="([^"]+)"', response.content.decode())[1]


def hidden(response):
    """What the page of an act in two steps carries on, by name; a name may stand there several times."""
    carried = {}
    for name, value in re.findall(r'<input type="hidden" name="([^"]+)" value="([^"]*)">', response.content.decode()):
        if name != "csrfmiddlewaretoken":
            carried.setdefault(name, []).append(html.unescape(value))
    return carried


def confirmed(client, response, **decided):
    """Say yes to what was shown, or decide what was asked: the page that then answers."""
    assert response.status_code == 200, text(response)
    assert "Nothing is saved yet." in text(response)
    return client.post(response.wsgi_request.path, {**hidden(response), **decided}, follow=True)
