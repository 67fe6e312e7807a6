"""One style alone, on the teacher that is shipped: from nothing, or from where an earlier one ended.

    python3 style.py ../../../engine/weights/scenes sepia OUT.safetensors --seconds 2400 --batch 32
    python3 style.py ../../../engine/weights/scenes sepia OUT.safetensors --begin ../../../engine/weights/scenes/lora/sepia.safetensors

Runs beside other work: give it one thread (OMP_NUM_THREADS=1). How far the style moves a picture: evaluate.py.
"""
import argparse

import torch

import drawing
import everything
import stock
import styles
import words


def shipped(folder, device, kind):
    """The teacher and its autoencoder, as export.py left them."""
    read = lambda part, name: stock.read_safetensors(f"{folder}/teacher/{part}/{name}.safetensors")
    net = stock.Painter(words.Sentences())
    net.text.load_state_dict(read("text_encoder", "model"))
    net.unet.load_state_dict(read("unet", "diffusion_pytorch_model"))
    vae = everything.load(stock.make_vae(), f"{folder}/teacher/vae/diffusion_pytorch_model.safetensors", device, kind)
    return net.to(device, kind), vae


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("model", help="directory of the bundled model")
    options.add_argument("style", choices=sorted(styles.STYLES))
    options.add_argument("out")
    options.add_argument("--begin", help="the file of an earlier run")
    options.add_argument("--rate", type=float, default=styles.RATE)
    options.add_argument("--seconds", type=float, default=600)
    options.add_argument("--reach", type=float, default=60, help="seconds of it before, for what the decoder can draw")
    options.add_argument("--pictures", type=int, default=8000)
    options.add_argument("--batch", type=int, default=256)
    given = options.parse_args()
    device = "cuda" if torch.cuda.is_available() else "cpu"
    kind = torch.bfloat16 if device == "cuda" else torch.float32
    net, vae = shipped(given.model, device, kind)
    begin = stock.read_safetensors(given.begin) if given.begin else None
    latents = drawing.Latents(vae, 13, given.pictures, device, kind, styled=styles.STYLES[given.style], chunk=256, keep_pictures=True)
    styles.reach(vae, latents, device, kind, max(8, given.batch // 8), given.reach)
    latents.pictures = None
    learnt = styles.learn_style(given.style, net, latents, device, kind, given.batch, given.seconds, given.rate, begin)
    stock.write_safetensors(given.out, learnt)


if __name__ == "__main__":
    main()
