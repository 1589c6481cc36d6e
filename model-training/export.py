"""Writes the trained table as one file, which pack.ts turns into the shipped one."""
import dataclasses
import json
import struct

import numpy as np


@dataclasses.dataclass(frozen=True)
class Parts:
    rows: np.ndarray
    query_weights: np.ndarray
    document_weights: np.ndarray
    query_map: np.ndarray


def quantised(parts):
    """Rows of int8; each row's scale goes into its two weights."""
    scale = np.abs(parts.rows).max(1) / 127 + 1e-12
    rows = np.clip(np.round(parts.rows / scale[:, None]), -127, 127).astype(np.int8)
    return Parts(
        rows,
        (parts.query_weights * scale).astype(np.float32),
        (parts.document_weights * scale).astype(np.float32),
        parts.query_map.astype(np.float32),
    )


def write(file, words, parts):
    """"CCEM", the header's length, a JSON header, words, query weights, document weights, query map, rows."""
    spelt = "\n".join(words).encode()
    size, dims = parts.rows.shape
    header = json.dumps({"format": 2, "vocab": size, "dim": dims, "vocabBytes": len(spelt)}).encode()
    with open(file, "wb") as out:
        out.write(b"CCEM" + struct.pack("<I", len(_padded(header))) + _padded(header) + _padded(spelt))
        for floats in (parts.query_weights, parts.document_weights, parts.query_map):
            out.write(floats.astype("<f4").tobytes())
        out.write(parts.rows.tobytes())


def _padded(given):
    return given + b"\0" * (-len(given) % 4)
