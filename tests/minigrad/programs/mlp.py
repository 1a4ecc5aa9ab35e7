"""A language model after Bengio et al. 2003 with batch normalisation, its layers written by hand."""

import torch
import torch.nn.functional as F


class Linear:
    def __init__(self, fan_in, fan_out, bias=True):
        self.weight = torch.randn((fan_in, fan_out), generator=g) / fan_in**0.5
        self.bias = torch.zeros(fan_out) if bias else None

    def __call__(self, x):
        self.out = x @ self.weight
        if self.bias is not None:
            self.out += self.bias
        return self.out

    def parameters(self):
        return [self.weight] + ([] if self.bias is None else [self.bias])


class BatchNorm1d:
    def __init__(self, dim, eps=1e-5, momentum=0.1):
        self.eps, self.momentum, self.training = eps, momentum, True
        self.gamma, self.beta = torch.ones(dim), torch.zeros(dim)
        self.running_mean, self.running_var = torch.zeros(dim), torch.ones(dim)

    def __call__(self, x):
        if self.training:
            xmean, xvar = x.mean(0, keepdim=True), x.var(0, keepdim=True)
        else:
            xmean, xvar = self.running_mean, self.running_var
        self.out = self.gamma * (x - xmean) / torch.sqrt(xvar + self.eps) + self.beta
        if self.training:
            with torch.no_grad():
                self.running_mean = (1 - self.momentum) * self.running_mean + self.momentum * xmean
                self.running_var = (1 - self.momentum) * self.running_var + self.momentum * xvar
        return self.out

    def parameters(self):
        return [self.gamma, self.beta]


class Tanh:
    def __call__(self, x):
        self.out = torch.tanh(x)
        return self.out

    def parameters(self):
        return []


g = torch.Generator().manual_seed(2147483647)


def main():
    text = "the quick brown fox jumps over the lazy dog and runs away"
    chars = sorted(set(text))
    ids = [chars.index(c) for c in text]
    X = torch.tensor([ids[i : i + 3] for i in range(len(ids) - 3)])
    Y = torch.tensor(ids[3:])
    C = torch.randn((len(chars), 5), generator=g)
    layers = [
        Linear(15, 20, bias=False), BatchNorm1d(20), Tanh(), Linear(20, 20, bias=False), BatchNorm1d(20), Tanh(),
        Linear(20, len(chars), bias=False), BatchNorm1d(len(chars)),
    ]  # fmt: skip
    with torch.no_grad():
        layers[-1].gamma *= 0.1
        for layer in layers[:-1]:
            if isinstance(layer, Linear):
                layer.weight *= 5 / 3
    parameters = [C] + [p for layer in layers for p in layer.parameters()]
    for p in parameters:
        p.requires_grad = True
    losses, updates = [], []
    for i in range(20):
        ix = torch.randint(0, X.shape[0], (16,), generator=g)
        x = C[X[ix]].view(16, -1)
        for layer in layers:
            x = layer(x)
        loss = F.cross_entropy(x, Y[ix])
        for layer in layers:
            layer.out.retain_grad()
        for p in parameters:
            p.grad = None
        loss.backward()
        lr = 0.1 if i < 15 else 0.01
        for p in parameters:
            p.data += -lr * p.grad
        losses.append(loss.log10().item())
        with torch.no_grad():
            updates.append([((lr * p.grad).std() / p.data.std()).log10().item() for p in parameters if p.ndim == 2])
    return losses, [layers[2].out.grad.abs().mean().item(), *updates[-1]]
