"""How tests read a page."""

import re


def text(response):
    """What a reader sees, without tags and doubled spaces."""
    words = re.sub(r"<(script|template).*?</\1>", " ", response.content.decode(), flags=re.DOTALL)
    return " ".join(re.sub(r"<[^>]+>", " ", words).replace("&amp;", "&").split()).replace(" ,", ",").replace(" .", ".")


def key_in(response):
    """The key of the slip form."""
    return re.search(r'id="slip-key" value="([^"]+)"', response.content.decode())[1]
