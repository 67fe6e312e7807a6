"""The networks, in the layout of Stable Diffusion checkpoints, and the files that they are stored in.

The modules are those that the engine is held to (tests/engine/reference); here only their sizes, and attention as torch's
own fused function where there is one.
"""
import json
import math
import os

import torch
from torch import nn
from torch.nn import functional as F

import words
import blocks
import clip
from control import ControlNet
from unets import SdUNet
from tiny import Tiny
from vae import PictureVae

SIDE, FACTOR, LATENTS, GRID = 128, 8, 8, 16
CONTEXT = 128
UNET = dict(_class_name="UNet2DConditionModel", act_fn="silu", attention_head_dim=[4, 6], block_out_channels=[128, 192], center_input_sample=False,
            cross_attention_dim=CONTEXT, down_block_types=["CrossAttnDownBlock2D"] * 2, downsample_padding=1, flip_sin_to_cos=True,
            freq_shift=0, in_channels=LATENTS, layers_per_block=1, mid_block_scale_factor=1, norm_eps=1e-5, norm_num_groups=32,
            out_channels=LATENTS, sample_size=GRID, up_block_types=["CrossAttnUpBlock2D"] * 2)
VAE = dict(_class_name="AutoencoderKL", act_fn="silu", block_out_channels=[32, 64, 96, 128], down_block_types=["DownEncoderBlock2D"] * 4,
           in_channels=3, latent_channels=LATENTS, layers_per_block=1, norm_num_groups=8, out_channels=3, sample_size=SIDE,
           scaling_factor=1.0, up_block_types=["UpDecoderBlock2D"] * 4)
TINY = dict(_class_name="AutoencoderTiny", act_fn="relu", decoder_block_out_channels=[32] * 4, encoder_block_out_channels=[32] * 4, force_upcast=False,
            in_channels=3, latent_channels=LATENTS, latent_magnitude=3, latent_shift=0.5, num_decoder_blocks=[6, 6, 3, 1],
            num_encoder_blocks=[1, 2, 2, 2], out_channels=3, scaling_factor=1.0, upsampling_scaling_factor=2)
CONTROL = dict({k: v for k, v in UNET.items() if k not in ("out_channels", "up_block_types", "sample_size", "center_input_sample")},
               _class_name="ControlNetModel", conditioning_embedding_out_channels=[16, 32, 64, 64],
               controlnet_conditioning_channel_order="rgb")
SCHEDULER = dict(_class_name="DDIMScheduler", beta_end=0.02, beta_schedule="squaredcos_cap_v2", beta_start=0.0001, clip_sample=False,
                 num_train_timesteps=1000, prediction_type="v_prediction", set_alpha_to_one=True, steps_offset=0,
                 timestep_spacing="trailing")


def text_config(vocabulary, end):
    return dict(architectures=["CLIPTextModel"], bos_token_id=vocabulary - 2, eos_token_id=end, hidden_act="quick_gelu", hidden_size=CONTEXT,
                intermediate_size=4 * CONTEXT, layer_norm_eps=1e-5, max_position_embeddings=words.POSITIONS, model_type="clip_text_model",
                num_attention_heads=4, num_hidden_layers=2, pad_token_id=end, projection_dim=CONTEXT, vocab_size=vocabulary)


def fused_attention(self, x, context=None):
    context = x if context is None else context
    split = lambda t: t.reshape(t.shape[0], t.shape[1], self.heads, -1).transpose(1, 2)
    q, k, v = split(self.to_q(x)), split(self.to_k(context)), split(self.to_v(context))
    return self.to_out[0](F.scaled_dot_product_attention(q, k, v).transpose(1, 2).reshape(x.shape))


if hasattr(F, "scaled_dot_product_attention"):
    blocks.Attention.forward = fused_attention


class TimedRows:
    """The embedding of whole times in the network's own precision."""

    def embedding(self, sample, time, guidance=None, summary=None, sizes=None):
        half = self.width // 2
        steps = torch.arange(half, dtype=torch.float64, device=time.device)
        angle = time.double()[:, None] * torch.exp(-math.log(10000.0) / half * steps)[None]
        return self.time_embedding(torch.cat([angle.cos(), angle.sin()], dim=-1).to(sample.dtype))


class UNet(TimedRows, SdUNet):
    pass


class Control(TimedRows, ControlNet):
    pass


class Painter(nn.Module):
    """Text encoder and UNet, trained together."""

    def __init__(self, sentences):
        super().__init__()
        self.text = clip.Text(text_config(len(sentences.tokens.numbers), sentences.end))
        self.unet = UNet(UNET)
        for name, weight in self.text.named_parameters():
            if "embedding" in name:
                nn.init.normal_(weight, std=0.02 if "token" in name else 0.01)
        nn.init.zeros_(self.unet.conv_out.weight), nn.init.zeros_(self.unet.conv_out.bias)

    def forward(self, x, time, ids):
        return self.unet(x, time, self.text(ids))


