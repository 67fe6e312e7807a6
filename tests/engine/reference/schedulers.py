"""Samplers from their papers and from what the fields of scheduler_config.json are defined to mean, in plain Python.

    python3 schedulers.py            writes ../golden/schedulers.json anew
    python3 schedulers.py --check    compares that file with what this code gives now

Each solver stands here in the form that its paper writes it in: Euler's with x = clean + sigma * noise (Karras et al.,
arXiv:2206.00364), DDIM with the products of alphas (Song et al., arXiv:2010.02502, eq. 12), DPM-Solver++ with lambda (Lu et
al., arXiv:2211.01095, algorithm 2), LCM with its boundary conditions (Luo et al., arXiv:2310.04378). The engine has one form
for all of them, so agreement says something. The "network" is a smooth function of x and time; the noise is a sine.
"""
import json
import math
import os
import sys

GOLDEN = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "golden", "schedulers.json")
SIZE = 6
SD = {"num_train_timesteps": 1000, "beta_start": 0.00085, "beta_end": 0.012, "beta_schedule": "scaled_linear"}
INF = math.inf


class Toy:
    """What is sampled: a network, the noise of each draw, and a clean sample to start from where strength < 1."""

    clean = [0.5 * math.cos(i) for i in range(SIZE)]

    def network(self, x, time):
        return [0.7 * math.tanh(0.9 * v + 0.3) + 0.2 * math.cos(time / 300 + i) for i, v in enumerate(x)]

    def noise(self, draw):
        return [1.5 * math.sin(12.9898 * (i + 1) + 78.233 * (draw + 1)) for i in range(SIZE)]


def alphas_cumprod(c):
    n, a, b = c["num_train_timesteps"], c["beta_start"], c["beta_end"]
    bar = lambda t: math.cos((t + 0.008) / 1.008 * math.pi / 2) ** 2
    betas = {"linear": lambda i: a + (b - a) * i / (n - 1),
             "scaled_linear": lambda i: (math.sqrt(a) + (math.sqrt(b) - math.sqrt(a)) * i / (n - 1)) ** 2,
             "squaredcos_cap_v2": lambda i: min(1 - bar((i + 1) / n) / bar(i / n), 0.999)}[c["beta_schedule"]]
    products, product = [], 1.0
    for i in range(n):
        product *= 1 - betas(i)
        products.append(product)
    return products


def linspace(first, last, count):
    return [first] if count == 1 else [first + (last - first) * i / (count - 1) for i in range(count)]


def interp(at, values):
    low = min(int(at), len(values) - 2)
    return values[low] + (at - low) * (values[low + 1] - values[low])


def time_of(sigma, sigmas):
    """Between entries of the table, linear in the logarithm."""
    logs, wanted = [math.log(s) for s in sigmas], math.log(sigma)
    low = max([i for i, v in enumerate(logs) if wanted >= v], default=0)
    low = min(low, len(logs) - 2)
    share = (logs[low] - wanted) / (logs[low] - logs[low + 1])
    return low + min(max(share, 0), 1)


def karras(low, high, count, rho=7.0):
    return [(high ** (1 / rho) + r * (low ** (1 / rho) - high ** (1 / rho))) ** rho for r in linspace(0, 1, count)]


def log_uniform(low, high, count):
    return [math.exp(v) for v in linspace(math.log(high), math.log(low), count)]


def clean_of(out, x, alpha, sigma, kind):
    """The clean sample from the network's answer, x = alpha * clean + sigma * noise."""
    if kind == "epsilon":
        return [(v - sigma * o) / alpha for v, o in zip(x, out)]
    if kind == "v_prediction":
        return [alpha * v - sigma * o for v, o in zip(x, out)]
    return out


def respaced(c, sigmas, low, high, count):
    if c.get("use_karras_sigmas"):
        return karras(low, high, count)
    return log_uniform(low, high, count) if c.get("use_lu_lambdas") or c.get("use_exponential_sigmas") else None


