"""`torch.utils.data`: examples by number, and batches of them in the order that torch draws from the same seed."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from ..core.tensor import Tensor
from ..surface.creation import empty, tensor
from ..surface.dtypes import int64
from ..surface.namespace import absent
from ..surface.random import Generator, randint, randperm
from ..surface.shape import stack


class Subscripted:
    """A class that can be written as `Dataset[int]`, for type checkers."""

    @classmethod
    def __class_getitem__(cls, item: Any) -> Any:
        return cls


class Dataset(Subscripted):
    """Examples: a subclass says `dataset[i]`, and mostly `len(dataset)`."""

    def __getitem__(self, index: Any) -> Any:
        raise NotImplementedError("Subclasses of Dataset should implement __getitem__.")

    def __add__(self, other: Dataset) -> ConcatDataset:
        return ConcatDataset([self, other])


class IterableDataset(Dataset):
    """Examples that come one after the other: a subclass says `iter(dataset)`."""


class TensorDataset(Dataset):
    """Tensors of one length: an example is what they have at its number."""

    def __init__(self, *tensors: Tensor) -> None:
        if any(x.shape[0] != tensors[0].shape[0] for x in tensors):
            raise AssertionError("Size mismatch between tensors")
        self.tensors = tensors

    def __getitem__(self, index: Any) -> tuple[Tensor, ...]:
        return tuple(x[index] for x in self.tensors)

    def __len__(self) -> int:
        return int(self.tensors[0].shape[0])


class Subset(Dataset):
    """Some examples of a dataset."""

    def __init__(self, dataset: Any, indices: Sequence[int]) -> None:
        self.dataset, self.indices = dataset, indices

    def __getitem__(self, index: Any) -> Any:
        return self.dataset[[self.indices[i] for i in index] if isinstance(index, list) else self.indices[index]]

    def __len__(self) -> int:
        return len(self.indices)


class ConcatDataset(Dataset):
    """Datasets one after the other."""

    def __init__(self, datasets: Iterable[Any]) -> None:
        self.datasets = list(datasets)

    def __getitem__(self, index: int) -> Any:
        index = index + len(self) if index < 0 else index
        for dataset in self.datasets:
            if index < len(dataset):
                return dataset[index]
            index -= len(dataset)
        raise IndexError("the dataset has not so many examples")

    def __len__(self) -> int:
        return sum(map(len, self.datasets))


def random_split(dataset: Any, lengths: Sequence[Any], generator: Generator | None = None) -> list[Subset]:
    """Parts of given lengths, or shares, drawn at random; ValueError where the lengths are not the dataset's."""
    if math.isclose(sum(lengths), 1) and sum(lengths) <= 1:
        counts = [math.floor(len(dataset) * share) for share in lengths]
        for i in range(len(dataset) - sum(counts)):
            counts[i % len(counts)] += 1
        lengths = counts
    if sum(lengths) != len(dataset):
        raise ValueError("Sum of input lengths does not equal the length of the input dataset!")
    order = randperm(sum(lengths), generator=generator).tolist()
    return [
        Subset(dataset, order[end - n : end]) for end, n in zip(itertools.accumulate(lengths), lengths, strict=True)
    ]


class Sampler(Subscripted):
    """Numbers of examples: a subclass says `iter(sampler)`."""

    def __init__(self, data_source: Any = None) -> None:
        self.data_source = data_source

    def __iter__(self) -> Iterator[Any]:
        raise NotImplementedError


class SequentialSampler(Sampler):
    """0, 1, 2, …"""

    def __iter__(self) -> Iterator[int]:
        return iter(range(len(self)))

    def __len__(self) -> int:
        return len(self.data_source)


class RandomSampler(Sampler):
    """Each number once, in random order; with `replacement`, so many numbers, each drawn anew."""

    def __init__(
        self, data_source: Any, replacement: bool = False, num_samples: int | None = None, generator: Any = None
    ) -> None:
        super().__init__(data_source)
        self.replacement, self.generator = replacement, generator
        self.num_samples = len(data_source) if num_samples is None else num_samples

    def __iter__(self) -> Iterator[int]:
        n = len(self.data_source)
        generator = self.generator or Generator().manual_seed(drawn_seed(None))
        for start in range(0, self.num_samples, 32 if self.replacement else n):
            count = self.num_samples - start
            if self.replacement:
                yield from randint(n, (min(32, count),), generator=generator).tolist()
            else:
                yield from randperm(n, generator=generator).tolist()[:count]

    def __len__(self) -> int:
        return self.num_samples


