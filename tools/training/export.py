"""Writes a model as a diffusers directory, and reads one back.

    python3 export.py OUT [--checkpoint RUN/latest.pt] [--fresh-noise --steady-affine] [--first-mean-y 1.3] ... [--seed 0]
    python3 export.py OUT --scheduler-only ...     # how a model that lies there is sampled

Without a checkpoint the weights are random (nothing at zero, so that every tensor matters): for trying the engine.
"""
import argparse
import dataclasses
import json
import os

import torch

import safetensors
import settings as S
import vocabulary
from diffusion import Sampler
from model import MotionModel

FILES = {"unet": "diffusion_pytorch_model.safetensors", "text_encoder": "model.safetensors",
         "conditioner": "diffusion_pytorch_model.safetensors"}


def unet_config(s):
    kinds = lambda way, on: f"CrossAttn{way}BlockSpatioTemporal" if on else f"{way}BlockSpatioTemporal"
    return {
        "_class_name": "UNetSpatioTemporalConditionModel", "sample_size": S.PACKED_GRID, "num_frames": S.PACKED_FRAMES,
        "in_channels": S.PACKED_CHANNELS + s.planes, "out_channels": S.PACKED_CHANNELS,
        "down_block_types": [kinds("Down", on) for on in s.attends],
        "up_block_types": [kinds("Up", on) for on in reversed(s.attends)],
        "block_out_channels": list(s.channels), "layers_per_block": 1, "cross_attention_dim": s.text_channels,
        "num_attention_heads": list(s.heads), "transformer_layers_per_block": 1,
        "addition_time_embed_dim": s.added_channels, "projection_class_embeddings_input_dim": 3 * s.added_channels,
    }


def text_config(s):
    return {
        "architectures": ["CLIPTextModel"], "model_type": "clip_text_model", "hidden_size": s.text_channels,
        "intermediate_size": s.text_hidden, "num_hidden_layers": s.text_layers, "num_attention_heads": s.text_heads,
        "hidden_act": "gelu", "vocab_size": vocabulary.SIZE, "max_position_embeddings": S.TOKENS,
        "layer_norm_eps": 1e-5, "pad_token_id": vocabulary.PAD,
    }


def conditioner_config(s):
    return {"_class_name": "MotionConditioner", "picture_size": S.PICTURE, "in_channels": 8, "out_size": S.PACKED_GRID,
            "block_out_channels": list(s.picture_channels), "text_channels": s.text_channels, "out_channels": s.planes}


def field_config():
    return {"_class_name": "MotionField", "grid": S.GRID, "frames": S.FRAMES, "components": 2, "patch": S.PATCH,
            "scale_per_frame": [round(v, 6) for v in S.FIELD_SCALE]}


ALGORITHMS = {False: "dpmsolver++", True: "sde-dpmsolver++"}
STEADY = {False: "none", True: "affine"}


def scheduler_config(how):
    return {"_class_name": "DPMSolverMultistepScheduler", "prediction_type": "sample",
            "algorithm_type": ALGORITHMS[how.fresh_noise], "solver_order": 2, "use_lu_lambdas": True,
            "log_snr_first": S.LOG_SNR[0], "log_snr_last": S.LOG_SNR[1], "time_first": 1000.0, "time_last": 0.0,
            "deterministic_part": STEADY[how.steady_affine], "first_noise_mean": [how.first_mean_x, how.first_mean_y],
            "wave_noise_lean": how.lean,
            "num_inference_steps": how.steps, "image_guidance_scale": how.image, "guidance_scale": how.text}


def write_scheduler(how, out):
    write_json(scheduler_config(how), out, "scheduler", "scheduler_config.json")


def load_sampler(path):
    """How the model that `export` wrote wants to be sampled; what its scheduler does not say is as the engine takes it."""
    with open(os.path.join(path, "scheduler", "scheduler_config.json")) as f:
        said = json.load(f)
    own = Sampler()
    mean_x, mean_y = said.get("first_noise_mean", (own.first_mean_x, own.first_mean_y))
    return Sampler(steps=said.get("num_inference_steps", own.steps), image=said.get("image_guidance_scale", own.image),
                   text=said.get("guidance_scale", own.text), fresh_noise=said.get("algorithm_type") == ALGORITHMS[True],
                   steady_affine=said.get("deterministic_part") == STEADY[True], first_mean_x=mean_x, first_mean_y=mean_y,
                   lean=said.get("wave_noise_lean", own.lean))


