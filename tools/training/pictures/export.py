"""What coder.py and everything.py trained, as directories that the engine and diffusers open.

    python3 export.py CODER TRAINED ../../../engine/weights/scenes

The student has its own UNet and its teacher's other parts, by links; tiny_coder.py then gives it an autoencoder of its own.
"""
import argparse
import os
import shutil

import drawing
import stock
import styles
import words

PARTS = ("text_encoder", "tokenizer", "vae")


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("coder"), options.add_argument("trained"), options.add_argument("out")
    given = options.parse_args()
    sentences = words.Sentences()
    read = lambda folder, name: stock.read_safetensors(f"{folder}/{name}.safetensors")
    vae, text = read(given.coder, "vae"), read(given.trained, "text")
    for name, steps, guidance in (("teacher", drawing.TEACHER_STEPS, drawing.GUIDANCE), ("student", drawing.STUDENT_STEPS, 1.0)):
        folder = f"{given.out}/{name}"
        shutil.rmtree(folder, ignore_errors=True)
        stock.write_directory(folder, sentences, text, read(given.trained, name), vae, dict(ringway_steps=steps, ringway_guidance=guidance))
    for part in PARTS:
        shutil.rmtree(f"{given.out}/student/{part}")
        os.symlink(f"../teacher/{part}", f"{given.out}/student/{part}")
    for name in styles.STYLES:
        stock.write_safetensors(f"{given.out}/lora/{name}.safetensors", read(given.trained, name))
    stock.write_json(f"{given.out}/control/edges/config.json", stock.CONTROL)
    stock.write_safetensors(f"{given.out}/control/edges/diffusion_pytorch_model.safetensors", read(given.trained, "edges"))


if __name__ == "__main__":
    main()
