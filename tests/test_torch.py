"""The device of torch: one answer for every model."""

from __future__ import annotations

import pytest

from salva._torch import find_device, inference
from salva.errors import UsageError

pytest.importorskip("torch")


def test_a_device_is_found_where_none_is_named():
    assert find_device(None).type in {"cpu", "cuda"}
    assert find_device("cpu").type == "cpu"


@pytest.mark.parametrize("device", ["abacus", "cuda:99"])
def test_a_device_that_is_not_there_is_one_line(device):
    with pytest.raises(UsageError, match=f"device '{device}' cannot be used here .*; try 'cpu'") as caught:
        find_device(device)
    assert "\n" not in str(caught.value)


def test_cudnn_plans_no_attention_for_shapes_that_never_come_again():
    import torch

    before = torch.backends.cuda.cudnn_sdp_enabled()
    with inference():
        assert torch.is_inference_mode_enabled()
        assert not torch.backends.cuda.cudnn_sdp_enabled()
        assert torch.backends.cuda.flash_sdp_enabled()
    assert torch.backends.cuda.cudnn_sdp_enabled() == before
    assert not torch.is_inference_mode_enabled()
