"""Noise levels as the scheduler's file says them (squaredcos_cap_v2, velocity, trailing) and walks along them.

x = a clean + s noise, the network says v = a noise - s clean (Salimans and Ho, arXiv:2202.00512).
"""
import math

import torch

TIMES = 1000


def levels(device):
    """a and s of every time, [1000] each."""
    bar = lambda t: math.cos((t + 0.008) / 1.008 * math.pi / 2) ** 2
    product, products = 1.0, []
    for i in range(TIMES):
        product *= 1 - min(1 - bar((i + 1) / TIMES) / bar(i / TIMES), 0.999)
        products.append(product)
    bars = torch.tensor(products, dtype=torch.float64)
    return bars.sqrt().float().to(device), (1 - bars).sqrt().float().to(device)


def trailing(steps):
    return [round(TIMES - i * TIMES / steps) - 1 for i in range(steps)]


def column(values):
    return values.view(-1, 1, 1, 1)


def stratified_times(n, device):
    return ((torch.arange(n, device=device) + torch.rand(n, device=device)) * (TIMES / n)).long().clamp(max=TIMES - 1)


def guided(net, x, time, context, empty, guidance):
    """v of the network; `context` and `empty` are what the text encoder says of the sentences and of no sentence."""
    t = torch.full((len(x),), time, device=x.device) if not torch.is_tensor(time) else time
    if guidance == 1:
        return net(x, t, context).float()
    both = net(torch.cat([x, x]), torch.cat([t, t]), torch.cat([empty.expand_as(context), context])).float()
    without, given = both.chunk(2)
    return without + guidance * (given - without)


@torch.no_grad()
def ddim(net, x, context, empty, steps, guidance, table):
    """Song et al., arXiv:2010.02502, eq. 12 without noise. `net(x, t, context)` in its own precision; x in f32."""
    a, s = table
    times, kind = trailing(steps), context.dtype
    for i, time in enumerate(times):
        v = guided(net, x.to(kind), time, context, empty, guidance)
        clean, noise = a[time] * x - s[time] * v, s[time] * x + a[time] * v
        last = i + 1 == steps
        x = clean if last else a[times[i + 1]] * clean + s[times[i + 1]] * noise
    return x


@torch.no_grad()
def dpm(net, x, context, empty, steps, guidance, table):
    """DPM-Solver++(2M), Lu et al., arXiv:2211.01095, algorithm 2; the last step is of the first order."""
    a, s = table
    times, kind, before = trailing(steps), context.dtype, None
    logs = [(math.log(a[t].item()) - math.log(s[t].item())) for t in times]
    for i, time in enumerate(times):
        v = guided(net, x.to(kind), time, context, empty, guidance)
        clean = a[time] * x - s[time] * v
        if i + 1 == steps:
            return clean
        h = logs[i + 1] - logs[i]
        mixed = clean if before is None else clean + (clean - before) * 0.5 * h / (logs[i] - logs[i - 1])
        x = s[times[i + 1]] / s[time] * x - a[times[i + 1]] * (math.exp(-h) - 1) * mixed
        before = clean
    return x
