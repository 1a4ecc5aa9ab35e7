"""A classifier of small pictures, as the quickstart of many a framework has it: loaders, epochs, saving and loading."""

import io

import torch
from torch import nn, optim
from torch.utils.data import DataLoader, Dataset, TensorDataset, random_split


class Stripes(Dataset):
    """Pictures of 6 × 6 pixels with a stripe in row or column number `label`, and noise."""

    def __init__(self, n):
        torch.manual_seed(0)
        self.labels = torch.randint(0, 6, (n,))
        self.pictures = 0.3 * torch.rand(n, 1, 6, 6)
        for picture, label in zip(self.pictures, self.labels, strict=True):
            picture[0, label] += 1.0

    def __len__(self):
        return len(self.labels)

    def __getitem__(self, idx):
        return self.pictures[idx], self.labels[idx].item()


class NeuralNetwork(nn.Module):
    def __init__(self):
        super().__init__()
        self.flatten = nn.Flatten()
        self.linear_relu_stack = nn.Sequential(
            nn.Linear(36, 16, bias=False), nn.BatchNorm1d(16), nn.ReLU(), nn.Dropout(0.0), nn.Linear(16, 6)
        )

    def forward(self, x):
        return self.linear_relu_stack(self.flatten(x))


def train(dataloader, model, loss_fn, optimizer, device):
    model.train()
    losses = []
    for X, y in dataloader:
        X, y = X.to(device), y.to(device)
        loss = loss_fn(model(X), y)
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        losses.append(loss.item())
    return losses


def test(dataloader, model, loss_fn, device):
    model.eval()
    test_loss, correct = 0, 0
    with torch.inference_mode():
        for X, y in dataloader:
            pred = model(X.to(device))
            test_loss += loss_fn(pred, y).item()
            correct += (pred.argmax(1) == y).type(torch.float).sum().item()
    return [test_loss / len(dataloader), correct / len(dataloader.dataset)]


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    training, rest = random_split(Stripes(120), [0.8, 0.2], generator=torch.Generator().manual_seed(42))
    loader = DataLoader(training, batch_size=10, shuffle=True, num_workers=0, pin_memory=True)
    model = NeuralNetwork().to(device)
    loss_fn = nn.CrossEntropyLoss()
    optimizer = optim.RMSprop(model.parameters(), lr=1e-3)
    scheduler = optim.lr_scheduler.ExponentialLR(optimizer, gamma=0.9)
    losses = []
    for _ in range(2):
        losses += train(loader, model, loss_fn, optimizer, device)
        scheduler.step()
    file = io.BytesIO()
    torch.save({"model": model.state_dict(), "epoch": 2}, file)
    file.seek(0)
    checkpoint = torch.load(file, map_location=device, weights_only=True)
    again = NeuralNetwork()
    missing = again.load_state_dict(checkpoint["model"])
    found = test(DataLoader(rest, batch_size=10), again, loss_fn, device)
    batch = next(iter(DataLoader(TensorDataset(torch.arange(6), torch.arange(6) * 2), batch_size=4, drop_last=True)))
    return losses, [*found, str(missing), [x.tolist() for x in batch]]
