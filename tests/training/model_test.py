"""The network against the reference modules, the format against itself, the sampler against an exact answer."""
import json
import math
import os
import subprocess
import sys
import tempfile
import unittest

import paths  # noqa: F401
import torch

import clip
import export
import kernels
import model as M
import safetensors
import settings as S
import unets
import vocabulary
from diffusion import Sampler, affine_part, levels, sample
from distill import merged_answer
from draws import Draws
from leaning import Leaning

torch.set_num_threads(1)


def far(a, b):
    return float((a - b).norm() / b.norm())


class NetworkTest(unittest.TestCase):
    def setUp(self):
        self.model = export.random_model(1)

    def test_unet_is_the_reference(self):
        reference = unets.SvdUNet(export.unet_config(S.SMALL))
        reference.load_state_dict(self.model.unet.state_dict())
        sample_in = torch.randn(2, 8, 8, 8, 64)
        context, added, time = torch.randn(2, 16, 96), torch.rand(2, 3) * 10, torch.tensor([300.0])
        with torch.no_grad():
            ours = self.model.unet(sample_in, time.expand(2), added, context)
            theirs = reference(sample_in.flatten(0, 1).permute(0, 3, 1, 2), time, added, context, 8)
        self.assertLess(far(ours, theirs.permute(0, 2, 3, 1).reshape(ours.shape)), 1e-5)

    def test_text_encoder_is_the_reference(self):
        reference = clip.Text(export.text_config(S.SMALL))
        reference.load_state_dict(self.model.text_encoder.state_dict())
        ids = torch.tensor([vocabulary.encode("the boat sways slowly"), vocabulary.encode("")])
        with torch.no_grad():
            self.assertLess(far(self.model.text_encoder(ids), reference(ids)), 1e-5)

    def test_what_tells_pictures_apart_reaches_the_planes(self):
        torch.manual_seed(3)
        conditioner = M.Conditioner(S.SMALL)
        pictures, one, none = torch.rand(16, 3, 8, 8).repeat_interleave(8, 2).repeat_interleave(8, 3), torch.ones(16), torch.zeros(16)
        planes = M.input_planes(pictures, torch.zeros(16, 1, S.PICTURE, S.PICTURE), one, none)
        with torch.no_grad():
            out = conditioner(planes, torch.randn(1, S.SMALL.text_channels).expand(16, -1))
        self.assertGreater(float(out.std(0).mean()), 0.05)
        self.assertLess(float(out.std(0).mean()), 1.0)

    def test_kernels_have_torchs_gradients(self):
        x, w, b = torch.randn(3, 4, 4, 64), torch.rand(64), torch.randn(64)
        g = torch.randn(3, 4, 4, 64)
        ours = lambda x, w, b: kernels.silu(kernels.group_norm(x, w, b, 1e-5))
        norm = lambda x, w, b: torch.nn.functional.group_norm(x.permute(0, 3, 1, 2), 32, w, b, 1e-5).permute(0, 2, 3, 1)
        gradients = []
        for function in (ours, lambda *a: torch.nn.functional.silu(norm(*a))):
            leaves = [t.clone().requires_grad_() for t in (x, w, b)]
            gradients.append(torch.autograd.grad((function(*leaves) * g).sum(), leaves))
        for one, other in zip(*gradients):
            self.assertLess(far(one, other), 1e-5)

    def test_packing_is_the_documented_order(self):
        field = torch.randn(2, S.FRAMES, 2, S.GRID, S.GRID)
        packed = M.pack(field)
        self.assertTrue(torch.equal(M.unpack(packed), field))
        df, dy, dx, c, f, y, x = 1, 0, 1, 1, 3, 2, 5
        self.assertEqual(packed[1, f, y, x, ((df * 2 + dy) * 2 + dx) * 2 + c], field[1, 2 * f + df, c, 2 * y + dy, 2 * x + dx])


