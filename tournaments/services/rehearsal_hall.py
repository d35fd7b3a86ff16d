"""The invented hall of a rehearsal: machines with the scores people reach on them, and names of people."""

import math
from random import Random
from typing import NamedTuple


class Kind(NamedTuple):
    """A machine of the hall; `usual` is the score in the middle of what people reach on it."""

    code: str
    name: str
    manufacturer: str
    year: int
    usual: int


NEW_ROW = (
    Kind("AFM", "Attack from Mars", "Bally", 1995, 2_400_000_000),
    Kind("TAF", "The Addams Family", "Bally", 1992, 58_000_000),
    Kind("FT", "Fish Tales", "Williams", 1992, 62_000_000),
    Kind("IJ", "Indiana Jones: The Pinball Adventure", "Williams", 1993, 210_000_000),
    Kind("IM", "Iron Man", "Stern", 2010, 11_500_000),
    Kind("LOTR", "The Lord of the Rings", "Stern", 2003, 9_800_000),
    Kind("MM", "Medieval Madness", "Williams", 1997, 14_500_000),
    Kind("MB", "Monster Bash", "Williams", 1998, 33_000_000),
    Kind("SM", "Spider-Man", "Stern", 2007, 26_000_000),
    Kind("STTNG", "Star Trek: The Next Generation", "Williams", 1993, 480_000_000),
    Kind("TOM", "Theatre of Magic", "Bally", 1995, 310_000_000),
    Kind("TZ", "Twilight Zone", "Bally", 1993, 175_000_000),
)
OLD_ROW = (
    Kind("BK", "Black Knight", "Williams", 1980, 410_000),
    Kind("CEN", "Centaur", "Bally", 1981, 320_000),
    Kind("EBD", "Eight Ball Deluxe", "Bally", 1981, 540_000),
    Kind("FAT", "Fathom", "Bally", 1981, 190_000),
    Kind("FP", "Firepower", "Williams", 1980, 260_000),
    Kind("FL", "Flash", "Williams", 1979, 150_000),
    Kind("GOR", "Gorgar", "Williams", 1979, 130_000),
    Kind("JL", "Jungle Lord", "Williams", 1981, 380_000),
    Kind("KIS", "Kiss", "Bally", 1979, 210_000),
    Kind("PAR", "Paragon", "Bally", 1979, 95_000),
)
SMALL_ROW = (
    Kind("CV", "Cirqus Voltaire", "Bally", 1997, 15_000_000),
    Kind("FH", "Funhouse", "Williams", 1990, 4_600_000),
    Kind("RBION", "Ripley's Believe It or Not!", "Stern", 2004, 6_400_000),
    Kind("SC", "Safe Cracker", "Bally", 1996, 240_000),
    Kind("WH2O", "White Water", "Williams", 1993, 72_000_000),
)
HALL = (NEW_ROW, OLD_ROW, SMALL_ROW)

FIRST_NAMES = (
    "Adam Aisha Alan Alice Amir Amy Andrew Angela Anna Anthony Asha Barry Becky Ben Beth Brian Callum Carl Caroline"
    " Cath Charlotte Chloe Chris Claire Colin Craig Daniel Dave Dawn Deborah Dev Diane Donna Duncan Eddie Eleanor"
    " Ella Emma Erik Esme Ewan Fatima Fiona Frank Gareth Gary Gemma George Gill Gordon Grace Graham Greg Hannah Harry"
    " Hazel Helen Holly Hugh Iain Ian Imogen Isla Ivy Jack Jade James Jane Jason Jenny Jess Jo Joe Joyce Judith Julia"
    " Karen Karl Kate Keith Kelly Ken Kevin Kieran Kirsty Laura Lee Leo Lewis Liam Linda Lisa Lorna Lucy Luke Maggie"
    " Marco Maria Mark Martin Matt Maya Megan Mel Mia Mick Mike Mohammed Molly Nadia Naomi Neil Niamh Nick Nina Oliver"
    " Olivia Oscar Owen Pat Paul Penny Pete Phil Pippa Priya Rachel Raj Ravi Rhys Rob Robin Roger Ros Rosie Ross Ruth"
    " Ryan Sally Sam Sandra Sarah Sean Shaun Sian Simon Sonia Sophie Stella Steve Stuart Sue Suki Tess Theo Tim Tina"
    " Toby Tom Tony Tracy Una Val Vicky Wayne Wendy Will Yasmin Zara Zoë"
)
LAST_NAMES = (
    "Abbott Ainsworth Allard Appleby Archer Ashdown Baird Bannister Barlow Beckett Bellamy Birch Blackwood Booth"
    " Bradshaw Bramley Brook Buckley Burrows Byrne Cartwright Chadwick Chandra Clegg Coates Copeland Crossley Curtis"
    " Dalton Darby Dawes Denholm Dhillon Dobson Drake Duffy Eastwood Eccles Elwood Fairclough Farrow Fenwick Fielding"
    " Firth Flint Foster Frost Garside Gill Goodwin Grant Greenhalgh Grimshaw Haigh Halliwell Hargreaves Harker"
    " Hartley Hassan Hawthorn Heaton Hewitt Hobbs Holden Horrocks Hoyle Hussain Ibbotson Ingham Jagger Jarvis Kapoor"
    " Kaye Keane Kershaw Khan Kirkby Knowles Langley Larkin Lister Lockwood Lomax Lovell Mackay Marsden Mather Maxwell"
    " Mellor Metcalfe Midgley Moffat Moss Naylor Nuttall Oakley Ogden O'Hara Okafor Oldfield Ormerod Osborne Parkin"
    " Patel Peacock Pickles Pollard Prescott Priestley Quigley Radcliffe Ramsden Rawson Redfern Rigby Roscoe Rowe"
    " Sandhu Saunders Schofield Shah Sharples Shepherd Silva Singh Slater Stott Sutcliffe Swift Tattersall Thorpe"
    " Tindall Townsend Turnbull Unsworth Varley Vickers Wadsworth Walmsley Wardle Whitaker Whitlock Wilcox Winder"
    " Womersley Woodhead Wren Yardley Yates"
)
COUNTRIES = ("GB",) * 14 + ("IE", "NL", "DE", "FR", "SE", "DK")


def believable(kind: Kind, skill: float, random: Random) -> int:
    """A score as that machine gives it to a player of this skill (0 is the middle): spread like real ones, ending
    in 0.
    """
    value = kind.usual * math.exp(skill + random.gauss(0, 0.75))
    return max(10, round(value / 10) * 10)
