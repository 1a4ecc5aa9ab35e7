"""Chapter 9: second derivatives, Jacobians, LayerNorm, attention and a block by other ways."""

# ruff: noqa: D101, D102, D103

import numpy as np

import minigrad
from minigrad import tensor
from minigrad.autograd import functional, grad
from minigrad.rules.activation import Normalisation

from ...ask.right import collector

RIGHT, right = collector()

# ---------------------------------------------------------------------- second derivatives


@right(exercise="second-derivative", replaces="second_derivative")
def through_backward(f, x):
    def slope(g):
        x.grad = None
        g.sum().backward(create_graph=True)
        found, x.grad = x.grad, None
        return found

    return slope(slope(f(x)))


@right(exercise="second-derivative", replaces="second_derivative")
def ones_from_above(f, x):
    y = f(x)
    (first,) = grad(y, x, minigrad.ones_like(y), create_graph=True)
    return grad(first, x, minigrad.ones_like(first))[0]


@right(exercise="second-derivative", replaces="second_derivative")
def an_element_at_a_time(f, x):
    found = np.zeros(x.shape)
    for place in np.ndindex(x.shape):
        one = tensor(x.detach().numpy()[place], dtype=minigrad.float64, requires_grad=True)
        (first,) = grad(f(one), one, create_graph=True)
        found[place] = grad(first, one)[0].item()
    return tensor(found)


@right(exercise="second-derivative", replaces="second_derivative")
def recorded_to_the_end(f, x):
    y = f(x)
    for _ in range(2):
        (y,) = grad(y.sum(), x, create_graph=True)
    return y


@right(exercise="second-derivative", replaces="second_derivative")
def diagonal_of_the_hessian(f, x):
    hessian = functional.hessian(lambda x: f(x).sum(), x.detach())
    size = x.numel()
    diagonal = hessian.reshape(size, size).numpy()[range(size), range(size)]
    return tensor(diagonal.reshape(x.shape))


@right(exercise="hvp", replaces="hvp")
def through_above(f, x, v):
    (slope,) = grad(f(x), x, create_graph=True)
    return grad(slope, x, v)[0]


@right(exercise="hvp", replaces="hvp")
def whole_hessian(f, x, v):
    hessian = functional.hessian(f, x.detach()).reshape(v.numel(), v.numel())
    return (hessian @ v.reshape(-1)).reshape(v.shape)


@right(exercise="hvp", replaces="hvp")
def row_by_row(f, x, v):
    (slope,) = grad(f(x), x, create_graph=True)
    total = 0 * v
    for element, weight in zip(slope.reshape(-1), v.reshape(-1), strict=True):
        total = total + weight * grad(element, x, retain_graph=True)[0]
    return total


@right(exercise="hvp", replaces="hvp")
def through_backward_along(f, x, v):
    x.grad = None
    f(x).backward(create_graph=True)
    along, x.grad = (x.grad * v).sum(), None
    along.backward()
    return x.grad


@right(exercise="hvp", replaces="hvp")
def along_a_line(f, x, v):
    t = tensor(0.0, dtype=minigrad.float64, requires_grad=True)
    (slope,) = grad(f(x + t * v), x, create_graph=True)
    rows = [grad(element, t, retain_graph=True)[0].item() for element in slope.reshape(-1)]
    return tensor(np.reshape(rows, x.shape))


# ---------------------------------------------------------------------- Jacobians


@right(exercise="jacobians", replaces="numerical_jacobian")
def there_and_back(f, x, eps=1e-6):
    columns = []
    x = x.copy()
    for place in np.ndindex(x.shape):
        kept = x[place]
        x[place] = kept + eps
        above = np.array(f(x))
        x[place] = kept - eps
        below = np.array(f(x))
        x[place] = kept
        columns.append((above - below).reshape(-1) / eps / 2)
    return np.array(columns).T


