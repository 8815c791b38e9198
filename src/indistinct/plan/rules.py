"""What the settings of a plan must be to each other: each rule says what to change."""

from __future__ import annotations

from typing import TYPE_CHECKING

from indistinct.errors import closest
from indistinct.methods.buckets.anatomy import Anatomy
from indistinct.model.names import published_names
from indistinct.plan.presets import preset_problems
from indistinct.requirements import SensitiveRequirement

if TYPE_CHECKING:
    from collections.abc import Iterable

    from indistinct.plan.core import Plan


def problems(plan: Plan) -> list[str]:
    """List all that does not agree in a plan."""
    return [
        *_role_problems(plan),
        *_name_problems(plan),
        *_accept_problems(plan),
        *_set_problems(plan),
        *_sensitive_problems(plan),
        *_accuracy_problems(plan),
        *_bucket_problems(plan),
        *_form_problems(plan),
        *_matching_problems(plan),
        *preset_problems(plan),
        *plan.method.problems(plan),
    ]


def _role_problems(plan: Plan) -> Iterable[str]:
    if not plan.with_role("quasi"):
        yield (
            'columns: no column is quasi. Give role = "quasi" to the columns that others may know '
            "about people (age, ZIP, sex, dates)"
        )
    respondents = plan.with_role("respondent")
    named = {group.respondent for group in plan.sets.values()}
    if len(respondents) > 1 and not set(respondents) <= named:
        yield (
            f"columns: {len(respondents)} columns are respondents ({', '.join(respondents)}). "
            'Keep one, or give each its own set: [sets.doctor] respondent = "..."'
        )


def _name_problems(plan: Plan) -> Iterable[str]:
    for name, column in plan.columns.items():
        for made in published_names(name, column.range_as):
            if made != name and made in plan.columns:
                yield (
                    f"columns.{name}: range_as = {column.range_as!r} would publish a second "
                    f"column {made!r}. Rename that one, or choose another range_as"
                )


def _accept_problems(plan: Plan) -> Iterable[str]:
    named = [part.column for part in plan.accept]
    for name in dict.fromkeys(named):
        if name not in plan.columns and plan.unlisted == "error":
            yield f"accept: no column {name!r} in the plan. {closest(name, plan.columns)}"
        if named.count(name) > 1:
            yield f"accept: column {name!r} is named twice. Keep one reason"


def _set_problems(plan: Plan) -> Iterable[str]:
    quasi, respondents = plan.with_role("quasi"), plan.with_role("respondent")
    for name, group in plan.sets.items():
        for column in group.columns:
            if column not in quasi:
                yield f"sets.{name}: {column!r} is not a quasi column. {closest(column, quasi)}"
        if group.respondent is not None and group.respondent not in respondents:
            yield (
                f"sets.{name}: respondent {group.respondent!r} is not a column with role "
                f'"respondent". {closest(group.respondent, respondents)}'
            )
    covered = {column for group in plan.sets.values() for column in group.columns}
    missing = [column for column in quasi if plan.sets and column not in covered]
    if missing:
        yield (
            f"sets: quasi columns in no set: {', '.join(missing)}. "
            "Add each to a set, or give it another role"
        )


def _sensitive_problems(plan: Plan) -> Iterable[str]:
    sensitive = plan.with_role("sensitive")
    for requirement in plan.require:
        if not isinstance(requirement, SensitiveRequirement):
            continue
        if not sensitive:
            yield (
                f"require: {requirement.model!r} needs a sensitive column. "
                'Give role = "sensitive" to what must not be learnt'
            )
        for name in [requirement.column] if requirement.column else sensitive:
            column = plan.columns.get(name)
            if requirement.needs_hierarchy and column and column.hierarchy is None:
                yield (
                    f"require: hierarchical distance needs a hierarchy of column {name!r}. "
                    f"Give it one under columns.{name}"
                )
        if requirement.column is not None and sensitive and requirement.column not in sensitive:
            yield (
                f"require: {requirement.model!r} is about {requirement.column!r}, which is not a "
                f"sensitive column. {closest(requirement.column, sensitive)}"
            )


def _bucket_problems(plan: Plan) -> Iterable[str]:
    if not plan.in_buckets:
        return
    for requirement in plan.require:
        if requirement.model not in Anatomy.keeps:
            yield (
                f"require: {requirement.model!r} counts people in a class, and exact quasi values "
                "are published, which singles people out. Ask for l-diversity or t-closeness, or "
                "choose another method or publish"
            )
        elif isinstance(requirement, SensitiveRequirement) and requirement.joined:
            yield "require: joined = true is not kept where sensitive values are permuted"
    if plan.with_role("respondent"):
        yield "columns: people with several rows are not hidden by permuting. Use another publish"


def _form_problems(plan: Plan) -> Iterable[str]:
    forms = plan.method.publishes
    asked = {f"columns.{n}.publish": plan.columns[n].publish for n in plan.with_role("quasi")}
    for place, form in {"publish": plan.publish, **asked}.items():
        if forms and form not in {None, "auto", "exact", *forms}:
            words = " or ".join(f'"{word}"' for word in forms)
            yield (
                f"{place}: method {plan.method.name!r} publishes cells as {words}, not as "
                f'"{form}". Leave it out, or choose another method'
            )


def _matching_problems(plan: Plan) -> Iterable[str]:
    if not plan.method.matches_rows:
        return
    name = plan.method.name
    for requirement in plan.require:
        if requirement.model not in plan.method.keeps:
            yield (
                f"require: {requirement.model!r} is about classes of rows published alike, and "
                f"{name!r} makes none: each row has k candidates of its own. "
                "Choose a method that groups rows, such as best"
            )
    if plan.with_role("respondent"):
        yield (
            f"columns: {name!r} counts rows, and a person with several would be counted several "
            "times. Choose a method that groups rows, such as best"
        )
    if plan.publish == "permutation":
        yield f"publish: {name!r} makes no groups to permute in. Choose another publish"


def _accuracy_problems(plan: Plan) -> Iterable[str]:
    reads = plan.method.name in {"auto", "ac", "ipcsd"}
    if plan.accuracy is None:
        if reads and plan.method.name != "auto":
            yield f"accuracy: method {plan.method.name!r} needs it. Say [accuracy] max_ncp = 0.3"
        return
    if not reads:
        yield (
            f"accuracy: method {plan.method.name!r} does not read it. "
            'Set method.name = "ac", or leave it out'
        )
    quasi, sensitive = plan.with_role("quasi"), plan.with_role("sensitive")
    for column in plan.accuracy.max_extent:
        if column not in quasi:
            yield (
                f"accuracy.max_extent: {column!r} is not a quasi column. {closest(column, quasi)}"
            )
    named = plan.accuracy.column
    if named is not None and named not in sensitive:
        yield f"accuracy.column: {named!r} is not a sensitive column. {closest(named, sensitive)}"
    if plan.accuracy.maximize == "l" and (len(sensitive) != 1 and named is None):
        yield "accuracy.column: name the sensitive column that l is about"
