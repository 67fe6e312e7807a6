"""Trains the motion model.

    python3 train.py RUN --stage 1 --steps 300          # moves, sway, pulse; then the gate on tracked direction
    python3 train.py RUN --stage 2 --steps 8000         # everything, from where stage 1 ended
    python3 train.py RUN --stage 2 --steps 1000 --finish  # the rate falls to zero over these steps

RUN is a folder for checkpoints and the log; the same command goes on where RUN/latest.pt stands, with the same
numbers as if it had never stopped. A file RUN/stop ends it after the step in hand, with a checkpoint. RINGWAY_PHOTOS
names the folder of photographs (photos.py); without it textures are painted only. A stage that fails its gate ends
with status 3.
"""
import argparse
import json
import math
import os
import re
import sys
import time

import torch
import torch.multiprocessing as mp

import photos
import settings as S
from asks import OFFERS
from batches import Batches
from diffusion import hidden, noised, stratified_log_snr, velocity_loss
from draws import Draws
from export import load_directory
from gates import tracked_moves
from kernels import working_type
from lessons import Learner, parts_of, weight_of
from model import MotionModel, channels_last_weights
from posterior import Posterior
from replicas import Replica, Shared, unflatten

WARM_UP = 100
BINS = 8


def rate_at(step, options, begun):
    """Constant after the warm-up, falling with the square root of time later; to zero at the end of a finishing run."""
    rate = options.rate * min(1.0, step / WARM_UP) * min(1.0, math.sqrt(2500 / step))
    if options.finish:
        rate *= max(0.0, 1 - (step - begun - 1) / options.steps)
    return rate


def training_photos():
    return photos.stack(photos.TRAIN) if photos.available() else None


class Examination:
    """The same 64 clips with the same noise each time: scenes with textures of held-out photographs."""

    def __init__(self, device):
        held_out = photos.stack(photos.HELD_OUT) if photos.available() else None
        batches = Batches(999, held_out, device, pool=64)
        clean, self.given, _, _ = batches.draw(64)
        self.log_snr = S.LOG_SNR[0] + (S.LOG_SNR[1] - S.LOG_SNR[0]) * (torch.arange(64, device=device) + 0.5) / 64
        self.clean, self.noisy = clean, noised(clean, self.log_snr, Draws(7, device).normal(*clean.shape))

    @torch.no_grad()
    def take(self, model):
        error = velocity_loss(model(self.noisy, self.log_snr, self.given), self.clean, self.log_snr)[1]
        return [round(v, 4) for v in error.view(BINS, -1).mean(1).tolist()]


class BinnedLoss:
    """Training error of v per eighth of the log-SNR range since the last report."""

    def __init__(self):
        self.sums, self.counts, self.losses = torch.zeros(BINS), torch.zeros(BINS), []

    def add(self, loss, error, log_snr):
        at = ((log_snr - S.LOG_SNR[0]) / (S.LOG_SNR[1] - S.LOG_SNR[0]) * BINS).long().clamp(0, BINS - 1).cpu()
        self.sums.index_add_(0, at, error.float().cpu())
        self.counts.index_add_(0, at, torch.ones_like(at, dtype=torch.float32))
        self.losses.append(loss.detach().float().cpu())

    def report(self):
        mean = float(torch.stack(self.losses).mean())
        bins = [round(v, 4) for v in (self.sums / self.counts.clamp(min=1)).tolist()]
        self.__init__()
        return round(mean, 4), bins


def save(run, step, options, shared, ranks):
    model = MotionModel(S.SMALL)
    unflatten(shared.average, model)
    state = dict(step=step, settings=S.SMALL.as_json(), stage=options.stage, shared=shared.state(), ranks=ranks,
                 ema=model.state_dict())
    torch.save(state, os.path.join(run, "latest.new"))
    os.replace(os.path.join(run, "latest.new"), os.path.join(run, "latest.pt"))


def rank_file(run, rank, step):
    return os.path.join(run, f"rank{rank}-{step}.pt")


