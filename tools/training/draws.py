"""Random numbers from one generator on one device, so that data is made where it is used and repeats by seed."""
import torch


class Draws:
    def __init__(self, seed, device="cpu"):
        self.device = torch.device(device)
        self.generator = torch.Generator(device=self.device).manual_seed(seed)

    def uniform(self, low, high, *shape):
        return torch.rand(shape, generator=self.generator, device=self.device) * (high - low) + low

    def chance(self, p, *shape):
        """0 or 1, as float."""
        return (torch.rand(shape, generator=self.generator, device=self.device) < p).float()

    def normal(self, *shape):
        return torch.randn(shape, generator=self.generator, device=self.device)

    def integers(self, low, high, *shape):
        return torch.randint(low, high, shape, generator=self.generator, device=self.device)

    def choice(self, weights):
        """[n, k] weights -> [n] indices; rows must have a positive weight."""
        return torch.multinomial(weights, 1, generator=self.generator)[:, 0]

    def permutation(self, n):
        return torch.randperm(n, generator=self.generator, device=self.device)

    def state(self):
        return self.generator.get_state()

    def restore(self, state):
        self.generator.set_state(state.cpu())