class SubsetRandomSampler(Sampler):
    """Given numbers in random order."""

    def __init__(self, indices: Sequence[int], generator: Any = None) -> None:
        super().__init__()
        self.indices, self.generator = indices, generator

    def __iter__(self) -> Iterator[int]:
        yield from (self.indices[i] for i in randperm(len(self.indices), generator=self.generator).tolist())

    def __len__(self) -> int:
        return len(self.indices)


class BatchSampler(Sampler):
    """Lists of `batch_size` of a sampler's numbers; the last may be shorter, or is dropped."""

    def __init__(self, sampler: Any, batch_size: int, drop_last: bool) -> None:
        super().__init__()
        self.sampler, self.batch_size, self.drop_last = sampler, batch_size, drop_last

    def __iter__(self) -> Iterator[list[int]]:
        numbers = iter(self.sampler)
        while batch := list(itertools.islice(numbers, self.batch_size)):
            if len(batch) == self.batch_size or not self.drop_last:
                yield batch

    def __len__(self) -> int:
        whole, rest = divmod(len(self.sampler), self.batch_size)
        return whole + (rest > 0 and not self.drop_last)


def drawn_seed(generator: Any) -> int:
    """A seed of 63 bits, as torch draws it."""
    return int(empty((), dtype=int64).random_(generator=generator).item())


def default_collate(batch: Sequence[Any]) -> Any:
    """One example of many: tensors are stacked, numbers become a tensor; in tuples, lists and dicts part by part."""
    first = batch[0]
    if isinstance(first, Tensor):
        return stack(list(batch))
    if isinstance(first, np.ndarray):
        return stack([tensor(x) for x in batch])
    if isinstance(first, float):
        return tensor(list(batch), dtype=None if isinstance(first, np.generic) else tensor(np.float64(0)).dtype)
    if isinstance(first, int | np.generic):
        return tensor(list(batch))
    if isinstance(first, Mapping):
        return {key: default_collate([example[key] for example in batch]) for key in first}
    if isinstance(first, tuple | list):
        parts = [default_collate(part) for part in zip(*batch, strict=True)]
        return type(first)(*parts) if hasattr(first, "_fields") else parts
    return list(batch)


class DataLoader(Subscripted):
    """Batches of a dataset, in a new order each time with `shuffle`.

    `num_workers`, `pin_memory` and the like are taken and change nothing: batches are made as they are asked for.
    """

    def __init__(
        self, dataset: Any, batch_size: int | None = 1, shuffle: bool | None = None, sampler: Any = None,
        batch_sampler: Any = None, num_workers: int = 0, collate_fn: Callable[[Any], Any] | None = None,
        pin_memory: bool = False, drop_last: bool = False, timeout: float = 0, worker_init_fn: Any = None,
        generator: Any = None, prefetch_factor: int | None = None, persistent_workers: bool = False,
    ) -> None:  # fmt: skip
        if sampler is not None and shuffle:
            raise ValueError("sampler option is mutually exclusive with shuffle")
        self.dataset, self.batch_size, self.drop_last, self.generator = dataset, batch_size, drop_last, generator
        self.num_workers, self.collate_fn = num_workers, collate_fn
        if isinstance(dataset, IterableDataset):
            sampler = None
        elif sampler is None:
            sampler = RandomSampler(dataset, generator=generator) if shuffle else SequentialSampler(dataset)
        self.sampler = sampler
        if batch_sampler is None and sampler is not None and batch_size is not None:
            batch_sampler = BatchSampler(sampler, batch_size, drop_last)
        self.batch_sampler = batch_sampler

    def __iter__(self) -> Iterator[Any]:
        drawn_seed(self.generator)  # as torch does for its workers, whether there are any or not
        return self.batches()

    def batches(self) -> Iterator[Any]:
        """Batches, put together by `collate_fn`; single examples where there is no batch size."""
        collate = self.collate_fn or (default_collate if self.batch_size is not None else lambda example: example)
        if self.sampler is None:
            examples = iter(self.dataset)
            while batch := list(itertools.islice(examples, self.batch_size or 1)):
                if len(batch) == (self.batch_size or 1) or not self.drop_last:
                    yield collate(batch if self.batch_size is not None else batch[0])
        elif self.batch_sampler is None:
            yield from (collate(self.dataset[i]) for i in self.sampler)
        else:
            yield from (collate([self.dataset[i] for i in numbers]) for numbers in self.batch_sampler)

    def __len__(self) -> int:
        return len(self.sampler if self.batch_sampler is None else self.batch_sampler)


__all__ = [
    "BatchSampler", "ConcatDataset", "DataLoader", "Dataset", "IterableDataset", "RandomSampler", "Sampler",
    "SequentialSampler", "Subset", "SubsetRandomSampler", "TensorDataset", "default_collate", "random_split",
]  # fmt: skip
__getattr__ = absent("minigrad.utils.data")
