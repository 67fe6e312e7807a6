"""Stable Diffusion 1.5 and 2.1 at their full width, with random weights: does the engine draw what torch draws?

    python3 full_width.py write 1.5 FOLDER               a directory as it is downloaded: fp16, 2 GB (2.1: 2.6 GB)
    ringway generate --model FOLDER -p "..." --size 200x136 --steps 3 --full-precision -o picture.png
    python3 full_width.py compare FOLDER picture.png     draws the same with the modules here, and prints the distance

The sizes are those of the released models: 859,520,964 parameters in 1.5's UNet, 865,910,724 in 2.1's, 83,653,863 in the
autoencoder, 123,060,480 and 340,387,840 in the text encoders; write stops if they differ. 1.5's autoencoder gets the old names
of its attention, which the released one has. compare reads from the PNG how it was made. Its noise is that of core/rng.h.
Needs 6 GB of memory and minutes, so no test runs it.
"""
import json
import math
import os
import re
import struct
import sys
import zlib

import numpy as np
import torch
from clip import Text
from clip_tokenizer import learned_merges
from pictures import SCALE, TOKENIZER, Problem, ids_of
from schedulers import SOLVERS
from torch import nn
from unets import SdUNet
from vae import PictureVae

MASK = 2**64 - 1
NOISE_STREAM = 0x6E6F697365  # engine/sampler/dpm_solver.cc
ATTENDING = ["CrossAttnDownBlock2D"] * 3 + ["DownBlock2D"], ["UpBlock2D"] + ["CrossAttnUpBlock2D"] * 3
OLD_NAMES = {".to_q.": ".query.", ".to_k.": ".key.", ".to_v.": ".value.", ".to_out.0.": ".proj_attn."}
PARAMETERS = {"1.5": [859520964, 83653863, 123060480], "2.1": [865910724, 83653863, 340387840]}


def configs(version):
    unet = dict(act_fn="silu", attention_head_dim=8, block_out_channels=[320, 640, 1280, 1280], cross_attention_dim=768,
                in_channels=4, out_channels=4, layers_per_block=2, norm_num_groups=32, sample_size=64, flip_sin_to_cos=True,
                freq_shift=0, down_block_types=ATTENDING[0], up_block_types=ATTENDING[1])
    text = dict(hidden_act="quick_gelu", hidden_size=768, intermediate_size=3072, max_position_embeddings=77,
                num_attention_heads=12, num_hidden_layers=12, vocab_size=49408)
    noise = dict(_class_name="PNDMScheduler", beta_start=0.00085, beta_end=0.012, beta_schedule="scaled_linear",
                 num_train_timesteps=1000, set_alpha_to_one=False, steps_offset=1, clip_sample=False)
    if version == "2.1":
        unet.update(attention_head_dim=[5, 10, 20, 20], cross_attention_dim=1024, sample_size=96, use_linear_projection=True)
        text.update(hidden_act="gelu", hidden_size=1024, intermediate_size=4096, num_attention_heads=16, num_hidden_layers=23)
        noise.update(_class_name="DDIMScheduler", prediction_type="v_prediction")
    vae = dict(block_out_channels=[128, 256, 512, 512], in_channels=3, out_channels=3, latent_channels=4, layers_per_block=2)
    return unet, vae, text, noise


def stored_name(name, version):
    for now, old in OLD_NAMES.items() if version == "1.5" else ():
        name = name.replace(now, old)
    return name


def save(net, path, rename):
    header, at, total = {}, 0, 0
    for name, value in net.state_dict().items():
        end = at + 2 * value.numel()
        header[rename(name)] = {"dtype": "F16", "shape": list(value.shape), "data_offsets": [at, end]}
        at, total = end, total + value.numel()
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text)
        for name, value in net.state_dict().items():
            shape = value.shape
            if len(shape) > 1:
                drawn = (torch.rand(shape) * 2 - 1) * math.sqrt(3 / np.prod(shape[1:]))
            else:
                drawn = torch.full(shape, 1.0 if name.endswith("weight") else 0.0)
            file.write(drawn.half().numpy().tobytes())
    return total