def euler(p, c, steps, strength, ancestral):
    table = [math.sqrt((1 - a) / a) for a in alphas_cumprod(c)]
    n, spacing = len(table), c.get("timestep_spacing", "linspace")
    times = {"linspace": lambda: linspace(0, n - 1, steps)[::-1],
             "leading": lambda: [i * (n // steps) + c.get("steps_offset", 0) for i in range(steps)][::-1],
             "trailing": lambda: [round(n - i * n / steps) - 1 for i in range(steps)]}[spacing]()
    sigmas = [interp(t, table) for t in times]
    again = respaced(c, table, sigmas[-1], sigmas[0], steps)
    if again and not ancestral:
        sigmas, times = again, [time_of(s, table) for s in again]
    sigmas = sigmas + [0.0 if c.get("final_sigmas_type", "zero") == "zero" or ancestral else table[0]]
    start = max(steps - min(int(steps * strength), steps), 0)
    if strength < 1:
        x = [v + sigmas[start] * z for v, z in zip(p.clean, p.noise(0))]
    else:
        scale = math.sqrt(sigmas[0] ** 2 + 1) if spacing == "leading" else sigmas[0]
        x = [scale * z for z in p.noise(0)]
    for k, i in enumerate(range(start, steps)):
        s, to = sigmas[i], sigmas[i + 1]
        scaled = [v / math.sqrt(s * s + 1) for v in x]
        out = p.network(scaled, times[i])
        clean = clean_of(out, scaled, 1 / math.sqrt(s * s + 1), s / math.sqrt(s * s + 1), c.get("prediction_type", "epsilon"))
        up = math.sqrt(to ** 2 * (s ** 2 - to ** 2) / s ** 2) if ancestral else 0.0
        down = math.sqrt(to ** 2 - up ** 2) if ancestral else to
        x = [v + (v - d) / s * (down - s) + up * z for v, d, z in zip(x, clean, p.noise(k + 1))]
    return times[start:], [v / math.sqrt(sigmas[-1] ** 2 + 1) for v in x]


def ddim(p, c, steps, strength):
    bars = alphas_cumprod(c)
    n, spacing = len(bars), c.get("timestep_spacing", "leading")
    times = {"linspace": lambda: [round(t) for t in linspace(0, n - 1, steps)][::-1],
             "leading": lambda: [i * (n // steps) + c.get("steps_offset", 0) for i in range(steps)][::-1],
             "trailing": lambda: [round(n - i * n / steps) - 1 for i in range(steps)]}[spacing]()
    start = max(steps - min(int(steps * strength), steps), 0)
    last = 1.0 if c.get("set_alpha_to_one", True) else bars[0]
    a = bars[times[start]]
    x = p.noise(0)
    if strength < 1:
        x = [math.sqrt(a) * v + math.sqrt(1 - a) * z for v, z in zip(p.clean, x)]
    for i in range(start, steps):
        a, to = bars[times[i]], bars[times[i + 1]] if i + 1 < steps else last
        clean = clean_of(p.network(x, times[i]), x, math.sqrt(a), math.sqrt(1 - a), c.get("prediction_type", "epsilon"))
        rest = [(v - math.sqrt(a) * d) / math.sqrt(1 - a) for v, d in zip(x, clean)]
        x = [math.sqrt(to) * d + math.sqrt(1 - to) * e for d, e in zip(clean, rest)]
    return times[start:], x


def dpm(p, c, steps, strength):
    table = [math.sqrt((1 - a) / a) for a in alphas_cumprod(c)]
    n, spacing = len(table), c.get("timestep_spacing", "linspace")
    times = {"linspace": lambda: [round(t) for t in linspace(0, n - 1, steps + 1)][::-1][:-1],
             "leading": lambda: [i * (n // (steps + 1)) + c.get("steps_offset", 0) for i in range(steps + 1)][::-1][:-1],
             "trailing": lambda: [round(n - i * n / steps) - 1 for i in range(steps)]}[spacing]()
    sigmas = [table[t] for t in times]
    again = respaced(c, table, table[0], table[-1], steps)
    if again:
        sigmas, times = again, [round(time_of(s, table)) for s in again]
    zero = c.get("final_sigmas_type", "zero") == "zero"
    sigmas = sigmas + [0.0 if zero else table[0]]
    start = max(steps - min(int(steps * strength), steps), 0)
    times, sigmas = times[start:], sigmas[start:]
    steps, stochastic = len(times), c.get("algorithm_type", "dpmsolver++").startswith("sde")
    alpha = [1 / math.sqrt(s * s + 1) for s in sigmas]
    sigma = [s * a for s, a in zip(sigmas, alpha)]
    lam = [INF if s == 0 else -math.log(s) for s in sigmas]
    x, before = p.noise(0), None
    if strength < 1:
        x = [alpha[0] * v + sigma[0] * z for v, z in zip(p.clean, x)]
    for i in range(steps):
        clean = clean_of(p.network(x, times[i]), x, alpha[i], sigma[i], c.get("prediction_type", "epsilon"))
        h = lam[i + 1] - lam[i]
        first = i == 0 or c.get("solver_order", 2) == 1
        first = first or (i == steps - 1 and (zero or c.get("euler_at_final") or steps < 15))
        d = clean if first else [a + (a - b) * 0.5 * h / (lam[i] - lam[i - 1]) for a, b in zip(clean, before)]
        ratio = sigma[i + 1] / sigma[i]
        if stochastic:
            x = [ratio * math.exp(-h) * v + alpha[i + 1] * (1 - math.exp(-2 * h)) * w +
                 sigma[i + 1] * math.sqrt(1 - math.exp(-2 * h)) * z for v, w, z in zip(x, d, p.noise(i + 1))]
        else:
            x = [ratio * v - alpha[i + 1] * (math.exp(-h) - 1) * w for v, w in zip(x, d)]
        before = clean
    return times, x


def lcm(p, c, steps, strength):
    bars, teacher = alphas_cumprod(c), c.get("original_inference_steps", 50)
    stride = len(bars) // teacher
    origin = [i * stride - 1 for i in range(1, int(teacher * strength) + 1)][::-1]
    times = [origin[int(len(origin) * i / steps)] for i in range(steps)]
    a = bars[times[0]]
    x = p.noise(0)
    if strength < 1:
        x = [math.sqrt(a) * v + math.sqrt(1 - a) * z for v, z in zip(p.clean, x)]
    for i, time in enumerate(times):
        a, scaled = bars[time], c.get("timestep_scaling", 10.0) * time
        clean = clean_of(p.network(x, time), x, math.sqrt(a), math.sqrt(1 - a), c.get("prediction_type", "epsilon"))
        skip, out = 0.25 / (scaled ** 2 + 0.25), scaled / math.sqrt(scaled ** 2 + 0.25)
        answer = [out * d + skip * v for d, v in zip(clean, x)]
        if i + 1 == steps:
            return times, answer
        to = bars[times[i + 1]]
        x = [math.sqrt(to) * d + math.sqrt(1 - to) * z for d, z in zip(answer, p.noise(i + 1))]


SOLVERS = {"EulerDiscreteScheduler": lambda p, c, n, s: euler(p, c, n, s, False),
           "EulerAncestralDiscreteScheduler": lambda p, c, n, s: euler(p, c, n, s, True),
           "DDIMScheduler": ddim, "DPMSolverMultistepScheduler": dpm, "LCMScheduler": lcm,
           "PNDMScheduler": dpm}  # for which DPM-Solver++ stands in
CASES = [
    ("DDIMScheduler", 20, 1, dict(SD, set_alpha_to_one=False, steps_offset=1, clip_sample=False)),  # Stable Diffusion 1.5
    ("DDIMScheduler", 20, 1, dict(SD, set_alpha_to_one=False, steps_offset=1, prediction_type="v_prediction")),  # and 2.1
    ("DDIMScheduler", 7, 1, dict(SD, timestep_spacing="trailing", prediction_type="v_prediction")),
    ("DDIMScheduler", 12, 0.6, dict(SD, timestep_spacing="linspace", beta_schedule="linear")),
    ("EulerDiscreteScheduler", 15, 1, dict(SD)),
    ("EulerDiscreteScheduler", 15, 1, dict(SD, timestep_spacing="leading", steps_offset=1, use_karras_sigmas=True)),
    ("EulerDiscreteScheduler", 9, 1, dict(SD, timestep_spacing="trailing", prediction_type="v_prediction",
                                           final_sigmas_type="sigma_min")),
    ("EulerDiscreteScheduler", 15, 0.35, dict(SD, use_exponential_sigmas=True, prediction_type="sample")),
    ("EulerAncestralDiscreteScheduler", 15, 1, dict(SD, timestep_spacing="leading", steps_offset=1)),
    ("EulerAncestralDiscreteScheduler", 15, 0.75, dict(SD, timestep_spacing="trailing")),
    ("DPMSolverMultistepScheduler", 20, 1, dict(SD)),
    ("DPMSolverMultistepScheduler", 20, 1, dict(SD, use_karras_sigmas=True, timestep_spacing="leading", steps_offset=1)),
    ("DPMSolverMultistepScheduler", 20, 1, dict(SD, use_lu_lambdas=True, final_sigmas_type="sigma_min")),
    ("DPMSolverMultistepScheduler", 11, 1, dict(SD, timestep_spacing="leading", steps_offset=1,
                                                 prediction_type="v_prediction")),
    ("DPMSolverMultistepScheduler", 16, 1, dict(SD, timestep_spacing="trailing", final_sigmas_type="sigma_min",
                                                 beta_schedule="squaredcos_cap_v2", num_train_timesteps=500)),
    ("DPMSolverMultistepScheduler", 10, 0.5, dict(SD, algorithm_type="sde-dpmsolver++", use_karras_sigmas=True)),
    ("DPMSolverMultistepScheduler", 10, 1, dict(SD, solver_order=1, timestep_spacing="trailing")),
    ("PNDMScheduler", 20, 1, dict(SD, skip_prk_steps=True, set_alpha_to_one=False, steps_offset=1)),
    ("LCMScheduler", 4, 1, dict(SD, original_inference_steps=50)),
    ("LCMScheduler", 6, 0.5, dict(SD, prediction_type="v_prediction")),
]


def golden():
    lines = []
    for name, steps, strength, config in CASES:
        times, end = SOLVERS[name](Toy(), config, steps, strength)
        lines.append(json.dumps({"class": name, "steps": steps, "strength": strength, "config": config,
                                 "times": [round(t, 9) for t in times], "end": [round(v, 9) for v in end]}))
    return "[\n" + ",\n".join(lines) + "\n]\n"


def main():
    text = golden()
    if "--check" not in sys.argv:
        with open(GOLDEN, "w", encoding="utf-8") as file:
            file.write(text)
        return 0
    with open(GOLDEN, encoding="utf-8") as file:
        same = file.read() == text
    print("same as this code gives" if same else f"{GOLDEN} is not what this code gives: write it anew")
    return 0 if same else 1


if __name__ == "__main__":
    sys.exit(main())