@right(exercise="jacobians", replaces="numerical_jacobian")
def rows_of_the_identity(f, x, eps=1e-6):
    steps = [eps * row.reshape(x.shape) for row in np.eye(x.size)]
    return np.stack([(f(x + s).ravel() - f(x - s).ravel()) / (2 * eps) for s in steps], axis=-1)


@right(exercise="jacobians", replaces="numerical_jacobian")
def two_halves(f, x, eps=1e-6):
    up, down = np.zeros((np.size(f(x)), x.size)), np.zeros((np.size(f(x)), x.size))
    for k in range(x.size):
        for table, sign in ((up, 1), (down, -1)):
            moved = x.copy()
            moved.flat[k] += sign * eps
            table[:, k] = f(moved).ravel()
    return (up - down) / (2 * eps)


@right(exercise="jacobians", replaces="numerical_jacobian")
def mean_of_two_sides(f, x, eps=1e-6):
    jacobian = []
    here = f(x)
    for k in range(x.size):
        step = np.where(np.arange(x.size) == k, eps, 0.0).reshape(x.shape)
        forward, backward = (f(x + step) - here) / eps, (here - f(x - step)) / eps
        jacobian.append(((forward + backward) / 2).flatten())
    return np.column_stack(jacobian)


@right(exercise="jacobians", replaces="numerical_jacobian")
def in_flat_coordinates(f, x, eps=1e-6):
    def flat(values):
        return np.ravel(f(values.reshape(x.shape)))

    unit, at = np.eye(x.size), x.ravel()
    return 0.5 / eps * np.transpose([flat(at + eps * e) - flat(at - eps * e) for e in unit])


@right(exercise="jacobians", replaces="analytical_jacobian")
def through_grad(output, x):
    rows = []
    for place in np.ndindex(output.shape):
        x.grad = None
        output[place].backward(retain_graph=True)
        rows.append(np.zeros(x.numel()) if x.grad is None else x.grad.numpy().reshape(-1))
    return np.array(rows)


@right(exercise="jacobians", replaces="analytical_jacobian")
def flat_output(output, x):
    flat = output.reshape(-1)
    found = [grad(flat, x, tensor(row), retain_graph=True, materialize_grads=True)[0] for row in np.eye(flat.numel())]
    return np.stack([row.numpy().flatten() for row in found])


@right(exercise="jacobians", replaces="analytical_jacobian")
def sums_of_single_outputs(output, x):
    jacobian = []
    for k in range(output.numel()):
        only = np.zeros(output.numel())
        only[k] = 1.0
        alone = (output * tensor(only.reshape(output.shape))).sum()
        jacobian.append(np.ravel(grad(alone, x, retain_graph=True, materialize_grads=True)[0].numpy()))
    return np.array(jacobian)


@right(exercise="jacobians", replaces="analytical_jacobian")
def with_its_own_record(output, x):
    rows = []
    for element in output.flatten():
        (row,) = grad(element, x, create_graph=True, materialize_grads=True)
        rows += row.detach().numpy().flatten().tolist()
    return np.array(rows).reshape(output.numel(), x.numel())


@right(exercise="jacobians", replaces="analytical_jacobian")
def differences_of_accumulated(output, x):
    x.grad = minigrad.zeros_like(x)
    rows, before = [], np.zeros(x.numel())
    for row in np.eye(output.numel()):
        output.backward(tensor(row.reshape(output.shape)), retain_graph=True)
        so_far = x.grad.numpy().reshape(-1).copy()
        rows.append(so_far - before)
        before = so_far
    return np.stack(rows)


# ---------------------------------------------------------------------- LayerNorm


@right(exercise="layer-norm", replaces="NativeLayerNorm")
class ByPaths(Normalisation):
    def normalise(self, x):
        mu = self.mean(x)
        r = 1 / (self.mean((x - mu) ** 2) + self.eps) ** 0.5
        return (x - mu) * r, r

    def backward_x(self, grad, x, weight):
        hat, r = self.normalise(x)
        g = grad * weight
        return g * r - self.mean(g * r) - self.mean(g * hat) * hat * r

    def backward_weight(self, grad, x):
        hat, _ = self.normalise(x)
        return hat * grad

    def backward_bias(self, grad):
        return 1 * grad


