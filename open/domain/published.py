"""The published draw for 24 players on 12 machines: data, proved by `check` in a test.

House rules, "Second round". It has everything the rules ask for at once. A constraint solver found it after the
opponents had been laid out: everyone meets both members of one pair {s, 25 - s} from 1-6 and of one from 7-12, so that
four opponents always add up to 50. Nothing is solved at run time.

One line per game; the pairs stand in the order of the machines, 1 to 12.
"""

PAIRS_24_ON_12 = (
    "13-24 14-19 16-23  9-12  1-6  11-15 10-22  4-17  3-21  7-8   2-5  18-20",
    "14-15  2-16  3-10 20-23  4-22  1-19 12-24  8-21  6-11 17-18  9-13  5-7 ",
    " 2-9   5-23  8-18 10-14 17-21  6-24  1-13 11-19  7-20  3-4  12-16 15-22",
    " 5-18 10-11  2-20  4-8  13-16  7-17  3-15  6-14  9-23 19-24 21-22  1-12",
)
