"""A release as a file: roles, hierarchies, requirements, method, limits; all faults at once."""

from indistinct.plan.core import Input, Limits, Output, Plan, PlanSource

__all__ = ["Input", "Limits", "Output", "Plan", "PlanSource"]