class FormatTest(unittest.TestCase):
    def test_what_is_exported_loads_again(self):
        with tempfile.TemporaryDirectory() as out:
            model = export.random_model(2)
            how = Sampler(6, 1.25, 1.5, fresh_noise=True, steady_affine=True, first_mean_x=1.4, first_mean_y=1.5, lean=0.4)
            export.export(model, out, how)
            self.assertEqual(export.load_sampler(out), how)
            again = export.load_directory(out)
            for (name, p), q in zip(model.state_dict().items(), again.state_dict().values()):
                self.assertTrue(torch.equal(p.bfloat16().float(), q), name)
            for name, p in export.weights_of(out).items():
                self.assertTrue(torch.equal(p, again.state_dict()[name]), name)
            checkpoint = os.path.join(out, "latest.pt")
            torch.save(dict(ema=model.state_dict()), checkpoint)
            self.assertTrue(torch.equal(export.weights_of(checkpoint)["unet.conv_in.weight"], model.state_dict()["unet.conv_in.weight"]))
            with open(os.path.join(out, "model_index.json")) as f:
                index = json.load(f)
            for name, value in index.items():
                if isinstance(value, list):
                    self.assertTrue(os.path.isdir(os.path.join(out, name)), name)

    def test_halfway_is_the_mean_of_the_weights(self):
        with tempfile.TemporaryDirectory() as out:
            models = [export.random_model(seed) for seed in (2, 3)]
            paths_of = [os.path.join(out, f"{i}.pt") for i in range(2)]
            for model, path in zip(models, paths_of):
                torch.save(dict(settings=S.SMALL.as_json(), ema=model.state_dict()), path)
            tool = os.path.join(paths.ROOT, "tools", "training", "export.py")
            run = lambda *more: subprocess.run([sys.executable, tool, os.path.join(out, "mean"), *more], capture_output=True, text=True)
            done = run("--checkpoint", paths_of[0], "--halfway", paths_of[1])
            self.assertEqual(done.returncode, 0, done.stderr)
            mean = export.load_directory(os.path.join(out, "mean")).state_dict()
            for name, weight in models[0].state_dict().items():
                wanted = (weight.float() + models[1].state_dict()[name].float()) / 2
                self.assertTrue(torch.equal(wanted.bfloat16().float(), mean[name]), name)
            refused = run("--halfway", paths_of[1])
            self.assertEqual(refused.returncode, 2)
            self.assertIn("--halfway wants --checkpoint", refused.stderr)

    def test_safetensors_keep_shapes_and_both_types(self):
        with tempfile.TemporaryDirectory() as out:
            path = os.path.join(out, "t.safetensors")
            tensors = {"b": torch.randn(3, 2), "a": torch.randn(5).bfloat16()}
            safetensors.save(tensors, path)
            back = safetensors.load(path)
            self.assertTrue(torch.equal(back["b"], tensors["b"]))
            self.assertTrue(torch.equal(back["a"], tensors["a"].float()))
            with open(path, "rb") as f:
                self.assertEqual(int.from_bytes(f.read(8), "little") % 8, 0)


class Exact:
    """The best denoiser of values that are normal with the given deviation, in the place of a network."""

    deviation = 0.7

    def condition(self, given):
        return None

    def denoise(self, z, log_snr, c):
        alpha, sigma = levels(log_snr)
        power = self.deviation**2
        return alpha * power / (alpha**2 * power + sigma**2) * z


class Unsure(Exact):
    """It takes faint evidence for half of what it is worth, as networks do that have not been trained for long."""

    def denoise(self, z, log_snr, c):
        doubt = torch.sigmoid(2 * log_snr - 3).view(-1, 1, 1, 1, 1) * 0.5 + 0.5
        return doubt * super().denoise(z, log_snr, c)