def load(net, path, rename):
    with open(path, "rb") as file:
        data = file.read()
    size = struct.unpack("<Q", data[:8])[0]
    header = json.loads(data[8:8 + size])
    for name, value in net.state_dict().items():
        begin, end = header[rename(name)]["data_offsets"]
        value.copy_(torch.from_numpy(np.frombuffer(data[8 + size + begin:8 + size + end], "<f2").astype(np.float32)).reshape(value.shape))
    return net


def write(version, folder):
    unet, vae, text, noise = configs(version)
    same = lambda name: name
    parts = [("unet", SdUNet, unet, "diffusion_pytorch_model", same),
             ("vae", PictureVae, vae, "diffusion_pytorch_model", lambda name: stored_name(name, version)),
             ("text_encoder", Text, text, "model", same)]
    totals = []
    for name, make, config, stem, rename in parts:
        os.makedirs(os.path.join(folder, name), exist_ok=True)
        totals.append(save(make(config), os.path.join(folder, name, stem + ".fp16.safetensors"), rename))
        print(f"{name}: {totals[-1]:,} parameters")
    if totals != PARAMETERS[version]:
        sys.exit(f"the released model has {PARAMETERS[version]}")
    index = {"_class_name": "StableDiffusionPipeline", "unet": ["diffusers", "UNet2DConditionModel"],
             "vae": ["diffusers", "AutoencoderKL"], "text_encoder": ["transformers", "CLIPTextModel"],
             "tokenizer": ["transformers", "CLIPTokenizer"], "scheduler": ["diffusers", noise["_class_name"]]}
    files = {"model_index.json": index, "unet/config.json": unet, "vae/config.json": vae, "text_encoder/config.json": text,
             "scheduler/scheduler_config.json": noise, "tokenizer/vocab.json": TOKENIZER.numbers,
             "tokenizer/special_tokens_map.json": {"pad_token": "!" if version == "2.1" else "<|endoftext|>"}}
    for path, content in files.items():
        os.makedirs(os.path.dirname(os.path.join(folder, path)), exist_ok=True)
        with open(os.path.join(folder, path), "w", encoding="utf-8") as file:
            json.dump(content, file)
    with open(os.path.join(folder, "tokenizer/merges.txt"), "w", encoding="utf-8") as file:
        file.write("#version: 0.2\n" + "".join(" ".join(pair) + "\n" for pair in learned_merges()))


class Rng:
    """core/rng.h: xoshiro256++ seeded by splitmix64, Marsaglia's polar method."""

    def __init__(self, seed, stream):
        self.x = seed
        self.x = self.split() ^ (stream * 0xD1342543DE82EF95 & MASK)
        self.state = [self.split() for _ in range(4)]

    def split(self):
        self.x = z = self.x + 0x9E3779B97F4A7C15 & MASK
        z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9 & MASK
        z = (z ^ z >> 27) * 0x94D049BB133111EB & MASK
        return z ^ z >> 31

    def uniform(self):
        s, turned = self.state, lambda v, k: (v << k | v >> (64 - k)) & MASK
        result, t = turned(s[0] + s[3] & MASK, 23) + s[0] & MASK, s[1] << 17 & MASK
        s[2] ^= s[0]
        s[3] ^= s[1]
        s[1] ^= s[2]
        s[0] ^= s[3]
        s[2] ^= t
        s[3] = turned(s[3], 45)
        return (result >> 11) * 2.0**-53

    def normal(self):
        while True:
            u, v = 2 * self.uniform() - 1, 2 * self.uniform() - 1
            s = u * u + v * v
            if 0 < s < 1:
                return u * math.sqrt(-2 * math.log(s) / s)


