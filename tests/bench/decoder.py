"""A training step of a small GPT: on torch and minigrad, and in NumPy by hand."""

from __future__ import annotations

from typing import Any

import numpy as np

from .peers import Step, torch_like

LAYERS, WIDTH, HEADS, LENGTH, BATCH, VOCABULARY = 2, 64, 4, 32, 16, 65
SIZE = WIDTH // HEADS  # of a head
SCALE = SIZE**-0.5


def build(t: Any) -> Any:
    """The model, of torch's modules or minigrad's."""
    nn = t.nn
    mask = t.triu(t.ones(LENGTH, LENGTH), 1) > 0

    class Block(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.norm1, self.norm2 = nn.LayerNorm(WIDTH), nn.LayerNorm(WIDTH)
            self.qkv, self.out = nn.Linear(WIDTH, 3 * WIDTH), nn.Linear(WIDTH, WIDTH)
            self.up, self.down = nn.Linear(WIDTH, 4 * WIDTH), nn.Linear(4 * WIDTH, WIDTH)

        def forward(self, x: Any) -> Any:
            parts = self.qkv(self.norm1(x)).split(WIDTH, 2)
            q, k, v = (p.reshape(BATCH, LENGTH, HEADS, SIZE).transpose(1, 2) for p in parts)
            scores = (q @ k.mT * SCALE).masked_fill(mask, float("-inf"))
            mixed = (t.softmax(scores, -1) @ v).transpose(1, 2).reshape(BATCH, LENGTH, WIDTH)
            x = x + self.out(mixed)
            return x + self.down(t.relu(self.up(self.norm2(x))))

    class Decoder(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.tokens, self.places = nn.Embedding(VOCABULARY, WIDTH), nn.Embedding(LENGTH, WIDTH)
            self.blocks = nn.Sequential(*[Block() for _ in range(LAYERS)])
            self.norm, self.head = nn.LayerNorm(WIDTH), nn.Linear(WIDTH, VOCABULARY)

        def forward(self, index: Any) -> Any:
            return self.head(self.norm(self.blocks(self.tokens(index) + self.places(t.arange(LENGTH)))))

    t.manual_seed(0)
    return Decoder()


def batch() -> tuple[np.ndarray, np.ndarray]:
    """Characters, and those that follow them."""
    index = np.random.default_rng(0).integers(0, VOCABULARY, (BATCH, LENGTH + 1))
    return np.ascontiguousarray(index[:, :-1]), index[:, 1:].reshape(-1)


def decoder(peer: str) -> Step | None:
    """A step with AdamW: 2 layers, width 64, 4 heads, length 32, batch 16, vocabulary 65."""
    index, labels = batch()
    if peer == "floor":
        import minigrad

        p = {name: x.numpy().copy() for name, x in build(minigrad).state_dict().items()}
        memory = {name: (np.zeros_like(x), np.zeros_like(x)) for name, x in p.items()}
        count = 0

        def floor() -> None:
            nonlocal count
            count += 1
            adamw(p, gradients(p, index, labels)[1], memory, count)

        return floor
    t = torch_like(peer)
    if t is None or peer == "lean":
        return None
    model = build(t)
    optimizer = t.optim.AdamW(model.parameters(), lr=1e-3)
    x, y = t.tensor(index), t.tensor(labels)

    def step() -> None:
        optimizer.zero_grad()
        t.nn.functional.cross_entropy(model(x).reshape(-1, VOCABULARY), y).backward()
        optimizer.step()

    return step


# ---------------------------------------------------------------------- by hand

MASK = np.where(np.triu(np.ones((LENGTH, LENGTH), bool), 1), np.float32(-np.inf), np.float32(0))
ONES = np.ones(BATCH * LENGTH, np.float32)
MEAN = np.full(WIDTH, 1 / WIDTH, np.float32)


def gradients(p: dict[str, np.ndarray], index: np.ndarray, labels: np.ndarray) -> tuple[Any, dict[str, np.ndarray]]:
    """The loss and its gradients: forward and backward, written out, and no faster than NumPy allows a person."""
    g: dict[str, np.ndarray] = {}
    kept = []
    x = (p["tokens.weight"][index] + p["places.weight"]).reshape(-1, WIDTH)
    for i in range(LAYERS):
        w = {name: p[f"blocks.{i}.{name}"] for name in BLOCK}
        a, norm1 = normalise(x, w["norm1.weight"], w["norm1.bias"])
        qkv = a @ w["qkv.weight"].T
        qkv += w["qkv.bias"]
        q, k, v = qkv.reshape(BATCH, LENGTH, 3, HEADS, SIZE).transpose(2, 0, 3, 1, 4)
        s = q @ k.mT
        s *= SCALE
        s += MASK
        s -= s.max(-1, keepdims=True)
        np.exp(s, out=s)
        s /= (s @ ONES[:LENGTH])[..., None]
        mixed = (s @ v).transpose(0, 2, 1, 3).reshape(-1, WIDTH)
        out = mixed @ w["out.weight"].T
        out += w["out.bias"]
        out += x
        b, norm2 = normalise(out, w["norm2.weight"], w["norm2.bias"])
        h = b @ w["up.weight"].T
        h += w["up.bias"]
        np.maximum(h, 0, out=h)
        x = h @ w["down.weight"].T
        x += w["down.bias"]
        x += out
        kept.append((w, a, norm1, q, k, v, s, mixed, b, norm2, h))
    a, norm = normalise(x, p["norm.weight"], p["norm.bias"])
    z = a @ p["head.weight"].T
    z += p["head.bias"]

    rows = np.arange(len(labels))
    z -= z.max(1, keepdims=True)
    picked = z[rows, labels]
    np.exp(z, out=z)
    total = z @ ONES[:VOCABULARY]
    loss = (np.log(total) - picked).mean()

    z /= total[:, None]
    z[rows, labels] -= 1
    z /= len(labels)
    g["head.weight"], g["head.bias"] = z.T @ a, ONES @ z
    dx = unnormalise(z @ p["head.weight"], p["norm.weight"], norm, g, "norm")
    for i in reversed(range(LAYERS)):
        w, a, norm1, q, k, v, s, mixed, b, norm2, h = kept[i]
        at = f"blocks.{i}."
        g[at + "down.weight"], g[at + "down.bias"] = dx.T @ h, ONES @ dx
        dh = dx @ w["down.weight"]
        dh *= h > 0
        g[at + "up.weight"], g[at + "up.bias"] = dh.T @ b, ONES @ dh
        dx += unnormalise(dh @ w["up.weight"], w["norm2.weight"], norm2, g, at + "norm2")
        g[at + "out.weight"], g[at + "out.bias"] = dx.T @ mixed, ONES @ dx
        dmixed = (dx @ w["out.weight"]).reshape(BATCH, LENGTH, HEADS, SIZE).transpose(0, 2, 1, 3)
        dqkv = np.empty((BATCH, LENGTH, 3, HEADS, SIZE), np.float32)
        dq, dk, dv = dqkv.transpose(2, 0, 3, 1, 4)
        dv[...] = s.mT @ dmixed
        ds = dmixed @ v.mT
        ds *= s
        ds -= s * (ds @ ONES[:LENGTH])[..., None]
        ds *= SCALE
        dq[...] = ds @ k
        dk[...] = ds.mT @ q
        dqkv = dqkv.reshape(-1, 3 * WIDTH)
        g[at + "qkv.weight"], g[at + "qkv.bias"] = dqkv.T @ a, ONES @ dqkv
        dx += unnormalise(dqkv @ w["qkv.weight"], w["norm1.weight"], norm1, g, at + "norm1")
    g["places.weight"] = dx.reshape(BATCH, LENGTH, WIDTH).sum(0)
    g["tokens.weight"] = np.eye(VOCABULARY, dtype=np.float32)[:, index.reshape(-1)] @ dx
    return loss, g


BLOCK = [f"{name}.{kind}" for name in ("norm1", "norm2", "qkv", "out", "up", "down") for kind in ("weight", "bias")]


def normalise(x: np.ndarray, weight: np.ndarray, bias: np.ndarray) -> tuple[np.ndarray, tuple[np.ndarray, np.ndarray]]:
    """A layer norm, and what its gradient needs."""
    hat = x - (x @ MEAN)[:, None]
    rstd = 1 / np.sqrt((hat * hat) @ MEAN + 1e-5)[:, None]
    hat *= rstd
    out = hat * weight
    out += bias
    return out, (hat, rstd)


def unnormalise(
    dx: np.ndarray, weight: np.ndarray, kept: tuple[np.ndarray, np.ndarray], g: dict[str, np.ndarray], name: str
) -> np.ndarray:
    """The layer norm's gradient; those of its weight and bias go into g."""
    hat, rstd = kept
    along = dx * hat
    g[name + ".weight"], g[name + ".bias"] = ONES @ along, ONES @ dx
    along *= weight
    dx = dx * weight
    hat = hat * (along @ MEAN)[:, None]
    dx -= (dx @ MEAN)[:, None]
    dx -= hat
    dx *= rstd
    return dx


def adamw(p: dict[str, np.ndarray], g: dict[str, np.ndarray], memory: dict[str, Any], count: int) -> None:
    """A step of AdamW with torch's settings: lr 1e-3, betas 0.9 and 0.999, weight decay 0.01."""
    for name, x in p.items():
        (m, v), grad = memory[name], g[name]
        x *= 1 - 1e-3 * 1e-2
        m *= 0.9
        m += 0.1 * grad
        v *= 0.999
        grad *= grad
        grad *= 0.001
        v += grad
        np.sqrt(v, out=grad)
        grad /= (1 - 0.999**count) ** 0.5
        grad += 1e-8
        np.divide(m, grad, out=grad)
        grad *= 1e-3 / (1 - 0.9**count)
        x -= grad
