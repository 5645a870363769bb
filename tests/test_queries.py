"""The queries that the search is held to."""

from scripts.queries import load_queries
from scripts.reader import read_documents


def test_every_entry_answers_a_query() -> None:
    known = frozenset(
        [*(document.id for document in read_documents()), "upgrade/", "install/"]
        + [f"releases/2.{minor}/" for minor in range(4, 16)]
    )
    asked = {answer for query in load_queries(known) for answer in query.answers}
    missing = sorted(one.id for one in read_documents() if one.id not in asked)
    assert not missing, (
        f"data/queries.yml has nothing that {missing[0]} answers; add what people type"
    )