def read_png(path):
    """Its texts and its pixels, 8 bits RGB."""
    with open(path, "rb") as file:
        data = file.read()
    at, texts, packed = 8, {}, b""
    while at < len(data):
        size, kind = struct.unpack(">I4s", data[at:at + 8])
        content = data[at + 8:at + 8 + size]
        if kind == b"IHDR":
            width, height = struct.unpack(">II", content[:8])
        if kind == b"iTXt":
            keyword, text = re.fullmatch(rb"(.*?)\0\0\0\0\0(.*)", content, re.S).groups()
            texts[keyword.decode()] = text.decode()
        packed += content if kind == b"IDAT" else b""
        at += 12 + size
    raw, rows, above = zlib.decompress(packed), [], [0] * (3 * width)
    for y in range(height):
        kind, line, row = raw[y * (3 * width + 1)], raw[y * (3 * width + 1) + 1:(y + 1) * (3 * width + 1)], [0] * (3 * width)
        for i, byte in enumerate(line):
            left, up, corner = row[i - 3] if i > 2 else 0, above[i], above[i - 3] if i > 2 else 0
            nearest = min((abs(up - corner), 0, left), (abs(left - corner), 1, up), (abs(left + up - 2 * corner), 2, corner))[2]
            row[i] = byte + (0, left, up, (left + up) // 2, nearest)[kind] & 255
        rows.append(row)
        above = row
    return texts, np.array(rows).reshape(height, width, 3)


def compare(folder, png):
    said, drawn = read_png(png)
    read = lambda path: json.load(open(os.path.join(folder, path), encoding="utf-8"))
    unet, vae, text, noise = (read(p) for p in ("unet/config.json", "vae/config.json", "text_encoder/config.json",
                                                 "scheduler/scheduler_config.json"))
    version, padding = "2.1" if "prediction_type" in noise else "1.5", read("tokenizer/special_tokens_map.json")["pad_token"]
    file = lambda name: os.path.join(folder, name + ".fp16.safetensors")
    encoder = load(Text(text), file("text_encoder/model"), lambda name: name)
    context = torch.cat([encoder(ids_of(said[key], padding)) for key in ("negative prompt", "prompt")])
    height, width = drawn.shape[:2]
    case = dict(width=width, height=height, guidance=float(said["guidance"]), unet=unet)
    problem = Problem(case, load(SdUNet(unet), file("unet/diffusion_pytorch_model"), lambda name: name), context, None)
    rng = Rng(int(said["seed"]), NOISE_STREAM)
    first = [rng.normal() for _ in range(int(np.prod(problem.shape)))]
    problem.noise = lambda draw: first  # these samplers stir nothing in
    _, latents = SOLVERS[noise["_class_name"]](problem, noise, int(said["steps"]), 1.0)
    decoder = load(PictureVae(vae), file("vae/diffusion_pytorch_model"), lambda name: stored_name(name, version))
    latents = torch.tensor(latents, dtype=torch.float32).reshape(1, *problem.shape).permute(0, 3, 1, 2)
    painted = decoder.decode(latents / SCALE)[0].permute(1, 2, 0).numpy()
    expected = np.clip(np.floor((painted + 1) * 127.5 + 0.5), 0, 255)
    error = ((drawn - expected) ** 2).mean()
    print(f"{version}, {width} x {height}, {said['steps']} steps: PSNR {10 * math.log10(255**2 / max(error, 1e-12)):.1f} dB, "
          f"{100 * (drawn != expected).mean():.2f} % of the bytes differ, by {int(abs(drawn - expected).max())} at most")


def main():
    for module in (nn.Linear, nn.Conv2d, nn.Embedding, nn.GroupNorm, nn.LayerNorm):
        module.reset_parameters = lambda self: None  # every number is set below
    with torch.no_grad():
        {"write": write, "compare": compare}[sys.argv[1]](*sys.argv[2:4])


if __name__ == "__main__":
    main()