@right(exercise="layer-norm", replaces="NativeLayerNorm")
class ByProjections(Normalisation):
    def normalise(self, x):
        variance = self.mean((x - self.mean(x)) ** 2)
        deviation = (variance + self.eps) ** 0.5
        return [(x - self.mean(x)) / deviation, 1 / deviation]

    def backward_x(self, grad, x, weight):
        hat, r = self.normalised(x)
        scaled = grad * weight * r
        without_hat = scaled - hat * self.mean(scaled * hat)
        return without_hat - self.mean(without_hat)

    def backward_weight(self, grad, x, weight, out):
        return self.normalised(x)[0] * grad

    def backward_bias(self, grad):
        return grad


@right(exercise="layer-norm", replaces="NativeLayerNorm")
class FromTheVariancesGradient(Normalisation):
    def normalise(self, x):
        mu = self.mean(x)
        rstd = (self.mean((x - mu) * (x - mu)) + self.eps) ** -0.5
        return (x - mu) * rstd, rstd

    def backward_x(self, grad, x, weight):
        centred, (_, rstd) = x - self.mean(x), self.normalised(x)
        hat_grad = weight * grad
        var_grad = -0.5 * rstd**3 * self.mean(hat_grad * centred)
        return hat_grad * rstd + 2 * var_grad * centred - self.mean(hat_grad * rstd)

    def backward_weight(self, grad, x):
        return grad * (x - self.mean(x)) * self.normalised(x)[1]

    def backward_bias(self, grad):
        return grad


@right(exercise="layer-norm", replaces="NativeLayerNorm")
class CentredTwice(Normalisation):
    def centre(self, a):
        return a - self.mean(a)

    def normalise(self, x):
        centred = self.centre(x)
        rstd = (self.mean(centred**2) + self.eps) ** (-1 / 2)
        return rstd * centred, rstd

    def backward_x(self, grad, x, weight):
        hat, rstd = self.normalised(x)
        return rstd * (self.centre(grad * weight) - hat * self.mean(grad * hat * weight))

    def backward_weight(self, grad, x):
        return self.normalised(x)[0] * grad

    def backward_bias(self, grad):
        return grad + 0


@right(exercise="layer-norm", replaces="NativeLayerNorm")
class FromTheResult(Normalisation):
    def normalise(self, x):
        centred = x - self.mean(x)
        rstd = 1 / (self.mean(centred * centred) + self.eps) ** 0.5
        return centred * rstd, rstd

    def backward_x(self, grad, x, weight, bias, out):
        hat, rstd = (x - self.mean(x)) * self.normalised(x)[1], self.normalised(x)[1]
        g = grad * weight
        return (g - self.mean(g) - self.mean(g * hat) * hat) * rstd

    def backward_weight(self, grad, x, bias, out):
        return self.normalised(x)[0] * grad

    def backward_bias(self, grad):
        return grad


# ---------------------------------------------------------------------- attention


@right(exercise="attention", replaces="attention")
def mask_is_added(q, k, v):
    length = q.shape[-2]
    mask = tensor(np.triu(np.full((length, length), -np.inf), 1))
    return minigrad.softmax((q * q.shape[-1] ** -0.5) @ k.transpose(-2, -1) + mask, -1) @ v


@right(exercise="attention", replaces="attention")
def a_word_at_a_time(q, k, v):
    rows = []
    for t in range(q.shape[-2]):
        scores = (q[..., t : t + 1, :] * k[..., : t + 1, :]).sum(-1) / q.shape[-1] ** 0.5
        weights = scores.softmax(-1)
        rows.append((weights.unsqueeze(-1) * v[..., : t + 1, :]).sum(-2))
    return minigrad.stack(rows, -2)


