"""Packed training pairs: bags of token ids, as pack_pairs.py writes them.

A shard holds documents (`d`), queries (`q`) and files (`f`: tokens of a path). Ids are stored as differences in two byte
planes, because that is what xz makes smallest. Loaded, everything is one flat tensor with offsets and lengths.
"""
import glob
import io
import json
import lzma
import os

import numpy as np
import torch

# What a query was mined from; its number is its index here.
KINDS = ("doc", "comment", "name", "commit", "markdown", "heading", "test", "path", "header")
PATH = KINDS.index("path")


def load(directory, split, device):
    """All shards of a split ("train" or "held") as one set."""
    files = sorted(glob.glob(f"{directory}/{split}_*.npz.xz"))
    if not files:
        raise SystemExit(f"no {split}_*.npz.xz in {directory}")
    shards = [_read(file, device) for file in files]
    pairs = shards[0]
    for shard in shards[1:]:
        shard["query_document"] = shard["query_document"] + len(pairs["d_length"])
        shard["document_file"] = shard["document_file"] + len(pairs["f_length"])
        for side in "dqf":
            shard[f"{side}_offset"] = shard[f"{side}_offset"] + len(pairs[f"{side}_ids"])
        pairs = {name: torch.cat([pairs[name], shard[name]]) for name in pairs}
    pairs["query_usable"] = ~torch.isin(pairs["document_repo"][pairs["query_document"]], _dropped(device))
    # Documents that are windows of a file (queries from paths and headers) compete only among themselves in evaluation.
    window = torch.zeros(len(pairs["d_length"]), dtype=torch.bool, device=device)
    window[pairs["query_document"][pairs["query_kind"] >= PATH]] = True
    pairs["document_is_window"] = window
    return pairs


def _dropped(device):
    """Repositories that were mined but are not trained on: no licence was found at their root."""
    sources = json.load(open(os.path.join(os.path.dirname(__file__), "sources.json")))
    return torch.tensor([source["id"] for source in sources if source["use"] == "dropped"], device=device)


def _read(file, device):
    raw = np.load(io.BytesIO(lzma.open(file, "rb").read()))
    out = {
        "d_count": raw["dc"],
        "document_repo": raw["drepo"].astype(np.int64),
        "document_file": np.cumsum(raw["dfile"].astype(np.int64)),
        "query_document": np.cumsum(raw["qd"].astype(np.int64)),
        "query_kind": raw["qt"].astype(np.int64),
        "f_ids": raw["fi"].astype(np.int64),
        "f_length": raw["fl"].astype(np.int64),
    }
    out["f_offset"] = _offsets(out["f_length"])
    for side in "dq":
        lengths = raw[f"{side}l"].astype(np.int64)
        out[f"{side}_ids"] = _undelta(raw[f"{side}i_lo"], raw[f"{side}i_hi"], lengths)
        out[f"{side}_length"], out[f"{side}_offset"] = lengths, _offsets(lengths)
    return {name: torch.from_numpy(np.ascontiguousarray(value)).to(device) for name, value in out.items()}


def _undelta(low, high, lengths):
    """Converts the differences within each bag back to ids."""
    sums = np.cumsum(low.astype(np.int64) | (high.astype(np.int64) << 8))
    before = np.zeros(len(lengths), np.int64)
    first = _offsets(lengths)
    before[1:] = np.where(first[1:] > 0, sums[np.maximum(first[1:] - 1, 0)], 0)
    return sums - np.repeat(before, lengths)


def _offsets(lengths):
    return np.concatenate([[0], np.cumsum(lengths)])[:-1]


def ragged(rows, offset, length):
    """Positions of all items of the rows, and the row each belongs to."""
    lengths = length[rows]
    total = int(lengths.sum())
    row = torch.repeat_interleave(torch.arange(len(rows), device=rows.device), lengths, output_size=total)
    start = torch.repeat_interleave(offset[rows] - (torch.cumsum(lengths, 0) - lengths), lengths, output_size=total)
    return start + torch.arange(total, device=rows.device), row
