"""Is the sampled motion the one that was asked for? Trackers on held-out clips, against bounds; status 0 if all hold.

    python3 evaluate.py MODEL [--pictures 13] [--repeats 4] [--steps 8] [--text 1] [--fresh-noise] ... [--json OUT] [--against OTHER.json]

MODEL is a checkpoint (RUN/latest.pt) or an exported directory, which is sampled as its scheduler says unless options
say otherwise. The columns: share of clips that pass the verb's tracker; the same for true fields (the ceiling), for no
motion, and for the answer to another verb's prompt; strength and spread as ratios to the truth's. --against compares
with the file that another run of this program wrote: the student with the unguided teacher, say.

The truth's strength and spread are those of many draws for the same pictures and prompts: one draw for each clip would
be off by a twentieth, twice what the model's own clips are.
"""
import argparse
import dataclasses
import json
import os
import sys
import time

import torch

import photos
import settings as S
from asks import MOVES, Ask, Part, plain_sentence
from cases import VERBS, Clips, held_out_scenes, rows, verb_clips
from diffusion import Sampler, sample_in_chunks
from draws import Draws
from export import add_sampler_options, load_directory, load_sampler, with_options
from kernels import working_type
from model import MotionModel, channels_last_weights
from motion import fields, holds
from trackers import Affine, does, sinusoid_fit

# Another verb's answer that truly does what this verb asks is no mistake.
KIN = {"left": {"drift_right"}, "right": {"drift_left"}, "drift_left": {"right"}, "drift_right": {"left"}}
MOVE_LEAST, PERIODIC_LEAST, WRONG_MOST = 0.95, 0.90, 0.02
STRENGTH, SPREAD = (0.85, 1.15), (0.7, 1.3)
TRUTHS = 24  # draws of the truth for each clip
CYCLES = {"slow": (0.50, 1.06), "quick": (1.04, 1.52)}  # what the words leave to the truth


def load(path):
    if os.path.isdir(path):
        model = load_directory(path)
    else:
        saved = torch.load(path, map_location="cpu")
        model = MotionModel(S.NetworkSettings.from_json(saved["settings"]))
        model.load_state_dict(saved["ema"])
    device = "cuda" if torch.cuda.is_available() else "cpu"
    return channels_last_weights(model).to(device, working_type(device)).eval()


def sampler_of(options):
    """The model's own where it is a directory, as far as the options do not say otherwise."""
    return with_options(load_sampler(options.model) if os.path.isdir(options.model) else Sampler(), options)


class Asker:
    def __init__(self, model, how):
        self.model, self.how = model, how
        self.device = next(model.parameters()).device

    def __call__(self, clips, parts=1):
        """Of `parts` equal parts of the clips each gets the same fresh noise."""
        n = len(clips) // parts
        found = []
        for i in range(0, n * parts, n):
            shown = {k: v[i:i + n].to(self.device) for k, v in clips.shown.items()}
            found.append(sample_in_chunks(self.model, shown, clips.noise[i:i + n].to(self.device), self.how))
        return torch.cat(found).float().cpu()


def strength(field):
    return field.pow(2).sum(2).mean((1, 2, 3)).sqrt()


def spread(field, index):
    """Root mean variance between the clips of one picture."""
    total, count = 0.0, 0
    for i in index.unique():
        group = field[index == i]
        if len(group) > 1:
            total, count = total + float(group.var(0).mean()) * len(group), count + len(group)
    return (total / max(count, 1)) ** 0.5


class LongTruth:
    """What the truth's strength and spread come to over many draws for the same pictures and prompts."""

    def __init__(self, clips, index, seed):
        draws = Draws(seed)
        drawn = [fields(clips.scene, clips.asks, clips.matte, draws) for _ in range(TRUTHS)]
        self.strength = sum(float(strength(f).mean()) for f in drawn) / TRUTHS
        self.spread = (sum(spread(f, index) ** 2 for f in drawn) / TRUTHS) ** 0.5


def share(clips, found, verb):
    return sum(does(found[i], verb, aspect=clips.aspect[i]) for i in range(len(clips))) / len(clips)