class SamplerTest(unittest.TestCase):
    given = dict(picture=torch.zeros(4, 1), picture_given=torch.ones(4), matte_given=torch.zeros(4), text_given=torch.ones(4))

    def spread(self, how, network=Exact):
        noise = torch.randn(4, 8, 8, 8, 16, generator=torch.Generator().manual_seed(3))
        field = sample(network(), self.given, noise, how, Draws(4))
        return float((field / torch.tensor(S.FIELD_SCALE).view(1, -1, 1, 1, 1)).std())

    def common_spread(self, how, network):
        """Of what all cells of a frame have in common, by component."""
        noise = torch.randn(16, 8, 8, 8, 16, generator=torch.Generator().manual_seed(3))
        given = {k: v[:1].expand(16, *v.shape[1:]) for k, v in self.given.items()}
        return sample(network, given, noise, how, Draws(4)).mean((3, 4)).std((0, 1)).tolist()

    def test_samples_have_the_spread_of_the_data(self):
        self.assertAlmostEqual(self.spread(Sampler(64)), 0.7 * float(torch.tensor(3.0).sigmoid() ** 0.5), delta=0.05)

    def test_with_fresh_noise_they_have_it_too(self):
        many, few = Sampler(64, fresh_noise=True), Sampler(8, fresh_noise=True)
        self.assertAlmostEqual(self.spread(many), 0.7 * float(torch.tensor(3.0).sigmoid() ** 0.5), delta=0.05)
        self.assertAlmostEqual(self.spread(few), self.spread(Sampler(64)), delta=0.1)

    def test_a_louder_mean_gives_an_unsure_network_its_variety_back(self):
        for fresh in (dict(), dict(fresh_noise=True, steady_affine=True)):
            plain, exact = (self.common_spread(Sampler(8, **fresh), network()) for network in (Unsure, Exact))
            louder = self.common_spread(Sampler(8, **fresh, first_mean_y=1.4), Unsure())
            self.assertLess(plain[1], 0.8 * exact[1])
            self.assertGreater(louder[1], 1.2 * plain[1])
            self.assertAlmostEqual(louder[0] / plain[0], 1, places=4)  # of x nothing was said

    def test_what_the_cells_of_a_frame_share_has_a_loudness_by_component(self):
        noise, how = torch.randn(2, 8, 8, 8, 16), Sampler(first_mean_x=0.7, first_mean_y=1.5)
        common = lambda packed: M.unpack(packed).mean((3, 4), keepdim=True)  # [n, 16 frames, 2, 1, 1]
        louder, by = how.first_noise(noise, torch.tensor([0.0, 1.0])), torch.tensor([0.7, 1.5]).view(2, 1, 1)
        self.assertLess(far(common(louder)[0], by * common(noise)[0]), 1e-5)
        self.assertTrue(torch.equal(louder[1], noise[1]))  # it has a matte
        rest = lambda packed: M.unpack(packed) - common(packed)
        self.assertLess(far(rest(louder), rest(noise)), 1e-5)

    @staticmethod
    def travelling(forth, back):
        """Packed noise of one clip: long waves of both components this loud, beside what no long wave is."""
        turn = lambda n, *shape: (torch.arange(n) * (2 * math.pi / n)).view(*shape)
        t, y, x = turn(S.FRAMES, -1, 1, 1), turn(S.GRID, 1, -1, 1), turn(S.GRID, 1, 1, -1)
        of_x = forth[0] * torch.sin(t - y + 1) + back[0] * torch.sin(t + y + 2) + torch.cos(x) + 0.5 + torch.cos(3 * y)
        of_y = forth[1] * torch.sin(t - 2 * x) + back[1] * torch.sin(t + 2 * x + 3) + torch.cos(t - y) - torch.cos(2 * t)
        return M.pack(torch.stack([of_x, of_y], 1)[None])

    def test_waves_of_one_direction_grow_and_the_others_shrink(self):
        first = torch.zeros(2, 8, 8, 8, 16)
        first[:, 0, 0, 0, :2] = torch.tensor([0.3, -0.3])  # the coins: forth in x, back in y
        leaning = Leaning(0.6, first, torch.tensor([0.0, 1.0]))
        more, less = 1.6**0.5, 0.4**0.5
        for (a, c), (b, d) in (((2, 0.5), (1, 0.7)), ((0.1, 1), (3, 0))):
            noise = self.travelling((a, c), (b, d)).expand(2, -1, -1, -1, -1)
            leant = leaning(noise)
            self.assertLess(far(leant[0], self.travelling((more * a, less * c), (less * b, more * d))[0]), 1e-5)
            self.assertTrue(torch.equal(leant[1], noise[1]))  # it has a matte

    def test_the_walk_begins_with_noise_that_leans_and_all_fresh_noise_leans(self):
        noise = torch.randn(4, 8, 8, 8, 16, generator=torch.Generator().manual_seed(3))
        leant = Leaning(0.8, noise, self.given["matte_given"])(noise)
        field = lambda first, **how: sample(Exact(), self.given, first, Sampler(3, **how), Draws(4))
        self.assertLess(far(field(noise, lean=0.8), field(leant)), 1e-5)
        self.assertGreater(far(field(noise, lean=0.8, fresh_noise=True), field(leant, fresh_noise=True)), 0.01)

    def test_the_affine_part_is_that_of_least_squares(self):
        noise = torch.randn(2, 8, 8, 8, 16)
        y, x = torch.meshgrid(torch.arange(16.0), torch.arange(16.0), indexing="ij")
        shapes = torch.stack([torch.ones(256), x.flatten(), y.flatten()], 1)
        field = M.unpack(noise).flatten(3)  # [n, 16, 2, 256]
        best = field @ shapes @ torch.linalg.inv(shapes.T @ shapes) @ shapes.T
        self.assertLess(far(M.unpack(affine_part(noise)).flatten(3), best), 1e-4)

    def test_what_is_affine_stays_as_without_fresh_noise(self):
        noise = torch.randn(4, 8, 8, 8, 16, generator=torch.Generator().manual_seed(3))
        field = lambda **how: sample(Exact(), self.given, noise, Sampler(8, **how), Draws(4))
        steady, stirred = field(), field(fresh_noise=True, steady_affine=True)
        affine = lambda f: affine_part(M.pack(f))
        self.assertLess(far(affine(stirred), affine(steady)), 1e-4)
        self.assertGreater(far(stirred, steady), 0.3)
        self.assertAlmostEqual(float(stirred.std() / steady.std()), 1, delta=0.1)

    def test_fresh_noise_makes_another_sample_and_the_same_again(self):
        noise = torch.randn(4, 8, 8, 8, 16, generator=torch.Generator().manual_seed(3))
        with_noise = lambda seed: sample(Exact(), self.given, noise, Sampler(fresh_noise=True), Draws(seed))
        self.assertTrue(torch.equal(with_noise(1), with_noise(1)))
        self.assertFalse(torch.equal(with_noise(1), with_noise(2)))

    def test_eight_steps_are_close_to_many(self):
        self.assertAlmostEqual(self.spread(Sampler(8)), self.spread(Sampler(64)), delta=0.05)

    def test_merged_steps_of_a_constant_answer_are_that_answer(self):
        log_snr = torch.tensor([-12.0, -5.0])
        z, constant = torch.randn(2, 1, 1, 1, 16), torch.randn(2, 1, 1, 1, 16)
        for parts in (1, 2, 4):
            found = merged_answer(lambda at, level: constant, z, log_snr, parts)
            self.assertLess(far(found, constant), 1e-3)


if __name__ == "__main__":
    unittest.main()
