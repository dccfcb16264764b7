"""Language models among the names of models: which endpoint is asked, with which budget, and which names are others."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from caveat.core.errors import UsageError
from caveat.models.language_model.client import Client
from caveat.models.language_model.endpoint import Endpoint, is_endpoint, named_endpoint
from caveat.models.language_model.spending import Budget, budget_of


def client_among(
    models: Sequence[str | Path],
    budget: str | Budget | None = None,
    *,
    otherwise: Endpoint | None = None,
) -> tuple[list[str | Path], Client | None]:
    """The names without that of a language model, and what asks it; `otherwise` is the one where none is named."""
    endpoints = [named_endpoint(str(name)) for name in models if is_endpoint(name)]
    if not endpoints and otherwise is not None:
        endpoints = [otherwise]
    if len(endpoints) > 1:
        raise UsageError("Only one language model can be asked at once.")
    others = [name for name in models if not is_endpoint(name)]
    if not endpoints:
        if budget is not None:
            raise UsageError("A budget is for a language model: --model openai:URL#NAME names one.")
        return others, None
    return others, Client(endpoints[0], budget=budget_of(budget) if isinstance(budget, str) else budget)
