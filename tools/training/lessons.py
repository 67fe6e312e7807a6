"""What training asks of features inside the network, beside the clean field: heads that are used in training and thrown away.

The loss on the field alone teaches next to nothing about pictures. What waves has a random phase, so at the noisy levels the best
answer is still, wherever the water is; at the clean ones the noisy field itself shows where it moves. So two linear
heads ask for it: what the conditioner's planes must tell (where water, sky, land, what stands and the object are,
and how near each cell is), and what the UNet must know before its last block (how far each cell will move).
"""
import torch
from torch import nn
from torch.nn import functional as F

import settings as S

PARTS = ("water", "sky", "land", "stand", "object", "parallax")
CONTENT = ("water", "sky", "stand", "grass", "alive")
WAVES = ("wave", "wave_x", "wave_y")


def parts_of(scene):
    """[n, 8, 8, 6]: how much of each cell is what."""
    return torch.cat([F.avg_pool2d(scene[name], S.PATCH) for name in PARTS], 1).permute(0, 2, 3, 1)


def reach_of(clean):
    """packed field [n, 8 frames, 8, 8, 16] -> [n, 8, 8, 16]: the root mean square over time of each value."""
    return clean.pow(2).mean(1).sqrt()


def weight_of(ask):
    """How much a clip counts: more if little of it moves, or if it is hard. It depends on what the network is told alone,
    so the best answer stays the same."""
    if not ask.matte and any(part.target in CONTENT for part in ask.parts):
        return 2.5
    return 1.5 if ask.matte or any(part.verb in WAVES for part in ask.parts) else 1.0


class Lessons(nn.Module):
    """Listens to a MotionModel. `loss` after its forward pass."""

    SHARE = 0.5  # of both, beside the loss of the field

    def __init__(self, settings=S.SMALL):
        super().__init__()
        self.parts = nn.Linear(settings.planes, len(PARTS))
        self.reach = nn.Linear(settings.channels[-1], S.PACKED_CHANNELS)
        self.heard = {}

    def begin_silent(self):
        """At zero the heads ask nothing of a network that has been trained without them, until they have learnt to read it."""
        for p in self.parameters():
            nn.init.zeros_(p)
        return self

    def listen(self, model):
        keep = lambda name: lambda module, given, out: self.heard.__setitem__(name, out)
        model.conditioner.proj_out.register_forward_hook(keep("planes"))
        model.unet.up_blocks[0].upsamplers[0].register_forward_hook(keep("late"))

    def loss(self, scene_parts, clean, shown):
        """shown [n]: 1 where the network saw the picture. -> scalar"""
        seen = shown.view(-1, 1, 1, 1)
        parts = ((self.parts(self.heard["planes"]).float() - scene_parts).pow(2) * seen).mean()
        late = self.heard["late"].unflatten(0, (-1, S.PACKED_FRAMES)).mean(1)
        reach = (self.reach(late).float() - reach_of(clean)).pow(2).mean()
        self.heard.clear()
        return self.SHARE * (parts * len(PARTS) + reach)


class Learner(nn.Module):
    """The network and its lessons: what an optimiser sees. The network's parameters come first."""

    def __init__(self, network):
        super().__init__()
        self.network, self.lessons = network, Lessons(network.settings)
        self.lessons.listen(network)
