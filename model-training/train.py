"""Trains the static model: `python3 train.py SHARDS VOCAB.json OUT.bin [--suite DIR]`; about a minute on one H200.

A document is Σ (1 + ln tf) · w_d[t] · E[t], a query Σ w_q[t] · E[t] times a square matrix M that takes what people say to
where code is. E, w_d, w_q and M are learned together with InfoNCE in both directions, in 1,024 dimensions; then the 256
directions that carry most of the weighted table are kept. Training 256 dimensions at once is worse by 0.02 (MODEL_CARD.md).
"""
import argparse
import dataclasses
import json
import time

import torch
import torch.nn.functional as F

import data
import export
import held


@dataclasses.dataclass(frozen=True)
class Recipe:
    dims: int = 1024
    kept_dims: int = 256
    epochs: float = 4
    batch: int = 8192
    run: int = 4096  # pairs of one repository next to each other: hard negatives
    rate: float = 4e-3
    temperature: float = 0.06
    keep_tokens: float = 0.9
    path_share: float = 0.5  # share of documents that include the tokens of their path
    nested: tuple = (1024, 512, 256)  # Matryoshka: each prefix is trained, the shorter ones less
    pull_table: float = 0.5  # regularization towards the random start: keeps rare words apart
    pull_map: float = 1e-4  # regularization towards the identity
    seed: int = 0


# Frequent kinds are thinned out.
SHARES = {"name": 0.5, "test": 0.7, "heading": 0.7}


class Table(torch.nn.Module):
    def __init__(self, vocabulary, recipe, log_weights):
        super().__init__()
        generator = torch.Generator().manual_seed(recipe.seed)
        self.rows = torch.nn.Parameter(torch.randn(vocabulary, recipe.dims, generator=generator) / recipe.dims**0.5)
        self.query_weights = torch.nn.Parameter(log_weights.clone())
        self.document_weights = torch.nn.Parameter(log_weights.clone())
        self.query_map = torch.nn.Parameter(torch.eye(recipe.dims))

    def queries(self, ids, row, count, weights):
        return self._sum(ids, row, count, weights * torch.exp(self.query_weights[ids])) @ self.query_map

    def documents(self, ids, row, count, weights):
        return self._sum(ids, row, count, weights * torch.exp(self.document_weights[ids]))

    def _sum(self, ids, row, count, weights):
        offsets = torch.searchsorted(row, torch.arange(count, device=row.device))
        return F.embedding_bag(ids, self.rows, offsets, mode="sum", per_sample_weights=weights)


def document_bags(pairs, documents, path_share, keep=1.0):
    at, row = data.ragged(documents, pairs["d_offset"], pairs["d_length"])
    ids, weights = pairs["d_ids"][at], 1 + torch.log(pairs["d_count"][at].float())
    weights = weights * (torch.rand_like(weights) < keep)
    if path_share == 0:
        return ids, row, weights
    at, path_row = data.ragged(pairs["document_file"][documents], pairs["f_offset"], pairs["f_length"])
    shown = (torch.rand(len(documents), device=ids.device) < path_share).float()[path_row]
    row, order = torch.sort(torch.cat([row, path_row]), stable=True)
    return torch.cat([ids, pairs["f_ids"][at]])[order], row, torch.cat([weights, shown])[order]


def shares_of(pairs):
    """How often each query is used in an epoch."""
    by_kind = torch.tensor([SHARES.get(kind, 1.0) for kind in data.KINDS], device=pairs["query_kind"].device)
    return by_kind[pairs["query_kind"]] * pairs["query_usable"]


