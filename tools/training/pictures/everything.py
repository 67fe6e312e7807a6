"""Second half, with the autoencoder and the judge of coder.py: teacher, student, three styles and the control network.

    python3 everything.py CODER OUT --seconds 420
"""
import argparse
import copy
import json
import time

import numpy as np
import torch

import diffusion
import drawing
import judge
import stock
import styles
import words

SHARES = dict(teacher=0.66, student=0.13, reach=0.005, style=0.02, control=0.135)  # of the time; there are three styles


class Report:
    """What the judge reads on one list of sentences whose scenes are held out."""

    def __init__(self, vae, reader, sentences, device, kind, n):
        rng = np.random.default_rng(77)
        self.scenes = words.draw_scenes(rng, n, held=True)
        self.texts = [words.sentence(rng, scene, unsaid=0.0) for scene in self.scenes]
        self.ids, self.none = sentences(self.texts).to(device), sentences([""]).to(device)
        self.vae, self.reader, self.kind, self.table, self.rows = vae, reader, kind, diffusion.levels(device), {}

    def draw(self, net, steps, guidance, walk=diffusion.ddim, unet=None):
        return drawing.draw(net, self.vae, self.ids, self.none, self.kind, steps, guidance, self.table, walk, unet)

    def __call__(self, name, net, steps, guidance, walk=diffusion.ddim, unet=None):
        pictures = self.draw(net, steps, guidance, walk, unet)
        self.rows[name] = judge.table(name, judge.right(self.reader, pictures, self.scenes, self.kind))
        return pictures


def load(module, path, device, kind):
    module.load_state_dict(stock.read_safetensors(path))
    return module.to(device, kind).eval()


def split(net):
    state = net.state_dict()
    part = lambda start: {k[len(start):]: v for k, v in state.items() if k.startswith(start)}
    return part("text."), part("unet.")


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("coder")
    options.add_argument("out")
    options.add_argument("--seconds", type=float, default=420)
    options.add_argument("--pictures", type=int, default=200000)
    options.add_argument("--batch", type=int, default=256)
    options.add_argument("--judged", type=int, default=512, help="sentences")
    given = options.parse_args()
    device = "cuda" if torch.cuda.is_available() else "cpu"
    kind = torch.bfloat16 if device == "cuda" else torch.float32
    vae = load(stock.make_vae(), f"{given.coder}/vae.safetensors", device, kind)
    reader = load(judge.Judge(), f"{given.coder}/judge.safetensors", device, kind)
    begun = time.time()
    latents = drawing.Latents(vae, 11, given.pictures, device, kind)
    print(f"{given.pictures} latents in {time.time() - begun:.0f} s", flush=True)
    seconds = {name: share * given.seconds for name, share in SHARES.items()}
    report = Report(vae, reader, latents.sentences, device, kind, given.judged)

    teacher = drawing.learn(latents, device, kind, given.batch, seconds["teacher"])
    text, unet = split(teacher)
    stock.write_safetensors(f"{given.out}/text.safetensors", text)
    stock.write_safetensors(f"{given.out}/teacher.safetensors", unet)
    for steps, guidance in ((32, 1), (32, 3), (8, 3), (8, 1), (32, 5)):
        report(f"teacher {steps} x guidance {guidance}", teacher, steps, guidance)
    report("teacher dpm 32 x guidance 3", teacher, 32, 3, diffusion.dpm)
    report("teacher dpm 8 x guidance 3", teacher, 8, 3, diffusion.dpm)

    student = drawing.distil(teacher, latents, device, kind, given.batch // 2, seconds["student"])
    stock.write_safetensors(f"{given.out}/student.safetensors", split(student)[1])
    report("student 8 x guidance 1", student, 8, 1)

    some = max(64, given.pictures // 25)
    seen = drawing.Latents(vae, 12, 2 * some, device, kind, keep_pictures=True)
    control = styles.learn_control(teacher, seen, device, kind, given.batch // 2, seconds["control"])
    stock.write_safetensors(f"{given.out}/edges.safetensors", control.state_dict())
    wanted = styles.edges(seen.pictures[:len(report.ids)].float() / 255)
    follow = lambda at, part: styles.with_control(teacher.unet, control, wanted[at:at + len(part)])
    shown = seen.scenes[:len(report.ids)]
    ids = seen.ids[:len(shown), 0]
    made = drawing.draw(teacher, vae, ids, report.none, kind, 32, 3, report.table, unet=follow)
    free = drawing.draw(teacher, vae, ids, report.none, kind, 32, 3, report.table)
    for name, pictures in (("with the control network", made), ("without it", free)):
        report.rows[f"edges {name}"] = styles.agreement(styles.edges(pictures.float() / 255)[:, :1], wanted[:, :1])
        print(f"edges followed {name}: F1 {report.rows[f'edges {name}']:.3f}", flush=True)
    del seen

    plain = report.draw(teacher, 32, 3).float() / 255
    for name, style in styles.STYLES.items():
        net = copy.deepcopy(teacher)
        styled = drawing.Latents(vae, 13, some, device, kind, styled=style, keep_pictures=True)
        styles.reach(vae, styled, device, kind, max(8, given.batch // 8), seconds["reach"])
        styled.pictures = None
        stock.write_safetensors(f"{given.out}/{name}.safetensors", styles.learn_style(name, net, styled, device, kind, given.batch, seconds["style"]))
        before, after = (styles.measure(name, p) for p in (plain, report.draw(net, 32, 3).float() / 255))
        moved = ((after.mean() - before.mean()) / before.std()).item()
        report.rows[f"style {name}"] = moved
        print(f"style {name}: {moved:.1f} deviations of the pictures without it", flush=True)
    with open(f"{given.out}/report.json", "w", encoding="utf-8") as file:
        json.dump(report.rows, file, indent=1)


if __name__ == "__main__":
    main()