@right(exercise="attention", replaces="attention")
def softmax_by_hand(q, k, v):
    scores = q @ k.mT / q.shape[-1] ** 0.5
    seen = minigrad.ones(*scores.shape[-2:]).tril() == 1
    scores = minigrad.where(seen, scores, -1e30 * minigrad.ones_like(scores))
    weights = (scores - scores.max(-1, keepdim=True).values.detach()).exp()
    return weights / weights.sum(-1, keepdim=True) @ v


@right(exercise="attention", replaces="attention")
def with_large_negative_scores(q, k, v):
    scores = q @ k.transpose(-1, -2) / np.sqrt(q.shape[-1])
    future = minigrad.triu(minigrad.ones(*scores.shape[-2:]), 1) == 1
    return scores.masked_fill(future, -1e9).softmax(dim=-1) @ v


@right(exercise="attention", replaces="attention")
def through_logarithms(q, k, v):
    scores = k.mT.swapaxes(-1, -2) @ q.mT / q.shape[-1] ** 0.5
    hidden = minigrad.ones(*scores.shape[-2:]).triu() == 0
    return scores.masked_fill(hidden, float("-inf")).log_softmax(-2).exp().mT @ v


# ---------------------------------------------------------------------- a block


@right(exercise="block", replaces="through")
def a_head_at_a_time(block, x, attend):
    size = x.shape[-1] // block.heads
    q, k, v = block.qkv(block.norm1(x)).chunk(3, -1)
    cut = [minigrad.stack([part[..., i * size : (i + 1) * size] for i in range(block.heads)], 1) for part in (q, k, v)]
    met = attend(*cut)
    x = x + block.out(minigrad.cat([met[:, i] for i in range(block.heads)], -1))
    return x + block.down(minigrad.relu(block.up(block.norm2(x))))


@right(exercise="block", replaces="through")
def with_views(block, x, attend):
    rows, words, width = x.shape
    parts = block.qkv(block.norm1(x)).reshape(rows, words, 3, block.heads, -1).permute(2, 0, 3, 1, 4)
    q, k, v = parts[0], parts[1], parts[2]
    found = block.out(attend(q, k, v).permute(0, 2, 1, 3).flatten(2))
    between = x + found
    hidden = block.up(block.norm2(between))
    return between + block.down(hidden * (hidden > 0))


@right(exercise="block", replaces="through")
def in_two_functions(block, x, attend):
    def heads(part):
        return part.unflatten(2, (block.heads, -1)).swapaxes(1, 2)

    def meet(x):
        every = block.qkv(block.norm1(x))
        width = x.shape[2]
        q, k, v = (heads(every[:, :, i * width : (i + 1) * width]) for i in range(3))
        return block.out(attend(q, k, v).swapaxes(1, 2).reshape(x.shape))

    x = meet(x) + x
    return block.down(block.up(block.norm2(x)).clamp(min=0)) + x


@right(exercise="block", replaces="through")
def a_row_at_a_time(block, x, attend):
    def cut(part):
        return minigrad.cat([part[None, :, i : i + size] for i in range(0, x.shape[2], size)])

    size = x.shape[2] // block.heads
    q, k, v = (minigrad.stack([cut(row) for row in part]) for part in block.qkv(block.norm1(x)).split(x.shape[2], -1))
    met = attend(q, k, v)
    joined = minigrad.stack([minigrad.cat(list(heads), 1) for heads in met])
    x = x + block.out(joined)
    return x + block.down(block.up(block.norm2(x)).relu())


@right(exercise="block", replaces="through")
def with_einsum(block, x, attend):
    rows, words, width = x.shape
    every = block.qkv(block.norm1(x)).view(rows, words, 3, block.heads, width // block.heads)
    q, k, v = minigrad.einsum("rwche->crhwe", every).unbind(0)
    x = x + block.out(minigrad.einsum("rhwe->rwhe", attend(q, k, v)).reshape(rows, words, width))
    return x + block.down(minigrad.nn.functional.relu(block.up(block.norm2(x))))
