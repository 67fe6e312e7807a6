"""Whole pictures from prompts, small: tokenizer, text encoder, UNet with guidance, sampler, autoencoder.

Put together from the pieces here after Rombach et al. (arXiv:2112.10752) and Ho and Salimans (arXiv:2207.12598): the answer
is that without the prompt plus `guidance` times what the prompt changes of it. The samplers are those of schedulers.py, in
double precision around networks in single precision. The first noise and that of each step are hashed numbers of deviation
one. What the engine is to open is in each case's configuration, one text a file.
"""
import json

import numpy as np
import torch
from clip import ProjectedText, Text
from clip_tokenizer import CONTEXT, Tokenizer, learned_merges
from hash_weights import fill, tensor, uniform
from schedulers import SD as NOISE
from schedulers import SOLVERS
from tiny import Tiny
from unets import SdUNet
from vae import PictureVae

TOKENIZER = Tokenizer(learned_merges())
PADDING = {"sd1": "<|endoftext|>", "sd2": "!", "small": "<|endoftext|>"}
UNET1 = dict(block_out_channels=[32, 64, 64], layers_per_block=2, in_channels=4, out_channels=4, attention_head_dim=4,
             cross_attention_dim=40, sample_size=4,
             down_block_types=["CrossAttnDownBlock2D", "CrossAttnDownBlock2D", "DownBlock2D"],
             up_block_types=["UpBlock2D", "CrossAttnUpBlock2D", "CrossAttnUpBlock2D"])
UNET2 = dict(UNET1, attention_head_dim=[2, 4, 4], use_linear_projection=True)
VAE = dict(block_out_channels=[32, 32, 64, 64], layers_per_block=1, in_channels=3, out_channels=3, latent_channels=4)
TEXT1 = dict(hidden_size=40, intermediate_size=80, num_hidden_layers=3, num_attention_heads=4, hidden_act="quick_gelu",
             vocab_size=800, max_position_embeddings=CONTEXT)
TEXT2 = dict(TEXT1, hidden_act="gelu")
SCALE = 0.18215
# The layout of the bundled model: other numbers of groups in the norms, eight latent channels, a context of 32 tokens.
UNET_SMALL = dict(block_out_channels=[48, 96], layers_per_block=1, in_channels=8, out_channels=8, attention_head_dim=[2, 3],
                  cross_attention_dim=40, sample_size=4, norm_num_groups=24,
                  down_block_types=["CrossAttnDownBlock2D"] * 2, up_block_types=["CrossAttnUpBlock2D"] * 2)
VAE_SMALL = dict(block_out_channels=[16, 24, 32, 48], layers_per_block=1, in_channels=3, out_channels=3, latent_channels=8,
                 norm_num_groups=8, scaling_factor=1.0, sample_size=32)
TINY = dict(_class_name="AutoencoderTiny", decoder_block_out_channels=[32] * 4, num_decoder_blocks=[3, 3, 3, 1],
            encoder_block_out_channels=[48] * 4, num_encoder_blocks=[1, 2, 1, 2], in_channels=3, out_channels=3, latent_channels=4,
            scaling_factor=1.0)
TEXT_SMALL = dict(TEXT1, num_hidden_layers=2, max_position_embeddings=32)
NOISE_SMALL = dict(num_train_timesteps=1000, beta_start=0.0001, beta_end=0.02, beta_schedule="squaredcos_cap_v2",
                   prediction_type="v_prediction", timestep_spacing="trailing")
LONG = "The boat sways gently on the water, it's the hills and the clouds, the trees and the grass, slowly zoom out and pan to the left in the wind"
# Stable Diffusion XL: two text encoders, no attention in the first block, the sizes and a summary of the prompt.
UNET_XL = dict(UNET2, cross_attention_dim=40 + 48, transformer_layers_per_block=[1, 2, 10], addition_embed_type="text_time",
               addition_time_embed_dim=16, projection_class_embeddings_input_dim=24 + 6 * 16,
               down_block_types=["DownBlock2D", "CrossAttnDownBlock2D", "CrossAttnDownBlock2D"],
               up_block_types=["CrossAttnUpBlock2D", "CrossAttnUpBlock2D", "UpBlock2D"])
TEXT_XL = dict(TEXT1, hidden_size=48, intermediate_size=96, num_hidden_layers=4, num_attention_heads=3, hidden_act="gelu",
               projection_dim=24)
VAE_XL = dict(VAE, scaling_factor=0.13025, force_upcast=True)


def ids_of(prompt, padding, context=CONTEXT):
    ids = TOKENIZER.encode(prompt, context)
    return torch.tensor([ids + [TOKENIZER.numbers[padding]] * (context - len(ids))])


def guidance_rows(strength, channels):
    half = channels // 2
    angle = 1000.0 * (strength - 1) * np.exp(-np.log(10000.0) * np.arange(half) / (half - 1))
    return torch.from_numpy(np.concatenate([np.sin(angle), np.cos(angle)])[None]).float()


