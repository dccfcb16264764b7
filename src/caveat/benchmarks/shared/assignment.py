"""The best one-to-one pairing of rows with columns, found without trying every permutation."""

from __future__ import annotations

from collections.abc import Sequence

__all__ = ["best_sum"]


def best_sum(scores: Sequence[Sequence[float]]) -> float:
    """The largest sum of a rectangular matrix's values with at most one from each row and each column.

    As many pairs are formed as the shorter side allows. Values are added in row order, as a search over the
    permutations of the columns adds them.
    """
    if not scores or not scores[0]:
        return 0.0
    if len(scores) == 1:
        return 0.0 + max(scores[0])
    if len(scores) <= len(scores[0]):
        column_of = _assign(scores)
        pairs = list(enumerate(column_of))
    else:
        row_of = _assign(list(zip(*scores, strict=True)))
        pairs = sorted((row, column) for column, row in enumerate(row_of))
    total = 0.0
    for row, column in pairs:
        # Not sum(): from Python 3.12 on it compensates rounding, which the published `+=` does not.
        total += scores[row][column]
    return total


def _assign(scores: Sequence[Sequence[float]]) -> list[int]:
    """The column of each row in a best assignment; needs as many columns as rows, or more.

    Kuhn's Hungarian method with shortest augmenting paths (Jonker and Volgenant 1987): rows enter one by one;
    each time, a Dijkstra search over the reduced costs finds the cheapest chain of re-assignments that ends
    in a free column. O(rows² · columns).
    """
    rows, columns = len(scores), len(scores[0])
    row_price = [0.0] * rows
    column_price = [0.0] * columns
    row_of = [-1] * columns
    for entering in range(rows):
        # From the rows reached so far, how cheaply each column can be reached, and from which column's row.
        distance = [float("inf")] * columns
        before = [-1] * columns
        open_columns = list(range(columns))
        reached: list[int] = []
        row, column, so_far = entering, -1, 0.0
        while True:
            values, price = scores[row], row_price[row]
            nearest, shortest = -1, float("inf")
            for candidate in open_columns:
                # A cost is a negated score.
                through = so_far - values[candidate] - price - column_price[candidate]
                if through < distance[candidate]:
                    distance[candidate] = through
                    before[candidate] = column
                if nearest < 0 or distance[candidate] < shortest:
                    nearest, shortest = candidate, distance[candidate]
            column, so_far = nearest, shortest
            if row_of[column] < 0:
                break
            open_columns.remove(column)
            reached.append(column)
            row = row_of[column]
        # Prices keep every reduced cost at zero or above, and at zero along the assignment.
        row_price[entering] += so_far
        for passed in reached:
            row_price[row_of[passed]] += so_far - distance[passed]
            column_price[passed] -= so_far - distance[passed]
        while column >= 0:
            previous = before[column]
            row_of[column] = row_of[previous] if previous >= 0 else entering
            column = previous
    column_of = [-1] * rows
    for column, row in enumerate(row_of):
        if row >= 0:
            column_of[row] = column
    return column_of