INDEX = {"_class_name": "MotionFieldPipeline", "unet": ["diffusers", "UNetSpatioTemporalConditionModel"],
         "text_encoder": ["transformers", "CLIPTextModel"], "conditioner": ["ringway", "MotionConditioner"],
         "tokenizer": ["ringway", "WordTokenizer"], "field": ["ringway", "MotionField"],
         "scheduler": ["diffusers", "DPMSolverMultistepScheduler"]}


def write_json(values, *path):
    os.makedirs(os.path.dirname(os.path.join(*path)), exist_ok=True)
    with open(os.path.join(*path), "w") as f:
        f.write(json.dumps(values, indent=2) + "\n")


def export(model, out, how=Sampler()):
    s = model.settings
    write_json(INDEX, out, "model_index.json")
    write_json(unet_config(s), out, "unet", "config.json")
    write_json(text_config(s), out, "text_encoder", "config.json")
    write_json(conditioner_config(s), out, "conditioner", "config.json")
    write_json(field_config(), out, "field", "config.json")
    write_scheduler(how, out)
    write_json({"_class_name": "WordTokenizer", "tokens": S.TOKENS, "pad": "<pad>", "unknown": "<unk>"},
               out, "tokenizer", "config.json")
    write_json(vocabulary.NUMBERS, out, "tokenizer", "vocab.json")
    write_json(s.as_json(), out, "training_settings.json")
    for name, file in FILES.items():
        tensors = {k: v.bfloat16() for k, v in getattr(model, name).state_dict().items()}
        safetensors.save(tensors, os.path.join(out, name, file))


def load_directory(path):
    """The model that `export` wrote, its weights rounded to bf16, in float32."""
    with open(os.path.join(path, "training_settings.json")) as f:
        model = MotionModel(S.NetworkSettings.from_json(json.load(f)))
    for name, file in FILES.items():
        getattr(model, name).load_state_dict(safetensors.load(os.path.join(path, name, file)))
    return model.eval()


def weights_of(model):
    """Of a checkpoint, or of an exported directory of the size that is trained here."""
    return load_directory(model).state_dict() if os.path.isdir(model) else torch.load(model, map_location="cpu")["ema"]


def add_sampler_options(parser):
    for field in dataclasses.fields(Sampler):
        kind = dict(action=argparse.BooleanOptionalAction) if field.type is bool else dict(type=field.type)
        parser.add_argument("--" + field.name.replace("_", "-"), **kind)


def with_options(how, options):
    """As far as the options of add_sampler_options say otherwise."""
    said = {f.name: getattr(options, f.name) for f in dataclasses.fields(Sampler)}
    return dataclasses.replace(how, **{name: value for name, value in said.items() if value is not None})


def random_model(seed):
    torch.manual_seed(seed)
    model = MotionModel()
    for p in model.parameters():
        if p.dim() > 1:
            torch.nn.init.normal_(p, std=p[0].numel() ** -0.5)
        else:  # biases, norms, and the mixing factors, which would hide a swapped mix at zero
            p.data.add_(torch.randn_like(p), alpha=0.3)
    return model


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("out")
    parser.add_argument("--checkpoint")
    parser.add_argument("--halfway", metavar="MODEL", help="the mean of the checkpoint's weights and of this checkpoint's or directory's: a student "
                        "halfway to its teacher answers as if it were guided half as much")
    parser.add_argument("--scheduler-only", action="store_true", help="the weights there stay as they are")
    add_sampler_options(parser)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    if options.halfway and not options.checkpoint:
        parser.error("--halfway wants --checkpoint, the model to go halfway from")
    if options.scheduler_only:
        return write_scheduler(with_options(load_sampler(options.out), options), options.out)
    how = with_options(Sampler(), options)
    if options.checkpoint:
        saved = torch.load(options.checkpoint, map_location="cpu")
        model = MotionModel(S.NetworkSettings.from_json(saved["settings"]))
        other = weights_of(options.halfway) if options.halfway else saved["ema"]
        model.load_state_dict({name: (weight.float() + other[name].float()) / 2 for name, weight in saved["ema"].items()})
    else:
        model = random_model(options.seed)
    export(model, options.out, how)
    print(f"{sum(p.numel() for p in model.parameters()) / 1e6:.2f} M parameters in {options.out}")


if __name__ == "__main__":
    main()