def evaluate_verbs(ask, options):
    table, answers = {}, {}
    for number, verb in enumerate(VERBS):
        clips, index = verb_clips(verb, options.pictures, options.repeats, seed=number)
        found = ask(clips)
        answers[verb] = (clips, found)
        drawn = (index < options.pictures).nonzero()[:, 0].tolist()
        in_scenes = sum(does(found[i], verb, aspect=clips.aspect[i]) for i in drawn) / len(drawn)
        truth = LongTruth(clips, index, 9000 + number)
        table[verb] = dict(
            clips=len(clips), correct=share(clips, found, verb), correct_scenes=in_scenes,
            ceiling=share(clips, clips.truth, verb), still=share(clips, clips.truth * 0, verb),
            strength=float(strength(found).mean()) / truth.strength, spread=spread(found, index) / truth.spread)
    for verb in VERBS:
        others = [v for v in VERBS if v != verb and v not in KIN.get(verb, set())]
        tried = passed = 0
        for k, other in enumerate(others):
            clips, found = answers[other]
            for i in range(k % 7, len(clips), 7):
                tried, passed = tried + 1, passed + does(found[i], verb, aspect=clips.aspect[i])
        table[verb]["wrong"] = passed / tried
    return table


def evaluate_speeds(ask):
    """Quick over slow: the ratio of strengths of moves, and whether the period of what repeats fits the word."""
    result = {}
    for verb in ("left", "in", "roll_left"):
        ratio = []
        for fields_of in (lambda c: ask(c), lambda c: c.truth):
            strengths = [float(strength(fields_of(verb_clips(verb, 6, 2, speed, 50)[0])).mean()) for speed in ("quick", "slow")]
            ratio.append(strengths[0] / strengths[1])
        result[verb] = dict(model=ratio[0], truth=ratio[1])
    for verb in ("sway", "pulse"):
        for speed, (low, high) in CYCLES.items():
            clips, _ = verb_clips(verb, 6, 2, speed, 60)
            rates = []
            for found in (ask(clips), clips.truth):
                course = lambda f: Affine(f).divergence if verb == "pulse" else f[:, 0, :4].mean((1, 2))
                cycles = [sinusoid_fit(course(f))[1] for f in found]
                rates.append(sum(low - 0.12 <= c <= high + 0.12 for c in cycles) / len(cycles))
            result[f"{verb} {speed}"] = dict(model=rates[0], truth=rates[1])
    return result


def change_correlation(found, truth):
    """[2n, cells] each, the second half the other picture of each pair -> [n]: how the change of one follows that of the other."""
    half = len(found) // 2
    a, b = found[:half] - found[half:2 * half], truth[:half] - truth[half:2 * half]
    a, b = a - a.mean(1, keepdim=True), b - b.mean(1, keepdim=True)
    return (a * b).sum(1) / (a.norm(dim=1) * b.norm(dim=1) + 1e-9)


def evaluate_content(ask, pairs=24):
    """Two pictures, the same noise and prompt: does where it moves change as the truth's does? -> mean correlation, by prompt."""
    result = {}
    cases = {"alive": ("alive", "alive", {"water", "stand", "sky"}), "water waves": ("water", "wave_y", {"water"}),
             "trees sway": ("stand", "sway", {"stand"}), "sky drifts": ("sky", "drift_left", {"sky"}),
             "pan (parallax)": ("camera", "left", {"sky", "land"})}
    pool = held_out_scenes(600, 77)
    held = holds(pool)
    for name, (target, verb, needed) in cases.items():
        enough = (lambda names: needed & names) if target == "alive" else (lambda names: needed <= names)
        fits = [i for i, names in enumerate(held) if enough(set(names))][:2 * pairs]
        scene = rows(pool, torch.tensor(fits))
        part = (Part(target, verb),)
        asks = [Ask(plain_sentence(verb, target), part)] * len(fits)
        clips = Clips(scene, asks, 88)
        half = len(fits) // 2
        clips.noise[half:2 * half] = clips.noise[:half]
        where = lambda f: f.pow(2).sum(2).mean(1).sqrt().flatten(1)  # [n, 256]
        draws = Draws(5)
        truth = torch.stack([where(fields(scene, asks, clips.matte, draws)) for _ in range(12)]).mean(0)
        r, most = change_correlation(where(ask(clips, parts=2)), truth), change_correlation(where(clips.truth), truth)
        result[name] = dict(pairs=half, correlation=float(r.mean()), ceiling=float(most.mean()),
                            positive=float((r > 0.3).float().mean()))
    return result


