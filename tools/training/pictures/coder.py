"""First half: paints a bank of pictures, trains the autoencoder and then the judge.

    python3 coder.py OUT --seconds 150
"""
import argparse
import time

import torch

import autoencoder
import judge
import stock


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("out")
    options.add_argument("--seconds", type=float, default=150, help="of training; the judge gets a fifth")
    options.add_argument("--pictures", type=int, default=60000)
    options.add_argument("--batch", type=int, default=64)
    given = options.parse_args()
    device = "cuda" if torch.cuda.is_available() else "cpu"
    kind = torch.bfloat16 if device == "cuda" else torch.float32
    begun = time.time()
    bank = autoencoder.Bank(1, given.pictures, device)
    held = autoencoder.Bank(2, min(2048, given.pictures), device, held=True)
    print(f"{given.pictures} pictures painted in {time.time() - begun:.1f} s on {device}", flush=True)
    vae = autoencoder.learn(bank, held, device, kind, given.batch, 0.8 * given.seconds)
    print(f"autoencoder: {autoencoder.decibels(vae, held, kind):.2f} dB with latents evened out", flush=True)
    stock.write_safetensors(f"{given.out}/vae.safetensors", vae.state_dict())
    reader = judge.learn(bank, device, kind, 4 * given.batch, 0.2 * given.seconds, vae)
    stock.write_safetensors(f"{given.out}/judge.safetensors", reader.state_dict())
    judge.table("held-out pictures", judge.right(reader, held.pictures, held.scenes, kind))
    with torch.no_grad():
        through = torch.cat([judge.as_bytes(vae.decode(vae.encode(autoencoder.as_input(held.pictures[i:i + 128], kind))[:, :stock.LATENTS]))
                             for i in range(0, len(held.pictures), 128)])
    judge.table("through the autoencoder", judge.right(reader, through, held.scenes, kind))


if __name__ == "__main__":
    main()