def make_vae():
    return PictureVae(VAE)


def make_tiny():
    return Tiny(TINY)


# ---- files -------------------------------------------------------------------------------------------------------------
def write_json(path, value):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        json.dump(value, file, indent=2, sort_keys=True, ensure_ascii=False)
        file.write("\n")


def write_safetensors(path, tensors):
    """float16, by name; a length, a header in JSON, then the numbers."""
    os.makedirs(os.path.dirname(path), exist_ok=True)
    header, data, at = {"__metadata__": {"format": "pt"}}, [], 0
    for name, value in sorted(tensors.items()):
        raw = value.detach().cpu().to(torch.float16).contiguous().numpy().tobytes()
        header[name] = {"dtype": "F16", "shape": list(value.shape), "data_offsets": [at, at + len(raw)]}
        data.append(raw)
        at += len(raw)
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    with open(path, "wb") as file:
        file.write(len(text).to_bytes(8, "little") + text)
        for raw in data:
            file.write(raw)


def read_safetensors(path):
    with open(path, "rb") as file:
        raw = file.read()
    length = int.from_bytes(raw[:8], "little")
    header = json.loads(raw[8:8 + length])
    kinds = {"F16": torch.float16, "F32": torch.float32, "BF16": torch.bfloat16}
    read = {}
    for name, entry in header.items():
        if name != "__metadata__":
            a, b = (8 + length + o for o in entry["data_offsets"])
            read[name] = torch.frombuffer(bytearray(raw[a:b]), dtype=kinds[entry["dtype"]]).reshape(entry["shape"]).float()
    return read


def write_tokenizer(folder, sentences):
    tokens, ends = sentences.tokens, (words.START, words.END)
    write_json(f"{folder}/vocab.json", tokens.numbers)
    with open(f"{folder}/merges.txt", "w", encoding="utf-8") as file:
        file.write("#version: 0.2\n" + "".join(" ".join(pair) + "\n" for pair in sorted(tokens.ranks, key=tokens.ranks.get)))
    special = {"bos_token": ends[0], "eos_token": ends[1], "pad_token": ends[1], "unk_token": ends[1]}
    write_json(f"{folder}/special_tokens_map.json", special)
    write_json(f"{folder}/tokenizer_config.json", dict(
        special, closed_vocabulary=words.vocabulary(), do_lower_case=True, model_max_length=words.POSITIONS, tokenizer_class="CLIPTokenizer"))


def use_tiny(folder, weights):
    """A directory's autoencoder becomes a tiny one."""
    if os.path.islink(f"{folder}/vae"):
        os.remove(f"{folder}/vae")
    with open(f"{folder}/model_index.json", encoding="utf-8") as file:
        index = json.load(file)
    write_json(f"{folder}/model_index.json", dict(index, vae=["diffusers", TINY["_class_name"]]))
    write_json(f"{folder}/vae/config.json", TINY)
    write_safetensors(f"{folder}/vae/diffusion_pytorch_model.safetensors", weights)


def write_directory(folder, sentences, text, unet, vae, defaults):
    """`defaults`: steps and guidance that the model was made for."""
    part = lambda kind, name: [kind, name]
    write_json(f"{folder}/model_index.json", {
        "_class_name": "StableDiffusionPipeline", "_diffusers_version": "0.25.0", "feature_extractor": [None, None], "safety_checker": [None, None],
        "requires_safety_checker": False, "scheduler": part("diffusers", "DDIMScheduler"), "text_encoder": part("transformers", "CLIPTextModel"),
        "tokenizer": part("transformers", "CLIPTokenizer"), "unet": part("diffusers", "UNet2DConditionModel"),
        "vae": part("diffusers", "AutoencoderKL")})
    write_json(f"{folder}/scheduler/scheduler_config.json", dict(SCHEDULER, **defaults))
    write_json(f"{folder}/text_encoder/config.json", text_config(len(sentences.tokens.numbers), sentences.end))
    write_json(f"{folder}/unet/config.json", UNET)
    write_json(f"{folder}/vae/config.json", VAE)
    write_safetensors(f"{folder}/text_encoder/model.safetensors", text)
    write_safetensors(f"{folder}/unet/diffusion_pytorch_model.safetensors", unet)
    write_safetensors(f"{folder}/vae/diffusion_pytorch_model.safetensors", vae)
    write_tokenizer(f"{folder}/tokenizer", sentences)
