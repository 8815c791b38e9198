"""The certificate: what was promised and measured for a file, so that anyone can check it again.

It may go with the release, so it says no more than a public report: figures of the released people
alone, no number of few people left out, and of the private file its name. A hash of that file would
confirm a guess of all of it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from indistinct._version import __version__
from indistinct.disk import documents
from indistinct.errors import DataError, Fault
from indistinct.io.databases.tables import FORM
from indistinct.io.files import hash_of
from indistinct.io.registry import WRITTEN
from indistinct.plan import Plan
from indistinct.plan.core import is_delimiter

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from pathlib import Path
    from types import UnionType

    from indistinct.check.rows import Evidence, Verified
    from indistinct.io.files import FileFacts
    from indistinct.plan.loading import Loadable
    from indistinct.release import Release

KIND = "indistinct certificate"
TREE_KIND = "indistinct tree certificate"
_VERBS = {
    KIND: ("a table", "indistinct verify"),
    TREE_KIND: ("tree records", "indistinct tree verify"),
}
_REMEDY = "Give the file that --certificate wrote with this release, unchanged."
_EQUAL = 1e-9
_MOST = 1 << 53
CERTIFIED = frozenset({*WRITTEN, FORM["format"]})
_FORMS = ("output", "sensitive_output")
WITHHELD = "withheld"
_FORMERLY = "not told"
_NEEDED: dict[str, type | UnionType] = {
    "plan": dict,
    "output.sha256": str,
    "output.format": str,
    "output.delimiter": str,
    "release.input_rows": int | str,
    "release.released_rows": int,
    "release.suppressed_rows": int | str,
    "release.classes": int,
    "release.requirements": list,
}


def assembled(
    kind: str, plan: Loadable, files: Mapping[str, Any], facts: dict[str, Any]
) -> dict[str, Any]:
    """Put together a certificate of some kind."""
    return {
        "kind": kind,
        "version": __version__,
        "plan": plan.public(),
        **files,
        "release": facts,
    }


def certificate_of(
    release: Release,
    private: FileFacts | None,
    public: FileFacts,
    sensitive: FileFacts | None = None,
) -> dict[str, Any]:
    """Put together what a certificate says; `sensitive` is the second file of buckets, if any."""
    from indistinct.report.public import certified_facts

    files = {"input": private and {"name": private.name}, "output": public.as_json()}
    if sensitive:
        files["sensitive_output"] = sensitive.as_json()
    return assembled(KIND, release.plan, files, certified_facts(release))


def read_certificate(path: Path, *, outside: bool = False) -> tuple[dict[str, Any], Plan]:
    """Read a certificate back, with the plan in it.

    Parameters
    ----------
    outside
        Whether the plan may read hierarchies outside the folder of the certificate.
    """
    content = parsed(path, KIND, _NEEDED)
    odd = [key for key in _FORMS if key in content and not _sound_form(content[key])]
    if odd:
        raise DataError(lacking(path, *(f"the form of {key}" for key in odd)))
    return content, Plan.of_certificate(content["plan"], path.parent, outside=outside)


def _sound_form(facts: Any) -> bool:
    """Return whether a file is described as one that we write, by its hashes."""
    stated = [_value_at(facts, key) for key in ("sha256", "format", "delimiter")]
    if not isinstance(_value_at(facts, "content") or "", str):
        return False
    if not all(isinstance(part, str) for part in stated):
        return False
    _, form, delimiter = stated
    return form in CERTIFIED and is_delimiter(delimiter)


def parsed(path: Path, kind: str, needed: Mapping[str, type | UnionType]) -> dict[str, Any]:
    """Read a certificate of a kind; refuse another one, and one that lacks what is needed."""
    content: dict[str, Any] = documents.parsed(path, _REMEDY)
    if documents.kind_of(content) != kind:
        raise DataError(_of_another_kind(path, content, kind))
    absent = [key for key in needed if not _is(_value_at(content, key), needed[key])]
    if absent:
        raise DataError(lacking(path, *absent))
    return content | {"release": _in_todays_words(content["release"])}


def _in_todays_words(stated: Any) -> Any:
    """Return what a certificate states, with words that earlier ones had for the same."""
    if isinstance(stated, dict):
        return {key: _in_todays_words(value) for key, value in stated.items()}
    if isinstance(stated, list):
        return [_in_todays_words(value) for value in stated]
    return WITHHELD if stated == _FORMERLY else stated


def _is(value: object, kind: type | UnionType) -> bool:
    """Return whether something is of a kind; a number is a count of things."""
    if isinstance(value, int):
        return isinstance(value, kind) and not isinstance(value, bool) and 0 <= value < _MOST
    return isinstance(value, kind)


def _of_another_kind(path: Path, content: object, kind: str) -> Fault:
    for other, (things, verb) in _VERBS.items():
        if documents.kind_of(content) == other:
            problem = f"it certifies {things}, not {_VERBS[kind][0]}"
            return Fault(
                str(path), problem, f"Use {verb}, or give the certificate of this release."
            )
    return Fault(str(path), "it is not a certificate", _REMEDY)


def lacking(path: Path, *keys: str) -> Fault:
    """Say what a certificate ought to state."""
    return Fault(str(path), f"it lacks {', '.join(keys)}", _REMEDY)


def both_or_none(plan: object, certificate: object) -> list[Fault]:
    """Report if there is not one thing to hold a release to."""
    if (plan is None) != (certificate is None):
        return []
    problem = (
        "neither a plan nor a certificate is given"
        if plan is None
        else "both a plan and a certificate are given"
    )
    return [Fault("verify", problem, "Give --plan or --certificate.")]


def changes(path: Path, sha256: str) -> list[Fault]:
    """Report a file that is not the one with this hash."""
    return differing(str(path), hash_of(path), sha256)


def differing(place: str, digest: str, sha256: str, what: str = "its SHA-256") -> list[Fault]:
    """Report a file or table that does not have this hash."""
    if digest == sha256:
        return []
    problem = f"{what} is {digest[:16]}..., not {sha256[:16]}... as certified"
    remedy = "It was changed after it was certified, or is another one."
    return [Fault(place, problem, remedy)]


def certified_files(content: dict[str, Any]) -> list[dict[str, Any]]:
    """List the facts of the one file, or two, that a certificate is about."""
    return [content[key] for key in _FORMS if key in content]


def _value_at(content: Any, key: str) -> Any:
    for part in key.split("."):
        content = content.get(part) if isinstance(content, dict) else None
    return content


def disagreements(
    content: dict[str, Any], verified: Verified, plan: Plan, place: str
) -> list[Fault]:
    """Report where a certificate states other than the published rows show, or its plan."""
    stated = content["release"]
    counts = [
        ("released_rows", stated["released_rows"], verified.released_rows),
        ("classes", stated["classes"], int(verified.class_sizes.size)),
        *_measured(stated["requirements"], verified),
    ]
    if plan.suppressed == "blank":
        counts.append(("suppressed_rows", stated["suppressed_rows"], verified.blank_rows))
    left_out = stated_left_out(content)
    if left_out is not None:
        counts.append(("input_rows", stated["input_rows"], verified.released_rows + left_out))
        counts.append(("suppressed_rows", left_out, max(left_out, 0)))
    asked = [*_asked(stated["requirements"], verified), *_searched(stated, plan)]
    if left_out is None:
        from indistinct.risk.attacks.job import promised_k

        words = few_rows(promised_k(plan))
        asked += [(key, stated[key], words[key]) for key in words]
    return contradicted(counts, place) + contradicted(asked, place, by="its plan says")


def stated_left_out(content: Mapping[str, Any]) -> int | None:
    """Return how many rows a certificate says were left out; None where it only says few."""
    stated = content["release"]["suppressed_rows"]
    return stated if isinstance(stated, int) else None


def few_rows(k: int) -> dict[str, int | str]:
    """Say no more of rows left out than that they are fewer than k.

    >>> few_rows(5)
    {'input_rows': 'withheld', 'suppressed_rows': 'fewer than 5'}
    """
    return {"input_rows": WITHHELD, "suppressed_rows": f"fewer than {k}"}


def contradicted(
    stated: Iterable[tuple[str, Any, Any]], place: str, by: str = "the release shows"
) -> list[Fault]:
    """Report what is stated but shown otherwise, given names with both."""
    return [
        Fault(place, f"it states {name} = {said}, but {by} {shown}", _REMEDY)
        for name, said, shown in stated
        if not _same(said, shown)
    ]


def _same(said: object, shown: object) -> bool:
    if isinstance(said, bool) or isinstance(shown, bool):
        return said is shown
    if isinstance(said, int | float) and isinstance(shown, int | float):
        return said == shown or abs(said - shown) <= _EQUAL
    return said == shown


def _measured(stated: list[Any], verified: Verified) -> Iterator[tuple[str, Any, float]]:
    """Pair what is stated of each requirement with what was measured, where that is comparable."""
    for claim, evidence in _pairs(stated, verified):
        comparable = (
            claim.get("measured") != WITHHELD or not evidence.requirement.compares_with_table
        )
        if evidence.holds is not None and not evidence.note and comparable:
            yield f"{evidence.requirement.model} measured", claim.get("measured"), evidence.measured


def _asked(stated: list[Any], verified: Verified) -> Iterator[tuple[str, Any, Any]]:
    """Pair what is stated of each requirement with what the plan asks for, which must hold."""
    yield "the number of requirements", len(stated), len(verified.evidence)
    for claim, evidence in _pairs(stated, verified):
        meant = evidence.as_json() | {"holds": True}
        for key in meant.keys() - {"measured", "worst_class", "note", "description"}:
            yield f"{evidence.requirement.model} {key}", claim.get(key), meant[key]


def _pairs(stated: list[Any], verified: Verified) -> Iterator[tuple[dict[str, Any], Evidence]]:
    said = [part if isinstance(part, dict) else {} for part in stated]
    said += [{}] * (len(verified.evidence) - len(said))
    return zip(said, verified.evidence, strict=False)


def _searched(stated: Mapping[str, Any], plan: Plan) -> Iterator[tuple[str, Any, Any]]:
    """Pair the method and the columns that are stated with those of the plan."""
    if plan.method.name != "auto":
        yield "method", stated.get("method"), plan.method.name
    levels = stated.get("levels")
    named = sorted(levels) if isinstance(levels, dict) else levels
    yield "levels", named, sorted(plan.with_role("quasi"))