class Problem:
    """What schedulers.py samples: latents as a list, channels last."""

    def __init__(self, case, unet, context, clean, told=None):
        self.case, self.unet, self.context = case, unet, context
        self.told = told or {}  # what XL is told beside the context
        self.shape = (case["height"] // 8, case["width"] // 8, case["unet"]["out_channels"])
        self.clean = clean

    def noise(self, draw):
        return (uniform(f"noise{draw}", int(np.prod(self.shape))) * np.float32(np.sqrt(3.0))).tolist()

    def network(self, x, time):
        sample = torch.tensor(x, dtype=torch.float32).reshape(1, *self.shape).permute(0, 3, 1, 2)
        sample, time = sample.expand(len(self.context), -1, -1, -1), torch.tensor([time], dtype=torch.float32)
        told = self.case["unet"].get("time_cond_proj_dim")
        out = self.unet(sample, time, self.context, guidance_rows(self.case["guidance"], told) if told else None,
                        **self.told)
        out = out.permute(0, 2, 3, 1).double()
        if len(out) == 2:
            out = out[:1] + self.case["guidance"] * (out[1:] - out[:1])
        return out.flatten().tolist()


def picture_bytes(height, width):
    return np.floor((uniform("photo", height * width * 3) + np.float32(1.0)) * np.float32(127.5)).reshape(height, width, 3)


def autoencoder(config):
    return (Tiny if config.get("_class_name") == "AutoencoderTiny" else PictureVae)(config)


def picture(kind, **case):
    case = dict(dict(negative="", guidance=7.5, clip_skip=0, strength=1.0, width=40, height=24, vae=VAE), **case)
    unet, vae, text = SdUNet(case["unet"]), autoencoder(case["vae"]), Text(case["text_encoder"])
    scale, most = case["vae"].get("scaling_factor", SCALE), case["text_encoder"]["max_position_embeddings"]
    names = sorted(sum([fill(net) for net in (unet, vae, text)], []))
    encode = lambda prompt: text(ids_of(prompt, PADDING[kind], most), case["clip_skip"])
    two = case["guidance"] > 1 and "time_cond_proj_dim" not in case["unet"]
    context = torch.cat([encode(case["negative"]), encode(case["prompt"])] if two else [encode(case["prompt"])])
    clean = None
    if case["strength"] < 1:
        photo = torch.from_numpy(picture_bytes(case["height"], case["width"])).permute(2, 0, 1)[None].float() / 127.5 - 1
        clean = (vae.encode(photo)[:, :case["vae"]["latent_channels"]] * scale).permute(0, 2, 3, 1).flatten().tolist()
    problem = Problem(case, unet, context, clean)
    name, settings = case["sampled_by"]
    _, latents = SOLVERS[name](problem, settings, case["steps"], case["strength"])
    latents = torch.tensor(latents, dtype=torch.float32).reshape(1, *problem.shape).permute(0, 3, 1, 2)
    files = {"unet/config.json": case["unet"], "vae/config.json": case["vae"], "text_encoder/config.json": case["text_encoder"],
             "scheduler/scheduler_config.json": settings, "tokenizer/special_tokens_map.json": {"pad_token": PADDING[kind]}}
    asked = {key: case[key] for key in ("prompt", "negative", "guidance", "clip_skip", "strength", "width", "height", "steps",
                                        "scheduler")}
    config = {"files": {path: json.dumps(content) for path, content in files.items()}, "request": asked,
              "scheduler_class": case["checkpoint_names"]}
    return config, names, vae.decode(latents / scale)


def picture_xl(**case):
    """Without a negative prompt: what it would say is zeros."""
    case = dict(dict(negative="", guidance=5.0, clip_skip=0, strength=1.0, width=40, height=24), **case)
    unet, vae, text, text2 = SdUNet(UNET_XL), PictureVae(VAE_XL), Text(TEXT1), ProjectedText(TEXT_XL)
    names = sorted(sum([fill(net) for net in (unet, vae)], []))
    fill(text), fill(text2)
    first, second = ids_of(case["prompt"], PADDING["sd1"]), ids_of(case["prompt"], PADDING["sd2"])
    context = torch.cat([text.text_model.states(first)[-2 - case["clip_skip"]],
                         text2.text_model.states(second)[-2 - case["clip_skip"]]], dim=-1)
    context = torch.cat([torch.zeros_like(context), context])
    summary = text2.summary(second)
    sizes = torch.tensor([[case["height"], case["width"], 0, 0, case["height"], case["width"]]] * 2).float()
    case["unet"] = UNET_XL
    problem = Problem(case, unet, context, None, dict(summary=torch.cat([torch.zeros_like(summary), summary]), sizes=sizes))
    name, settings = case["sampled_by"]
    _, latents = SOLVERS[name](problem, settings, case["steps"], 1.0)
    latents = torch.tensor(latents, dtype=torch.float32).reshape(1, *problem.shape).permute(0, 3, 1, 2)
    files = {"unet/config.json": UNET_XL, "vae/config.json": VAE_XL, "text_encoder/config.json": TEXT1,
             "text_encoder_2/config.json": TEXT_XL, "scheduler/scheduler_config.json": settings,
             "tokenizer/special_tokens_map.json": {"pad_token": PADDING["sd1"]},
             "tokenizer_2/special_tokens_map.json": {"pad_token": PADDING["sd2"]}}
    asked = {key: case[key] for key in ("prompt", "negative", "guidance", "clip_skip", "strength", "width", "height", "steps",
                                        "scheduler")}
    config = {"files": {path: json.dumps(content) for path, content in files.items()}, "request": asked,
              "scheduler_class": name}
    return config, names, vae.decode(latents / VAE_XL["scaling_factor"])


PICTURES = {
    # Stable Diffusion 1.5 as it is downloaded.
    "picture_sd1": lambda: picture(
        "sd1", unet=UNET1, text_encoder=TEXT1, prompt="The boat sways gently, it's on the water", negative="grass", steps=6,
        scheduler="", checkpoint_names="PNDMScheduler",
        sampled_by=("PNDMScheduler", dict(NOISE, skip_prk_steps=True, set_alpha_to_one=False, steps_offset=1))),
    # Stable Diffusion 2.1, without a negative prompt.
    "picture_sd2": lambda: picture(
        "sd2", unet=UNET2, text_encoder=TEXT2, prompt="waves, slowly!", guidance=4.0, steps=5, width=32, height=48,
        scheduler="", checkpoint_names="DDIMScheduler",
        sampled_by=("DDIMScheduler", dict(NOISE, set_alpha_to_one=False, steps_offset=1, clip_sample=False,
                                          prediction_type="v_prediction"))),
    # Stable Diffusion XL as it is downloaded.
    "picture_sdxl": lambda: picture_xl(
        prompt="The boat sways gently, it's on the water", steps=5, scheduler="", clip_skip=1,
        sampled_by=("EulerDiscreteScheduler", dict(NOISE, steps_offset=1, timestep_spacing="leading"))),
    # From a picture, with fresh noise at every step, one layer of the text encoder less, by a scheduler that was asked for.
    "picture_from_picture": lambda: picture(
        "sd2", unet=UNET2, text_encoder=TEXT2, prompt="the hills", negative="the trees and clouds", guidance=3.0, clip_skip=1,
        strength=0.6, steps=8, width=48, height=40, scheduler="euler-ancestral", checkpoint_names="DDIMScheduler",
        sampled_by=("EulerAncestralDiscreteScheduler", dict(NOISE, steps_offset=1, timestep_spacing="leading",
                                                            prediction_type="v_prediction"))),
    # A latent consistency model: guidance is an input, one pass a step.
    "picture_lcm": lambda: picture(
        "sd1", unet=dict(UNET1, time_cond_proj_dim=24), text_encoder=TEXT1, prompt="zoom out", guidance=8.5, steps=4,
        scheduler="", checkpoint_names="LCMScheduler", sampled_by=("LCMScheduler", dict(NOISE, original_inference_steps=50))),
    # With a tiny autoencoder in the place of the model's own, from a picture.
    "picture_tiny_from_picture": lambda: picture(
        "sd1", unet=UNET1, vae=TINY, text_encoder=TEXT1, prompt="waves, slowly!", guidance=4.0, steps=6, strength=0.7,
        width=32, height=48, scheduler="", checkpoint_names="DDIMScheduler",
        sampled_by=("DDIMScheduler", dict(NOISE, set_alpha_to_one=False, steps_offset=1, clip_sample=False))),
    # The layout of the bundled model, by its own scheduler and by DPM-Solver++ from a picture.
    "picture_small": lambda: picture(
        "small", unet=UNET_SMALL, vae=VAE_SMALL, text_encoder=TEXT_SMALL, prompt=LONG, negative="grass", guidance=3.0, steps=6,
        scheduler="", checkpoint_names="DDIMScheduler",
        sampled_by=("DDIMScheduler", dict(NOISE_SMALL, set_alpha_to_one=True, clip_sample=False))),
    "picture_small_from_picture": lambda: picture(
        "small", unet=UNET_SMALL, vae=VAE_SMALL, text_encoder=TEXT_SMALL, prompt="waves, slowly!", guidance=1.0, steps=8,
        strength=0.75, width=32, height=32, scheduler="dpm++", checkpoint_names="DDIMScheduler",
        sampled_by=("DPMSolverMultistepScheduler", NOISE_SMALL)),
    "picture_small_dpm": lambda: picture(
        "small", unet=UNET_SMALL, vae=VAE_SMALL, text_encoder=TEXT_SMALL, prompt="the hills", guidance=3.0, steps=5,
        scheduler="dpm++", checkpoint_names="DDIMScheduler", sampled_by=("DPMSolverMultistepScheduler", NOISE_SMALL)),
}
