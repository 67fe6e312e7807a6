"""First half: paints a bank of pictures, trains the autoencoder and then the judge; or the judge alone.

    python3 coder.py OUT --seconds 150
    python3 coder.py OUT --seconds 2000 --pictures 20000 --vae ../../../engine/weights/scenes/teacher/vae/diffusion_pytorch_model.safetensors
"""
import argparse
import time

import torch

import autoencoder
import everything
import judge
import stock

JUDGES_SHARE = 0.2


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("out")
    options.add_argument("--seconds", type=float, default=150, help="of training; the judge gets a fifth")
    options.add_argument("--pictures", type=int, default=60000)
    options.add_argument("--batch", type=int, default=64)
    options.add_argument("--vae", help="an autoencoder that was trained before; all the time is the judge's")
    given = options.parse_args()
    device = "cuda" if torch.cuda.is_available() else "cpu"
    kind = torch.bfloat16 if device == "cuda" else torch.float32
    begun = time.time()
    bank = autoencoder.Bank(1, given.pictures, device)
    held = autoencoder.Bank(2, min(2048, given.pictures), device, held=True)
    print(f"{given.pictures} pictures painted in {time.time() - begun:.1f} s on {device}", flush=True)
    share = 1.0 if given.vae else JUDGES_SHARE
    vae = everything.load(stock.make_vae(), given.vae, device, kind) if given.vae else \
        autoencoder.learn(bank, held, device, kind, given.batch, (1 - share) * given.seconds)
    print(f"autoencoder: {autoencoder.decibels(vae, held, kind):.2f} dB with latents evened out", flush=True)
    stock.write_safetensors(f"{given.out}/vae.safetensors", vae.state_dict())
    reader = judge.learn(bank, device, kind, 4 * given.batch, share * given.seconds, vae)
    stock.write_safetensors(f"{given.out}/judge.safetensors", reader.state_dict())
    judge.table("held-out pictures", judge.right(reader, held.pictures, held.scenes, kind))
    with torch.no_grad():
        through = torch.cat([judge.as_bytes(vae.decode(vae.encode(autoencoder.as_input(held.pictures[i:i + 128], kind))[:, :stock.LATENTS]))
                             for i in range(0, len(held.pictures), 128)])
    judge.table("through the autoencoder", judge.right(reader, through, held.scenes, kind))


if __name__ == "__main__":
    main()
