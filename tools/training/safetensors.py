"""The safetensors format: u64 length, a JSON header of names, dtypes, shapes and offsets, then raw little-endian data."""
import json
import os

import numpy as np
import torch

DTYPES = {torch.bfloat16: "BF16", torch.float32: "F32"}


def save(tensors, path):
    """Writes beside the place and renames: a reader has mapped the old file, or sees the new one whole."""
    header, blobs, end = {"__metadata__": {"format": "pt"}}, [], 0
    for name in sorted(tensors):
        t = tensors[name].detach().cpu().contiguous()
        raw = t.view(torch.int16).numpy() if t.dtype == torch.bfloat16 else t.numpy()
        blob = raw.tobytes()
        header[name] = {"dtype": DTYPES[t.dtype], "shape": list(t.shape), "data_offsets": [end, end + len(blob)]}
        blobs.append(blob)
        end += len(blob)
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    with open(path + ".new", "wb") as f:
        f.write(len(text).to_bytes(8, "little") + text + b"".join(blobs))
    os.replace(path + ".new", path)


def load(path):
    """-> {name: tensor in float32}."""
    with open(path, "rb") as f:
        raw = f.read()
    start = 8 + int.from_bytes(raw[:8], "little")
    tensors = {}
    for name, entry in json.loads(raw[8:start]).items():
        if name == "__metadata__":
            continue
        blob = raw[start + entry["data_offsets"][0]:start + entry["data_offsets"][1]]
        if entry["dtype"] == "BF16":
            t = torch.from_numpy(np.frombuffer(blob, np.int16).copy()).view(torch.bfloat16).float()
        else:
            t = torch.from_numpy(np.frombuffer(blob, np.float32).copy())
        tensors[name] = t.reshape(entry["shape"])
    return tensors