def checkpoint(replica, run, step, options, data):
    """Each process writes where its data stand (what has a state, by name), the first one everything else; the old files go when the new stand."""
    torch.save({name: part.state() for name, part in data.items()}, rank_file(run, replica.rank, step))
    replica.wait()
    if replica.rank == 0:
        save(run, step, options, replica.shared, replica.shared.world)
        for name in os.listdir(run):
            if name.startswith("rank") and not name.endswith(f"-{step}.pt"):
                os.remove(os.path.join(run, name))
    replica.wait()


def restore(data, run, rank, step):
    """Where that step's checkpoint left them, if there is one: a run of other processes begins its data anew."""
    if step and os.path.exists(rank_file(run, rank, step)):
        state = torch.load(rank_file(run, rank, step), map_location="cpu")
        for name in data.keys() & state.keys():
            data[name].restore(state[name])


def clip_weights(asks, shown):
    """[n], about 1 in the mean; what was hidden from the network must not speak through them."""
    weights = torch.tensor([weight_of(ask) for ask in asks], device=shown["picture"].device)
    return torch.where(shown["text_given"] > 0, weights, torch.ones_like(weights)) / 1.5


def clip_loss(learner, data, options):
    draws, count = data["draws"], options.batch
    clean, given, asks, scene = data["batches"].draw(count)
    log_snr = stratified_log_snr(draws, count, options.deciding)
    noisy = noised(clean, log_snr, draws.normal(*clean.shape))
    shown = hidden(given, draws)
    answer = data["posterior"].lesson(clean, noisy, log_snr, scene, asks, shown)
    loss, error = velocity_loss(learner.network(noisy, log_snr, shown), answer, log_snr, clip_weights(asks, shown))
    lesson = learner.lessons.loss(parts_of(scene), clean, shown["picture_given"])
    return loss + lesson, error, log_snr, lesson


def work(rank, shared, options, begun):
    device = options.device
    if device == "cpu":
        torch.set_num_threads(1)
    torch.manual_seed(rank)
    learner = Learner(channels_last_weights(MotionModel(S.SMALL))).to(device, working_type(device))
    replica = Replica(rank, shared, learner)
    batches = Batches(100 + rank, training_photos(), device, pool=options.pool, stage=options.stage,
                      homework=options.homework, share=options.homework_share)
    draws = Draws(500 + rank, device)
    data = dict(batches=batches, draws=draws, posterior=Posterior(900 + rank, draws))
    restore(data, options.run, rank, begun)
    examination = Examination(device) if rank == 0 else None
    average = channels_last_weights(MotionModel(S.SMALL)).to(device, working_type(device))
    binned, norms, lessons, since = BinnedLoss(), [], [], time.monotonic()
    replica.wait()
    for step in range(begun + 1, begun + options.steps + 1):
        loss, error, log_snr, lesson = clip_loss(learner, data, options)
        lessons.append(float(lesson))
        binned.add(loss, error, log_snr)
        if rank == 0 and os.path.exists(os.path.join(options.run, "stop")):
            shared.stop.fill_(1)  # all processes see it after the barriers of this step
        norms.append(replica.step(loss, step, rate_at(step, options, begun), options.averaging))
        if rank == 0 and (step % options.report == 0 or step == begun + 20):
            unflatten(shared.average, average)
            mean, bins = binned.report()
            line = dict(step=step, stage=options.stage, s=round(time.monotonic() - since, 1), loss=mean, lessons=round(sum(lessons) / len(lessons), 4),
                        by_log_snr=bins, held_out=examination.take(average), gradient=round(sum(norms) / len(norms), 3),
                        rate=round(rate_at(step, options, begun), 6), clips=step * options.batch * shared.world)
            norms, lessons = [], []
            print(json.dumps(line), flush=True)
            with open(os.path.join(options.run, "log.jsonl"), "a") as log:
                log.write(json.dumps(line) + "\n")
        ends = bool(shared.stop) or step == begun + options.steps
        if ends or step % options.save == 0:
            checkpoint(replica, options.run, step, options, data)
        if ends:
            break


