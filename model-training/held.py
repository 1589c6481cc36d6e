"""How well a table finds the right document among all documents of its repository, on held-out repositories."""
import torch
import torch.nn.functional as F

import data

AT_MOST = 1500  # queries per kind and repository
CHUNK = 16384


@torch.no_grad()
def mrr(table, pairs, document_bags):
    shown = _encoded(len(pairs["d_length"]), lambda some: _documents(table, pairs, some, document_bags), pairs)
    asked = _encoded(len(pairs["q_length"]), lambda some: _queries(table, pairs, some), pairs)
    scores = {}
    for kind, name in enumerate(data.KINDS):
        found = [_of_repo(pairs, repo, kind, asked, shown) for repo in pairs["document_repo"].unique()]
        found = [value for value in found if value is not None]
        if found:
            scores[name] = round(sum(found) / len(found), 4)
    return scores


def _of_repo(pairs, repo, kind, asked, shown):
    in_repo = pairs["document_repo"] == repo
    documents = (in_repo & (pairs["document_is_window"] == (kind >= data.PATH))).nonzero()[:, 0]
    queries = (in_repo[pairs["query_document"]] & (pairs["query_kind"] == kind)).nonzero()[:, 0][:AT_MOST]
    if len(queries) < 20 or len(documents) < 50:
        return None
    place = torch.full((len(shown),), -1, device=shown.device)
    place[documents] = torch.arange(len(documents), device=shown.device)
    right = place[pairs["query_document"][queries]]
    near = (asked[queries] @ shown[documents].T)[right >= 0]
    right = right[right >= 0]
    rank = (near > near.gather(1, right[:, None])).sum(1) + 1
    return float(torch.where(rank <= 10, 1 / rank, 0.0).mean())


def _encoded(count, encode, pairs):
    device = pairs["d_ids"].device
    parts = [torch.arange(at, min(count, at + CHUNK), device=device) for at in range(0, count, CHUNK)]
    return F.normalize(torch.cat([encode(part) for part in parts]), dim=1)


def _documents(table, pairs, some, document_bags):
    ids, row, weights = document_bags(pairs, some, path_share=0)
    return table.documents(ids, row, len(some), weights)


def _queries(table, pairs, some):
    at, row = data.ragged(some, pairs["q_offset"], pairs["q_length"])
    return table.queries(pairs["q_ids"][at], row, len(some), torch.ones(len(at), device=at.device))
