"""The floor computes what it is compared with."""

import numpy as np
import torch

from tests.bench.decoder import VOCABULARY, adamw, batch, build, gradients


def test_the_decoder_by_hand_has_torchs_loss_gradients_and_steps():
    model = build(torch)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    p = {name: x.detach().numpy().copy() for name, x in model.named_parameters()}
    memory = {name: (np.zeros_like(x), np.zeros_like(x)) for name, x in p.items()}
    index, labels = batch()
    for count in (1, 2, 3):
        optimizer.zero_grad()
        logits = model(torch.tensor(index)).reshape(-1, VOCABULARY)
        loss = torch.nn.functional.cross_entropy(logits, torch.tensor(labels))
        loss.backward()
        mine, g = gradients(p, index, labels)
        np.testing.assert_allclose(mine, loss.item(), rtol=1e-5)
        for name, x in model.named_parameters():
            np.testing.assert_allclose(g[name], x.grad.numpy(), rtol=1e-3, atol=1e-5, err_msg=name)
        # The step is taken on torch's gradients: AdamW's first one is the sign of a gradient that may be all rounding.
        adamw(p, {name: x.grad.numpy().copy() for name, x in model.named_parameters()}, memory, count)
        optimizer.step()
        for name, x in model.named_parameters():
            np.testing.assert_allclose(p[name], x.detach().numpy(), rtol=1e-5, atol=1e-6, err_msg=name)
