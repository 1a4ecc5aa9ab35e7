# ---
# jupyter:
#   jupytext:
#     text_representation:
#       extension: .py
#       format_name: percent
#   kernelspec:
#     display_name: Python 3 (ipykernel)
#     language: python
#     name: python3
# ---

# %% [markdown]
# # Project: a text of your own
#
# **Time:** one to two hours. **Before you start:** chapter 9.
#
# You train a small GPT on a text that you choose: poems, a play, recipes, your own letters. You build it up from the
# simplest model that there is, and at each stage you know what the loss *should* be before you look. That habit is
# worth more than any model.
#
# The engine is the complete one. `challenge(…)` compares the four functions that can be compared; the rest you judge
# yourself. Nothing is graded.
#
# ## 1. A text
#
# Put your text beside this notebook as `text.txt`, in UTF-8: some 20,000 characters are enough, and 200,000 are not
# too many. Until you do, the cell uses rhymes that it makes up itself.

# %% nbgrader={"grade": false, "grade_id": "setup", "locked": true, "schema_version": 3, "solution": false, "task": false}
from pathlib import Path

import numpy as np

import minigrad
from grader import challenge
from minigrad import nn, tensor
from minigrad.nn import functional

random = np.random.default_rng(0)
if Path("text.txt").is_file():
    text = Path("text.txt").read_text("utf-8")
else:
    names, verbs, things = ["ada", "bo", "cleo"], ["sees", "draws", "finds"], ["a tree", "the sea", "a star"]
    pick = [" ".join(map(random.choice, (names, verbs, things))) for _ in range(1500)]
    text = ".\n".join(map(str, pick))
print(len(text), "characters; the first of them:")
print(text[:60])

# %% [markdown]
# ## 2. Letters
#
# A network reads numbers. Write `vocabulary(text)`, a sorted list of the characters of the text, each once, and
# `encode(text, letters)`, the list of each character's position in `letters`.


# %% nbgrader={"grade": false, "grade_id": "vocabulary", "locked": false, "schema_version": 3, "solution": true, "task": false}
def vocabulary(text):
    """The characters of the text, each once, in sorted order: a list of strings of length 1."""
    ### BEGIN SOLUTION
    return sorted(set(text))
    ### END SOLUTION


def encode(text, letters):
    """The position of each character of the text in the list letters: a list of integers."""
    ### BEGIN SOLUTION
    place = {letter: number for number, letter in enumerate(letters)}
    return [place[letter] for letter in text]
    ### END SOLUTION


# %%
challenge("vocabulary")

# %% [markdown]
# ## 3. A floor
#
# Before you train anything: how well could a reader do who sees only *one* character and knows the text's habits by
# heart? Count how often each pair of characters occurs. If $b$ follows $a$ with the share $p(b \mid a)$, the mean of
# $-\log p(b \mid a)$ over all pairs of the text is that reader's loss. No model that sees one character gets below
# it, on this text.
#
# Write `bigram_floor(ids)`: `ids` is a list of positions, the result one number. Logarithms are natural.
#
# <details><summary>Hint 1: the idea</summary>
#
# Count pairs, and count how often each character comes first in one.
# </details>
# <details><summary>Hint 2: the formula</summary>
#
# $-\frac{1}{n-1} \sum_{i} \log \frac{\text{count}(a_i, a_{i+1})}{\text{count}(a_i)}$, for $n$ characters.
# </details>
# <details><summary>Hint 3: a skeleton</summary>
#
# ```python
# pairs = Counter(zip(ids, ids[1:]))
# firsts = Counter(ids[:-1])
# return -sum(... * np.log(...) for (a, b), n in pairs.items()) / ...
# ```
# </details>


# %% nbgrader={"grade": false, "grade_id": "floor", "locked": false, "schema_version": 3, "solution": true, "task": false}
from collections import Counter


def bigram_floor(ids):
    """The mean of -log p(next | this) over all neighbours in ids, with p counted in ids itself: one number."""
    ### BEGIN SOLUTION
    pairs, firsts = Counter(zip(ids, ids[1:])), Counter(ids[:-1])
    return -sum(n * np.log(n / firsts[a]) for (a, b), n in pairs.items()) / (len(ids) - 1)
    ### END SOLUTION


# %%
challenge("floor")

# %%
letters = vocabulary(text)
ids = encode(text, letters)
print(f"guessing blindly: {np.log(len(letters)):.3f}; knowing one character: {bigram_floor(ids):.3f}")

# %% [markdown]
# ## 4. Windows
#
# A GPT learns at every place of a row at once. Write `windows(ids, length)`: all stretches of that length, one
# beginning at each place, and beside each the same stretch one place further on.
#
# - **Shapes:** two lists of rows; the last window of `x` ends one place before the end of `ids`, so that `y` fits.


# %% nbgrader={"grade": false, "grade_id": "windows", "locked": false, "schema_version": 3, "solution": true, "task": false}
def windows(ids, length):
    """All rows of so many neighbours in ids, and for each the row that begins one place later: two lists of lists."""
    ### BEGIN SOLUTION
    starts = range(len(ids) - length)
    return [ids[i : i + length] for i in starts], [ids[i + 1 : i + length + 1] for i in starts]
    ### END SOLUTION