def batches(pairs, recipe):
    """Endless: queries in random order, but in runs of one repository."""
    device, share = pairs["d_ids"].device, shares_of(pairs)
    repo = pairs["document_repo"][pairs["query_document"]]
    while True:
        chosen = (torch.rand(len(repo), device=device) < share).nonzero()[:, 0]
        chosen = chosen[torch.randperm(len(chosen), device=device)]
        chosen = chosen[torch.sort(repo[chosen], stable=True)[1]]
        runs = chosen[: len(chosen) // recipe.run * recipe.run].view(-1, recipe.run)
        order = runs[torch.randperm(len(runs), device=device)].reshape(-1)
        yield from order[: len(order) // recipe.batch * recipe.batch].view(-1, recipe.batch)


def loss_of(table, pairs, queries, recipe):
    documents = pairs["query_document"][queries]
    at, row = data.ragged(queries, pairs["q_offset"], pairs["q_length"])
    kept = (torch.rand(len(at), device=at.device) < recipe.keep_tokens).float()
    asked = table.queries(pairs["q_ids"][at], row, recipe.batch, kept)
    shown = table.documents(*_with_count(document_bags(pairs, documents, recipe.path_share, recipe.keep_tokens), recipe))
    same = documents[:, None] == documents[None, :]
    same.fill_diagonal_(False)
    target = torch.arange(recipe.batch, device=at.device)
    loss = 0
    for dims in recipe.nested:
        with torch.autocast(at.device.type, dtype=torch.bfloat16, enabled=at.is_cuda):
            near = F.normalize(asked[:, :dims], dim=1) @ F.normalize(shown[:, :dims], dim=1).T
        near = (near.float() / recipe.temperature).masked_fill(same, -1e4)
        both = F.cross_entropy(near, target) + F.cross_entropy(near.T, target)
        loss = loss + both * (0.5 if dims == recipe.nested[0] else 0.2)
    return loss


def _with_count(bags, recipe):
    ids, row, weights = bags
    return ids, row, recipe.batch, weights


def train(pairs, vocabulary, recipe):
    device = pairs["d_ids"].device
    torch.manual_seed(recipe.seed)
    frequency = torch.bincount(pairs["d_ids"], minlength=vocabulary).float()
    rarity = torch.log(1e-3 / (1e-3 + frequency / frequency.sum())).clamp(min=-4) * 0.7
    table = Table(vocabulary, recipe, rarity.cpu()).to(device)
    start, identity = table.rows.detach().clone(), torch.eye(recipe.dims, device=device)
    optimiser = torch.optim.Adam(table.parameters(), betas=(0.9, 0.98), eps=1e-10)
    steps = int(recipe.epochs * float(shares_of(pairs).sum()) / recipe.batch)
    for step, queries in zip(range(steps), batches(pairs, recipe)):
        rise, fall = min(1, (step + 1) / (0.05 * steps)), max(0.02, 1 - step / steps)
        for group in optimiser.param_groups:
            group["lr"] = recipe.rate * rise * fall
        loss = loss_of(table, pairs, queries, recipe)
        loss = loss + recipe.pull_table * (table.rows - start).pow(2).sum(1).mean()
        loss = loss + recipe.pull_map * (table.query_map - identity).pow(2).sum()
        optimiser.zero_grad(set_to_none=True)
        loss.backward()
        optimiser.step()
    return table, frequency


@torch.no_grad()
def compress(table, frequency, dims):
    """The table projected on the `dims` directions that carry most of it, words weighted by frequency and importance."""
    weights = torch.exp((table.query_weights + table.document_weights) / 2)
    weighted = table.rows * (torch.sqrt(frequency / frequency.sum()) * weights)[:, None]
    directions = torch.linalg.eigh(weighted.T @ weighted)[1].flip(1)[:, :dims]
    return export.Parts(
        rows=(table.rows @ directions).cpu().numpy(),
        query_weights=torch.exp(table.query_weights).cpu().numpy(),
        document_weights=torch.exp(table.document_weights).cpu().numpy(),
        query_map=(directions.T @ table.query_map @ directions).cpu().numpy(),
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("shards")
    parser.add_argument("vocabulary")
    parser.add_argument("out")
    parser.add_argument("--suite", help="a folder written by pack_suite.py: prints NDCG@10 of the model alone")
    given = parser.parse_args()
    device = "cuda" if torch.cuda.is_available() else "cpu"
    words, recipe, began = json.load(open(given.vocabulary)), Recipe(), time.time()
    table, frequency = train(data.load(given.shards, "train", device), len(words), recipe)
    print(f"trained in {time.time() - began:.0f} s, {recipe}")
    print("held-out repositories, MRR@10:", held.mrr(table, data.load(given.shards, "held", device), document_bags))
    parts = export.quantised(compress(table, frequency, recipe.kept_dims))
    export.write(given.out, words, parts)
    if given.suite:
        import suite

        for name in given.suite.split(","):
            print(name, suite.Suite(name).score(parts))


if __name__ == "__main__":
    main()
