"""A bigram model, by counting and by gradient descent: each letter's successor."""

import torch
import torch.nn.functional as F


def main():
    words = ["emma", "olivia", "ava", "isabella", "sophia", "mia"]
    stoi = {s: i + 1 for i, s in enumerate(sorted(set("".join(words))))}
    stoi["."] = 0
    itos = {i: s for s, i in stoi.items()}
    n = len(stoi)
    N = torch.zeros((n, n), dtype=torch.int32)
    xs, ys = [], []
    for w in words:
        chs = ["."] + list(w) + ["."]
        for ch1, ch2 in zip(chs, chs[1:]):  # noqa: B905
            N[stoi[ch1], stoi[ch2]] += 1
            xs.append(stoi[ch1])
            ys.append(stoi[ch2])
    P = (N + 1).float()
    P /= P.sum(1, keepdims=True)
    g = torch.Generator().manual_seed(2147483647)
    names = []
    for _ in range(3):
        out, ix = [], 0
        while True:
            ix = torch.multinomial(P[ix], num_samples=1, replacement=True, generator=g).item()
            out.append(itos[ix])
            if ix == 0 or len(out) > 20:
                break
        names.append("".join(out))
    xs, ys = torch.tensor(xs), torch.tensor(ys)
    W = torch.randn((n, n), generator=g, requires_grad=True)
    losses = []
    for _ in range(20):
        xenc = F.one_hot(xs, num_classes=n).float()
        logits = xenc @ W
        counts = logits.exp()
        probs = counts / counts.sum(1, keepdims=True)
        loss = -probs[torch.arange(xs.nelement()), ys].log().mean() + 0.01 * (W**2).mean()
        W.grad = None
        loss.backward()
        W.data += -10 * W.grad
        losses.append(loss.item())
    return losses, names