# %%
challenge("windows")

# %% [markdown]
# ## 5. A model that sees one character
#
# An `Embedding` with as many columns as there are characters is a table of scores: row $a$ holds the scores of all
# that may follow $a$. Predict, before you run the cell: near which number will its loss end?

# %%
x, y = (np.array(rows) for rows in windows(ids, 16))


def train(model, steps, rate, rows=32):
    """Train on random windows; returns the losses."""
    optimizer = minigrad.optim.AdamW(model.parameters(), lr=rate)
    schedule = minigrad.optim.lr_scheduler.CosineAnnealingLR(optimizer, steps)
    losses = []
    for _ in range(steps):
        chosen = random.integers(len(x), size=rows)
        optimizer.zero_grad()
        scores = model(tensor(x[chosen])).flatten(0, 1)
        loss = functional.cross_entropy(scores, tensor(y[chosen].flatten()))
        loss.backward()
        optimizer.step()
        schedule.step()
        losses.append(loss.item())
    return losses


minigrad.manual_seed(0)
bigram = nn.Embedding(len(letters), len(letters))
losses = train(bigram, 400, 0.1)
print(f"loss {losses[0]:.3f} at first, {np.mean(losses[-50:]):.3f} at the end; the floor is {bigram_floor(ids):.3f}")

# %% [markdown]
# <details><summary>What you should see</summary>
#
# It ends near the floor: the table has learned the shares that you have counted. Far above it, the training is at
# fault, and not the model. Below it by more than chance? Then it sees what it should not.
# </details>
#
# ## 6. A GPT
#
# Now let it see all characters before. The block is that of chapter 9. Fill in `forward`: characters and places as
# vectors, through the blocks, a last norm, and scores.


# %% nbgrader={"grade": false, "grade_id": "gpt", "locked": false, "schema_version": 3, "solution": true, "task": false}
class Block(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.norm1, self.norm2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.qkv, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.up, self.down = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)
        self.heads = heads

    def forward(self, x):
        rows, words, width = x.shape
        parts = self.qkv(self.norm1(x)).split(width, 2)
        q, k, v = (part.reshape(rows, words, self.heads, -1).transpose(1, 2) for part in parts)
        met = functional.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + self.out(met.transpose(1, 2).reshape(rows, words, width))
        return x + self.down(self.up(self.norm2(x)).relu())


class GPT(nn.Module):
    """Scores of what follows each place: takes (rows, places), integers; returns (rows, places, size)."""

    def __init__(self, size, places=16, width=32, heads=2, depth=2):
        super().__init__()
        self.letters, self.places = nn.Embedding(size, width), nn.Embedding(places, width)
        self.blocks = nn.ModuleList([Block(width, heads) for _ in range(depth)])
        self.norm, self.head = nn.LayerNorm(width), nn.Linear(width, size)

    def forward(self, index):
        ### BEGIN SOLUTION
        x = self.letters(index) + self.places(minigrad.arange(index.shape[1]))
        for block in self.blocks:
            x = block(x)
        return self.head(self.norm(x))
        ### END SOLUTION


# %%
minigrad.manual_seed(0)
gpt = GPT(len(letters))
losses = train(gpt, 400, 0.01)
print(f"loss {losses[0]:.3f} at first, {np.mean(losses[-50:]):.3f} at the end")

# %% [markdown]
# Is it below the floor of stage 3? It should be: it sees more than one character. If it is not, train longer, or look
# for what it cannot see.
#
# ## 7. Let it write
#
# Write `say(model, start, count)`: begin with the text `start`, and `count` times choose a next character by its
# probability, from the scores of the last place. The model has seen 16 places at most, so it gets the last 16
# characters.


# %% nbgrader={"grade": false, "grade_id": "say", "locked": false, "schema_version": 3, "solution": true, "task": false}
def say(model, start, count):
    """The text start, with count characters of the model's after it."""
    ### BEGIN SOLUTION
    row = encode(start, letters)
    with minigrad.no_grad():
        for _ in range(count):
            chances = model(tensor([row[-16:]]))[0, -1].double().softmax(0).numpy()
            row.append(int(random.choice(len(letters), p=chances / chances.sum())))
    return "".join(letters[number] for number in row)
    ### END SOLUTION


# %%
print(say(gpt, text[:8], 120))

# %% [markdown]
# ## 8. What is yours
#
# Now it is an experiment of your own. Some questions that people ask at this point:
#
# - Hold a tenth of the text back. From where on does the loss there rise, while the other still falls?
# - Which of your changes bought most: width, depth, length of the windows, or time?
# - Take the mask away (`is_causal=False`). What does the loss do, and what does the text that it writes look like?
#   Why?
# - Run it on your own engine: put `import my_minigrad as minigrad` at the top.
# - Run it on PyTorch, and compare loss by loss.
#
# Write down what you expected, what happened, and one thing that surprised you.
