from __future__ import annotations

import numpy as np
import pytest

from simcards.kernels.common import record


@pytest.mark.parametrize("name", ["choose", "take", "size", "item"])
def test_a_field_that_numpy_would_hide_is_refused(name: str) -> None:
    with pytest.raises(ValueError, match=name):
        record(("seat", np.int64), (name, np.int64))


def test_fields_are_attributes() -> None:
    table = np.zeros(1, record(("seat", np.int64), ("hand", np.int64, (3,))))
    table[0].seat = 2
    table[0].hand[1] = 5
    assert table["seat"].tolist() == [2] and table["hand"].tolist() == [[0, 5, 0]]
