"""Steps of AdamW on one flat vector of numbers, a whole step as one graph of the GPU where there is one."""
import math
import time

import torch

BETAS, EPSILON, DECAY, CLIP, WARM_UP = (0.9, 0.99), 1e-8, 0.01, 1.0, 0.02


class Pace:
    """How far training has come, 0 to 1, and at what rate it goes on: a warm-up, then half a cosine down to a fiftieth."""

    def __init__(self, rate, seconds=None, steps=None):
        self.rate, self.seconds, self.steps, self.done, self.begun = rate, seconds, steps, 0, None

    def start(self):
        self.begun = self.begun or time.time()

    def share(self):
        if self.steps:
            return self.done / self.steps
        return (time.time() - self.begun) / self.seconds if self.begun else 0.0

    def now(self):
        at = min(self.share(), 1.0)
        return self.rate * min(1.0, (at + 1e-3) / WARM_UP) * (0.02 + 0.98 * 0.5 * (1 + math.cos(math.pi * at)))


class Learner:
    """`loss(**inputs)` of tensors whose shapes never change; `net` computes in bf16 on a GPU and in f32 on a CPU, while master
    weights, moments and their running mean (`ema`) are f32. Random numbers are to be drawn inside of `loss`."""

    def __init__(self, net, loss, pace, ema=0.999, decay=DECAY):
        self.net, self.loss, self.pace, self.keep, self.decay = net, loss, pace, ema, decay
        self.parameters = [p for p in net.parameters() if p.requires_grad]
        count = sum(p.numel() for p in self.parameters)
        one = self.parameters[0]
        self.master = torch.cat([p.detach().float().flatten() for p in self.parameters])
        self.weights = torch.empty(count, dtype=one.dtype, device=one.device)
        self.gradient = torch.zeros_like(self.weights)
        self.first, self.second, self.ema = torch.zeros_like(self.master), torch.zeros_like(self.master), self.master.clone()
        self.rate, self.count = torch.zeros((), device=one.device), torch.zeros((), device=one.device)
        self.weights.copy_(self.master)
        at = 0
        for p in self.parameters:
            p.data = self.weights[at:at + p.numel()].view(p.shape)
            p.grad = self.gradient[at:at + p.numel()].view(p.shape)
            at += p.numel()
        self.graph = self.inputs = self.lost = None

    def _step(self):
        lost = self.loss(**self.inputs)
        lost.backward()
        g = self.gradient.float()
        g = g * (CLIP / (g.norm() + 1e-6)).clamp(max=1.0)
        self.count += 1
        self.first.lerp_(g, 1 - BETAS[0])
        self.second.lerp_(g * g, 1 - BETAS[1])
        scale = (1 - torch.pow(torch.full_like(self.count, BETAS[1]), self.count)).sqrt()
        step = self.rate / (1 - torch.pow(torch.full_like(self.count, BETAS[0]), self.count))
        self.master.mul_(1 - self.rate * self.decay).sub_(step * self.first / (self.second.sqrt() / scale + EPSILON))
        self.weights.copy_(self.master)
        self.gradient.zero_()
        # The mean of few steps would remember the start.
        keep = torch.minimum(torch.full_like(self.count, self.keep), (1 + self.count) / (10 + self.count))
        self.ema.lerp_(self.master, 1 - keep)
        return lost.detach()

    def _capture(self):
        side = torch.cuda.Stream()
        side.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(side):
            for _ in range(3):
                self._step()
        torch.cuda.current_stream().wait_stream(side)
        self.graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(self.graph):
            self.lost = self._step()

    def step(self, **inputs):
        """The loss, as a tensor that the next step overwrites."""
        self.pace.start()
        self.rate.fill_(self.pace.now())
        if self.inputs is None:
            self.inputs = {name: value.clone() for name, value in inputs.items()}
        for name, value in inputs.items():
            self.inputs[name].copy_(value)
        self.pace.done += 1
        if self.master.is_cuda:
            if self.graph is None:
                self._capture()
            self.graph.replay()
            return self.lost
        return self._step()

    def running(self):
        return self.pace.share() < 1

    def adopt_mean(self):
        """From here on the network is the running mean."""
        self.weights.copy_(self.ema)


def train(learner, batch, name, report=10.0):
    """Steps on `batch()` until the pace is over; says how far it is every `report` seconds."""
    begun = last = time.time()
    while learner.running():
        lost = learner.step(**batch())
        if time.time() - last > report:
            last = time.time()
            print(f"{name}: {learner.pace.done} steps, {last - begun:.0f} s, loss {lost.item():.4f}", flush=True)
    learner.adopt_mean()
    print(f"{name}: {learner.pace.done} steps in {time.time() - begun:.0f} s", flush=True)
