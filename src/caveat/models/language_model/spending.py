"""What was sent and what came back, in tokens and money, and a budget that stops more from being sent."""

from __future__ import annotations

import os
import re
from threading import Lock

import msgspec

from caveat.core.errors import UsageError

PRICES_VARIABLE = "CAVEAT_LLM_PRICES"
_MILLION = 1e6
_MONEY = re.compile(r"(?:\$\s*)?(\d+(?:\.\d+)?)\s*(?:usd|\$)?", re.IGNORECASE)


class Tokens(msgspec.Struct, frozen=True):
    """Tokens of prompts and of completions, as the server counts them."""

    prompt: int = 0
    completion: int = 0

    def __add__(self, other: Tokens) -> Tokens:
        return Tokens(self.prompt + other.prompt, self.completion + other.completion)

    @property
    def total(self) -> int:
        return self.prompt + self.completion


class Prices(msgspec.Struct, frozen=True):
    """Dollars for a million tokens of prompts and of completions."""

    prompt: float = 0.0
    completion: float = 0.0

    def of(self, tokens: Tokens) -> float:
        """What so many tokens cost."""
        return (tokens.prompt * self.prompt + tokens.completion * self.completion) / _MILLION


class Budget(msgspec.Struct, frozen=True):
    """The most tokens, or the most dollars, that may be spent."""

    tokens: int | None = None
    dollars: float | None = None


def prices_of_environment() -> Prices | None:
    """CAVEAT_LLM_PRICES=0.15,0.60: dollars for a million tokens in, and out."""
    given = os.environ.get(PRICES_VARIABLE, "").strip()
    if not given:
        return None
    try:
        prompt, completion = (float(part) for part in given.split(","))
    except ValueError:
        raise UsageError(
            f"{PRICES_VARIABLE} is dollars for a million tokens in and out, such as 0.15,0.60; got {given!r}."
        ) from None
    return Prices(prompt, completion)


def budget_of(text: str) -> Budget:
    """`200000` or `200k` tokens, or `$2.50` (also `2.50usd`), for which prices have to be known."""
    plain = text.strip().replace(",", "").replace("_", "").lower()
    if match := re.fullmatch(r"(\d+)(k|m)?", plain):
        return Budget(tokens=int(match[1]) * {"": 1, "k": 1000, "m": 1_000_000}[match[2] or ""])
    match = _MONEY.fullmatch(plain)
    if match is None or not re.search(r"\$|usd", plain):
        raise UsageError(
            f"A budget is a number of tokens such as 200k, or of dollars such as $2; got {text!r}."
        )
    if prices_of_environment() is None:
        raise UsageError(f"For a budget in dollars {PRICES_VARIABLE} has to say what a million tokens cost.")
    return Budget(dollars=float(match[1]))


class Spending:
    """Counts of one client; threads may share it."""

    def __init__(self, budget: Budget | None = None, prices: Prices | None = None) -> None:
        self.budget, self.prices = budget or Budget(), prices
        self.tokens, self.requests, self.from_cache, self.refused = Tokens(), 0, 0, 0
        self._reserved = Tokens()
        self._lock = Lock()

    @property
    def dollars(self) -> float | None:
        """None where nothing says what tokens cost."""
        return None if self.prices is None else self.prices.of(self.tokens)

    def reserve(self, most: Tokens) -> bool:
        """Whether a request of at most so many tokens is within the budget, beside those under way."""
        with self._lock:
            within = self._is_within(self.tokens + self._reserved + most)
            if within:
                self._reserved += most
            else:
                self.refused += 1
            return within

    def settle(self, reserved: Tokens, used: Tokens) -> None:
        """What a request that was reserved for has come to."""
        with self._lock:
            self._reserved += Tokens(-reserved.prompt, -reserved.completion)
            self.tokens += used

    def count(self, *, from_cache: bool) -> None:
        """One more answer, sent for or found in the cache."""
        with self._lock:
            if from_cache:
                self.from_cache += 1
            else:
                self.requests += 1

    def _is_within(self, tokens: Tokens) -> bool:
        if self.budget.tokens is not None and tokens.total > self.budget.tokens:
            return False
        if self.budget.dollars is None or self.prices is None:
            return True
        return self.prices.of(tokens) <= self.budget.dollars