def renew(shared, parts):
    """Draws the weights of these parts anew, and forgets what the optimiser knows of them."""
    at, found = 0, set()
    for name, p in MotionModel(S.SMALL).named_parameters():  # the first of the learner's
        end = at + p.numel()
        mine = [part for part in parts if name.startswith(part + ".")]
        if mine:
            found.update(mine)
            for flat in (shared.weights, shared.average):
                flat[at:end].copy_(p.detach().float().reshape(-1))
            for flat in (shared.first, shared.second):
                flat[at:end].zero_()
        at = end
    if found != set(parts):
        sys.exit(f"no such part: {', '.join(sorted(set(parts) - found))}")


def homework(text):
    """"TARGET:VERB=WEIGHT" -> (target, verb, weight)"""
    match = re.fullmatch(r"(\w+):(\w+)=([0-9.]+)", text)
    if not match or match[1] not in OFFERS or match[2] not in OFFERS[match[1]]:
        offers = ", ".join(f"{target}:{verb}" for target, verbs in OFFERS.items() for verb in verbs)
        raise argparse.ArgumentTypeError(f"'{text}' is none of TARGET:VERB=WEIGHT with {offers}")
    return match[1], match[2], float(match[3])


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("run")
    parser.add_argument("--stage", type=int, choices=(1, 2), default=2)
    parser.add_argument("--steps", type=int, required=True, help="how many more")
    parser.add_argument("--finish", action="store_true")
    parser.add_argument("--renew", nargs="+", default=[], metavar="PART", help="parts to begin anew, such as conditioner.convs")
    parser.add_argument("--begin", metavar="DIRECTORY", help="an exported model to begin with, if RUN is new; the optimiser starts anew")
    parser.add_argument("--homework", nargs="+", default=[], type=homework, metavar="TARGET:VERB=WEIGHT",
                        help="what a share of the clips asks for, such as whole:wave_x=4 camera:up=1")
    parser.add_argument("--homework-share", type=float, default=0.5)
    parser.add_argument("--deciding", type=float, default=0.0, help="share of the clips at the levels where motion is decided alone")
    parser.add_argument("--rate", type=float, default=1.2e-3)
    parser.add_argument("--batch", type=int, help="clips per process and step: 16 on a CPU, 768 on a GPU")
    parser.add_argument("--processes", type=int, default=2, help="on a CPU")
    parser.add_argument("--pool", type=int, help="scenes kept: 256 on a CPU, 8192 on a GPU")
    parser.add_argument("--averaging", type=float, default=0.998)
    parser.add_argument("--report", type=int, default=100)
    parser.add_argument("--save", type=int, default=300)
    parser.add_argument("--gate", type=float, help="least share of tracked moves; 0.8 after stage 1, else none")
    options = parser.parse_args()
    options.device = "cuda" if torch.cuda.is_available() else "cpu"
    on_gpu = options.device == "cuda"
    options.batch = options.batch or (768 if on_gpu else 16)
    options.pool = options.pool or (8192 if on_gpu else 256)
    options.processes = 1 if on_gpu else options.processes
    if options.gate is None:
        options.gate = 0.8 if options.stage == 1 else 0.0
    return options


def main():
    options = arguments()
    os.makedirs(options.run, exist_ok=True)
    if options.device == "cpu":
        torch.set_num_threads(1)
    torch.manual_seed(0)
    model = load_directory(options.begin) if options.begin else MotionModel(S.SMALL)
    learner = Learner(model)
    if options.begin:
        learner.lessons.begin_silent()
    shared = Shared(learner, options.processes, options.device)
    begun, latest = 0, os.path.join(options.run, "latest.pt")
    if os.path.exists(latest):
        state = torch.load(latest, map_location="cpu")
        shared.restore(state["shared"])
        begun = state["step"]
        renew(shared, options.renew)
    print(f"{sum(p.numel() for p in model.parameters()) / 1e6:.2f} M parameters on {options.device}, from step {begun}", flush=True)
    if options.processes == 1:
        work(0, shared, options, begun)
    else:
        # Forked: Debian's torch 1.13 crashes in spawned processes that share tensors.
        mp.start_processes(work, (shared, options, begun), nprocs=options.processes, start_method="fork")
    if options.gate > 0:
        unflatten(shared.average, model)
        share = tracked_moves(model.to(options.device))
        print(f"gate: {share:.2f} of the moves go where they were sent (at least {options.gate:.2f})")
        sys.exit(0 if share >= options.gate else 3)


if __name__ == "__main__":
    main()
