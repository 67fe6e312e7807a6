"""Data-parallel training by processes of one thread each: on two cores a quarter faster than one process of two threads.
The float32 weights, their moving average and both moments of AdamW lie flat in shared memory; every process runs a
bf16 copy, leaves its gradient in its row, and after a barrier updates its slice of everything from the mean. On a GPU
there is one process.
"""
import torch
import torch.multiprocessing as mp

BARRIER_S = 3600  # a process that waits this long has lost the other; training that is paused must not trip it


def flatten(model):
    return torch.cat([p.detach().float().reshape(-1) for p in model.parameters()])


def unflatten(flat, model):
    at = 0
    for p in model.parameters():
        p.data.copy_(flat[at:at + p.numel()].view(p.shape))
        at += p.numel()


class Shared:
    NAMES = ("weights", "average", "first", "second")

    def __init__(self, model, world, device="cpu"):
        place = (lambda t: t.to(device)) if device != "cpu" else (lambda t: t.share_memory_())
        self.weights = place(flatten(model))
        self.average = place(self.weights.clone())
        self.first, self.second = (place(torch.zeros_like(self.weights)) for _ in range(2))
        self.gradients = place(self.weights.new_zeros(world, self.weights.numel(), dtype=torch.bfloat16))
        self.norms = place(torch.zeros(world))
        self.decays = torch.cat([torch.full((p.numel(),), float(p.dim() > 1)) for p in model.parameters()]).to(device)
        self.stop = place(torch.zeros(1))
        self.barrier, self.world = mp.Barrier(world), world

    def state(self):
        return {name: getattr(self, name).cpu().clone() for name in self.NAMES}

    def restore(self, state):
        """A state of fewer parameters than here leaves the last ones (heads that have come since) as they began."""
        for name in self.NAMES:
            getattr(self, name)[:state[name].numel()].copy_(state[name])


class Replica:
    """One process's part: `step` after its loss. Steps are counted from 1 over the whole run."""

    def __init__(self, rank, shared, model, clip=1.0, weight_decay=0.01, betas=(0.9, 0.99)):
        self.rank, self.shared, self.model = rank, shared, model
        self.clip, self.weight_decay, self.betas = clip, weight_decay, betas
        share = shared.weights.numel() // shared.world
        last = rank == shared.world - 1
        self.slice = slice(rank * share, shared.weights.numel() if last else (rank + 1) * share)
        self.read_weights()

    def read_weights(self):
        unflatten(self.shared.weights, self.model)

    def wait(self):
        if self.shared.world > 1:
            self.shared.barrier.wait(BARRIER_S)

    def gradient(self):
        """The mean over the processes of this one's slice, each process's gradient cut to the norm `clip`."""
        mean = 0
        for row, norm in zip(self.shared.gradients, self.shared.norms.tolist()):
            if norm == norm and norm < 1e4:  # a gradient that is not finite counts as none
                mean = mean + row[self.slice].float() * (min(1.0, self.clip / (norm + 1e-6)) / self.shared.world)
        return mean

    def step(self, loss, count, rate, averaging):
        """-> the norm of this process's gradient, before it was cut."""
        s, at = self.shared, self.slice
        for p in self.model.parameters():
            p.grad = None
        loss.backward()
        rows = [(torch.zeros_like(p) if p.grad is None else p.grad).reshape(-1) for p in self.model.parameters()]
        torch.cat(rows, out=s.gradients[self.rank])
        norm = float(torch.stack([row.norm() for row in rows]).float().norm())
        s.norms[self.rank] = norm
        self.wait()
        g = self.gradient()
        if torch.is_tensor(g):
            b1, b2 = self.betas
            s.first[at].lerp_(g, 1 - b1)
            s.second[at].mul_(b2).addcmul_(g, g, value=1 - b2)
            s.weights[at].mul_(1 - rate * self.weight_decay * s.decays[at])
            scale = (s.second[at] / (1 - b2**count)).sqrt_().add_(1e-8)
            s.weights[at].addcdiv_(s.first[at] / (1 - b1**count), scale, value=-rate)
        s.average[at].lerp_(s.weights[at], 1 - min(averaging, (1 + count) / (10 + count)))
        self.wait()
        self.read_weights()
        return norm
