"""Distils a guided teacher of three passes into a student of one, and twice the steps into one of its steps.

    python3 distill.py TEACHER RUN --steps 600 [--text 1.05] [--rate 3e-4] [--merge 1]

TEACHER is a checkpoint or an exported directory; the student starts as it is. With --merge 1 it learns the guided
answer at every level. With --merge 2 it learns, at the levels of its own 8-step grid, the answer whose single
first-order step lands where two guided steps of half the length do (Salimans and Ho, arXiv:2202.00512), so that 8 of
its steps do the work of 16. With smooth fields and a second-order solver, 8 steps hardly lose anything, so 1 is the
default. Guidance is mild: 1.5 and 2 cost most of the variety and add a tenth to the strength. The honest baseline is the
unguided teacher at 8 steps, which costs the same. RUN/latest.pt is the student, a checkpoint like the teacher's. The
same command goes on where it stands.
"""
import argparse
import json
import os
import time

import torch
import torch.multiprocessing as mp

import settings as S
from batches import Batches
from diffusion import Guided, Sampler, levels, noised, stratified_log_snr, velocity_loss
from draws import Draws
from export import weights_of
from kernels import working_type
from model import MotionModel, channels_last_weights
from replicas import Replica, Shared
from train import checkpoint, restore, training_photos

STUDENT_STEPS = 8


def merged_answer(answer, z, log_snr, parts):
    """The clean field for which one first-order step of the student's length ends where `parts` shorter ones of `answer` do."""
    if parts == 1:
        return answer(z, log_snr)
    half_span = (S.LOG_SNR[1] - S.LOG_SNR[0]) / (STUDENT_STEPS - 1) / 2
    at, level = z, log_snr
    for _ in range(parts):
        clean, after = answer(at, level), level + 2 * half_span / parts
        ahead = levels(after)
        at = ahead[1] / levels(level)[1] * at - ahead[0] * torch.expm1(torch.tensor(-half_span / parts)) * clean
        level = after
    alpha, sigma = levels(level)
    return (at - sigma / levels(log_snr)[1] * z) / (-alpha * torch.expm1(torch.tensor(-half_span)))


def student_levels(draws, n, parts):
    """Anywhere for a guidance student; on its own grid, less the last level, for one that merges steps."""
    if parts == 1:
        return stratified_log_snr(draws, n)
    grid = torch.linspace(*S.LOG_SNR, STUDENT_STEPS, device=draws.device)
    return grid[draws.integers(0, STUDENT_STEPS - 1, n)]


def student_loss(model, teacher, batches, draws, options):
    clean, given, _, _ = batches.draw(options.batch)
    log_snr = student_levels(draws, options.batch, options.merge)
    z = noised(clean, log_snr, draws.normal(*clean.shape))
    with torch.no_grad():
        target = merged_answer(Guided(teacher, given, options.how), z, log_snr, options.merge).float()
    return velocity_loss(model(z, log_snr, given), target, log_snr)[0]


def work(rank, shared, options, begun):
    if options.device == "cpu":
        torch.set_num_threads(1)
    network = lambda: channels_last_weights(MotionModel(S.SMALL)).to(options.device, working_type(options.device))
    teacher = network().eval()
    teacher.load_state_dict(weights_of(options.teacher))
    replica = Replica(rank, shared, network())
    batches, draws = Batches(300 + rank, training_photos(), options.device, options.pool), Draws(700 + rank, options.device)
    restore(dict(batches=batches, draws=draws), options.run, rank, begun)
    losses, since = [], time.monotonic()
    for step in range(begun + 1, options.steps + 1):
        loss = student_loss(replica.model, teacher, batches, draws, options)
        rate = options.rate * min(1.0, step / 20) * (1 - 0.95 * step / options.steps)
        replica.step(loss, step, rate, 0.99)
        losses.append(float(loss))
        if rank == 0 and step % 20 == 0:
            line = dict(step=step, s=round(time.monotonic() - since, 1), loss=round(sum(losses[-20:]) / 20, 4))
            print(json.dumps(line), flush=True)
            with open(os.path.join(options.run, "log.jsonl"), "a") as log:
                log.write(json.dumps(line) + "\n")
        if step % 200 == 0 or step == options.steps:
            checkpoint(replica, options.run, step, options, dict(batches=batches, draws=draws))


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("teacher")
    parser.add_argument("run")
    parser.add_argument("--steps", type=int, default=600, help="of the whole run")
    for name, default in (("image", 1.0), ("text", 1.05), ("rate", 3e-4)):
        parser.add_argument("--" + name, type=float, default=default)
    parser.add_argument("--merge", type=int, default=1, choices=(1, 2), help="teacher's steps in one of the student's")
    parser.add_argument("--batch", type=int)
    parser.add_argument("--processes", type=int, default=2, help="on a CPU")
    options = parser.parse_args()
    options.device = "cuda" if torch.cuda.is_available() else "cpu"
    on_gpu = options.device == "cuda"
    options.batch, options.pool = options.batch or (512 if on_gpu else 16), 8192 if on_gpu else 256
    options.processes = 1 if on_gpu else options.processes
    options.stage = 2
    options.how = Sampler(image=options.image, text=options.text)
    return options


def main():
    options = arguments()
    os.makedirs(options.run, exist_ok=True)
    if options.device == "cpu":
        torch.set_num_threads(1)
    model = MotionModel(S.SMALL)
    model.load_state_dict(weights_of(options.teacher))
    shared, begun = Shared(model, options.processes, options.device), 0
    latest = os.path.join(options.run, "latest.pt")
    if os.path.exists(latest):
        state = torch.load(latest, map_location="cpu")
        shared.restore(state["shared"])
        begun = state["step"]
    if options.processes == 1:
        work(0, shared, options, begun)
    else:
        mp.start_processes(work, (shared, options, begun), nprocs=options.processes, start_method="fork")


if __name__ == "__main__":
    main()