def evaluate_regions(ask, n=52):
    """With a matte: the verb, tracked inside it."""
    pool = held_out_scenes(3 * n, 99)
    fits = [i for i, names in enumerate(holds(pool)) if "object" in names][:n]
    scene, result = rows(pool, torch.tensor(fits)), {}
    for number, verb in enumerate(("left", "up", "in", "out", "roll_left", "sway", "pulse", "wave_x", "wave_y")):
        part = (Part("object", verb),)
        clips = Clips(scene, [Ask(plain_sentence(verb, "object"), part, "object")] * len(fits), 300 + number)
        inside = torch.nn.functional.avg_pool2d(clips.matte, S.PICTURE // S.GRID)[:, 0]
        tracked = lambda found, i: does(found[i], verb, inside[i], clips.aspect[i], of_thing=True)
        passes = lambda found: sum(tracked(found, i) for i in range(len(clips))) / len(clips)
        result[verb] = dict(clips=len(clips), correct=passes(ask(clips)), ceiling=passes(clips.truth))
    return result


def failures(report):
    bad = []
    for verb, row in report["verbs"].items():
        least = MOVE_LEAST if verb in MOVES else PERIODIC_LEAST
        checks = ((row["correct"] >= least, f"correct {row['correct']:.2f} < {least}"),
                  (row["wrong"] <= WRONG_MOST, f"wrong prompt {row['wrong']:.3f} > {WRONG_MOST}"),
                  (STRENGTH[0] <= row["strength"] <= STRENGTH[1], f"strength {row['strength']:.2f} outside {STRENGTH}"),
                  (SPREAD[0] <= row["spread"] <= SPREAD[1], f"spread {row['spread']:.2f} outside {SPREAD}"))
        bad += [f"{verb}: {text}" for good, text in checks if not good]
    return bad


def behind(report, other):
    """Where this model falls under the other: at most 3 points per verb, and not in the mean."""
    bad, mine, theirs = [], [], []
    for verb, row in report["verbs"].items():
        mine.append(row["correct"])
        theirs.append(other["verbs"][verb]["correct"])
        if mine[-1] < theirs[-1] - 0.03:
            bad.append(f"{verb}: {mine[-1]:.2f} against {theirs[-1]:.2f}")
    if sum(mine) < sum(theirs) - 0.01 * len(mine):
        bad.append(f"mean: {sum(mine) / len(mine):.3f} against {sum(theirs) / len(theirs):.3f}")
    return bad


def show(report):
    print(f"{'verb':12} clips correct scenes ceiling still wrong strength spread")
    for verb, r in report["verbs"].items():
        print(f"{verb:12} {r['clips']:5} {r['correct']:7.2f} {r['correct_scenes']:6.2f} {r['ceiling']:7.2f} "
              f"{r['still']:5.2f} {r['wrong']:5.3f} {r['strength']:8.2f} {r['spread']:6.2f}")
    for section in ("regions", "content", "speeds"):
        for name, row in report.get(section, {}).items():
            values = (f"{k} {v:.2f}" if isinstance(v, float) else f"{k} {v}" for k, v in row.items())
            print(f"{section}: {name}: " + ", ".join(values))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("model")
    parser.add_argument("--pictures", type=int, default=13)
    parser.add_argument("--repeats", type=int, default=4)
    add_sampler_options(parser)
    parser.add_argument("--json")
    parser.add_argument("--against")
    parser.add_argument("--verbs-only", action="store_true")
    options = parser.parse_args()
    torch.set_num_threads(int(os.environ.get("THREADS", "2")))
    begun = time.monotonic()
    how = sampler_of(options)
    ask = Asker(load(options.model), how)
    report = dict(model=options.model, sampler=dataclasses.asdict(how), photos=photos.available(),
                  verbs=evaluate_verbs(ask, options))
    if not options.verbs_only:
        report.update(regions=evaluate_regions(ask), content=evaluate_content(ask), speeds=evaluate_speeds(ask))
    report["seconds"] = round(time.monotonic() - begun, 1)
    show(report)
    if options.json:
        with open(options.json, "w") as f:
            json.dump(report, f, indent=1)
    bad = failures(report)
    if options.against:
        with open(options.against) as f:
            bad += behind(report, json.load(f))
    print("\n".join("short: " + line for line in bad) if bad else "all bounds hold")
    sys.exit(1 if bad else 0)


if __name__ == "__main__":
    main()
