from tests.tournaments.domain.stage import entries, stage
from tournaments.domain.refusals import NeedsDecision, Refusal, Stale


def test_each_way_of_saying_no_has_its_answer_and_its_sentence():
    stale = Stale("Somebody else changed this score.", seen="100", now="110")
    assert (Refusal("No.").status, stale.status, NeedsDecision("Who?", settle="tie").status) == (422, 409, 409)
    assert (stale.sentence, stale.seen, stale.now) == ("Somebody else changed this score.", "100", "110")
    assert isinstance(stale, Refusal)


def test_entries_are_named_in_the_order_of_their_numbers():
    facts = stage({"C": {}, "A": {}, "B": {}})
    assert facts.names(entries("C")) == "3 Player C"
    assert facts.names(entries("CA")) == "1 Player A and 3 Player C"
    assert facts.names(entries("CBA")) == "1 Player A, 2 Player B and 3 Player C"
