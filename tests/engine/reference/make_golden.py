"""Writes what the reference networks give for hashed weights and inputs; --check compares with what is committed.

Each case becomes golden/<case>.safetensors: "y", every n-th number of the output with channels last, and in its metadata
the configuration, n, and a hash of the sorted names and shapes of all weights. tests/engine/parity_test.cc holds the engine
to these files, so that parity is tested where there is no torch; this script holds the files to torch where there is.
"""
import json
import os
import struct
import sys

import numpy as np
import torch
from adapters import adapted_unet
from control import ControlledUNet
from clip import ProjectedText, Text, Vision
from hash_weights import HALF, fill, fnv1a, tensor
from motion_modules import MotionUNet
from motion_field import packed_field
from pictures import PICTURES, TINY
from tiny import Tiny
from spatio_temporal import SpatioTemporalResnet, SpatioTemporalTransformer
from unets import SdUNet, SvdUNet
from vae import PictureVae, Vae

GOLDEN = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "golden")
KEPT = 2048

SVD = dict(block_out_channels=[32, 64], layers_per_block=1, in_channels=8, out_channels=4, num_attention_heads=[2, 4],
           cross_attention_dim=48, transformer_layers_per_block=1, addition_time_embed_dim=16,
           projection_class_embeddings_input_dim=48,
           down_block_types=["CrossAttnDownBlockSpatioTemporal", "DownBlockSpatioTemporal"],
           up_block_types=["UpBlockSpatioTemporal", "CrossAttnUpBlockSpatioTemporal"])
SD = dict(block_out_channels=[32, 64, 64], layers_per_block=2, in_channels=4, out_channels=4, attention_head_dim=4,
          cross_attention_dim=40, down_block_types=["CrossAttnDownBlock2D", "CrossAttnDownBlock2D", "DownBlock2D"],
          up_block_types=["UpBlock2D", "CrossAttnUpBlock2D", "CrossAttnUpBlock2D"])
# As 2.x has it: heads by level, linear projections; and with the input that latent consistency models were given.
SD2 = dict(SD, attention_head_dim=[2, 4, 4], use_linear_projection=True, time_cond_proj_dim=24)
# As XL has it: no attention in the first block, ten layers in the last, a summary of the prompt and six sizes.
SDXL = dict(block_out_channels=[32, 64, 64], layers_per_block=1, in_channels=4, out_channels=4, attention_head_dim=[2, 4, 4],
            cross_attention_dim=88, use_linear_projection=True, transformer_layers_per_block=[1, 2, 10],
            addition_embed_type="text_time", addition_time_embed_dim=16, projection_class_embeddings_input_dim=120,
            down_block_types=["DownBlock2D", "CrossAttnDownBlock2D", "CrossAttnDownBlock2D"],
            up_block_types=["CrossAttnUpBlock2D", "CrossAttnUpBlock2D", "UpBlock2D"])
VAE = dict(block_out_channels=[32, 64], layers_per_block=2, in_channels=3, latent_channels=4)
CLIP = dict(hidden_size=48, intermediate_size=96, num_hidden_layers=2, num_attention_heads=3, vocab_size=100,
            max_position_embeddings=77, image_size=28, patch_size=7, projection_dim=40)


def channels_last(x):
    return x.permute(0, 2, 3, 1) if x.dim() == 4 else x


def picture_input(name, n, h, w, c):
    """Hashed with channels last, given with channels first."""
    return tensor(name, [n, h, w, c]).permute(0, 3, 1, 2).contiguous()


def svd_unet(config, frames, clips, h, w, tokens):
    net = SvdUNet(config)
    names = fill(net)
    y = net(picture_input("sample", clips * frames, h, w, 8), torch.tensor([0.7]), tensor("added", [clips, 3], 50.0),
            tensor("context", [clips, tokens, config["cross_attention_dim"]]), frames)
    return config, names, y


def sd_unet():
    net = SdUNet(SD)
    names = fill(net)
    y = net(picture_input("sample", 2, 16, 24, 4), torch.tensor([501.0]), tensor("context", [2, 77, 40]))
    return SD, names, y


def sd2_unet_odd():
    """Seven by five latents: every halving rounds up."""
    net = SdUNet(SD2)
    names = fill(net)
    y = net(picture_input("sample", 2, 7, 5, 4), torch.tensor([37.5]), tensor("context", [2, 9, 40]),
            tensor("guidance", [1, 24]))
    return SD2, names, y


def sdxl_unet():
    """In double precision: with random weights ten layers on each other are so steep that f32 itself is 8e-6 away."""
    net = SdUNet(SDXL)
    names = fill(net)
    sizes = torch.tensor([[1024.0, 768.0, 0.0, 16.0, 512.0, 640.0]] * 2).double()
    net = net if HALF[0] else net.double()
    y = net(picture_input("sample", 2, 8, 12, 4).double(), torch.tensor([801.0]).double(), tensor("context", [2, 77, 88]).double(),
            summary=tensor("summary", [2, 24]).double(), sizes=sizes)
    return SDXL, names, y


def clip_summary():
    """Of one text; the end is where the highest number stands."""
    config = dict(CLIP, hidden_act="gelu", num_hidden_layers=3)
    net = ProjectedText(config)
    names = fill(net)
    ids = ((tensor("ids", [1, 77]) + 1.0) * 50.0).floor().long()
    return config, names, torch.cat([net.text_model.states(ids)[2].flatten(), net.summary(ids).flatten()])[None]


CONTROL = dict({key: SD[key] for key in SD if key not in ("out_channels", "up_block_types")},
               conditioning_embedding_out_channels=[16, 32, 96, 256])


def controlled_unet():
    """Two pictures with strengths of their own; the picture is the same for both halves of guidance."""
    net = ControlledUNet(SD, CONTROL)
    names = fill(net)
    pictures = [(picture_input(f"picture{i}", 1, 64, 96, 3) + 1) / 2 for i in range(2)]
    y = net(picture_input("sample", 2, 8, 12, 4), torch.tensor([501.0]), tensor("context", [2, 77, 40]), pictures,
            [0.8, -0.5])
    return dict(unet=SD, control=CONTROL), names, y


CONTROL_XL = dict({key: SDXL[key] for key in SDXL if key not in ("out_channels", "up_block_types")},
                  conditioning_embedding_out_channels=[16, 32, 96, 256])


def controlled_xl_unet():
    """In double precision, as sdxl_unet; the control network is told the summary and the sizes too."""
    net = ControlledUNet(SDXL, CONTROL_XL)
    names = fill(net)
    net = net if HALF[0] else net.double()
    pictures = [((picture_input(f"picture{i}", 1, 64, 96, 3) + 1) / 2).double() for i in range(2)]
    sizes = torch.tensor([[1024.0, 768.0, 0.0, 16.0, 512.0, 640.0]] * 2).double()
    y = net(picture_input("sample", 2, 8, 12, 4).double(), torch.tensor([801.0]).double(),
            tensor("context", [2, 77, 88]).double(), pictures, [0.8, -0.5], summary=tensor("summary", [2, 24]).double(), sizes=sizes)
    return dict(unet=SDXL, control=CONTROL_XL), names, y


# Modules in the middle too, of more than one block at one level, and fewer groups than the UNet has.
MOTION = dict(block_out_channels=[32, 64, 64], motion_layers_per_block=2, motion_num_attention_heads=4,
              motion_norm_num_groups=16, motion_max_seq_length=8, use_motion_mid_block=True,
              motion_transformer_layers_per_block=[1, 2, 1], motion_transformer_layers_per_mid_block=1)


def motion_unet():
    """Two clips of five frames; adapters have room for eight."""
    net = MotionUNet(SD, MOTION)
    names = fill(net)
    y = net(picture_input("sample", 10, 8, 12, 4), torch.tensor([501.0]), tensor("context", [2, 77, 40]), 5)
    return dict(unet=SD, motion=MOTION), names, y


def tiny(half, run):
    net = Tiny(TINY)
    names = [name for name in fill(net) if name.startswith(half)]
    return TINY, names, run(net)


def picture_vae():
    """There and back: what the encoder made of a picture, its mean, drawn again."""
    net = PictureVae(VAE)
    names = fill(net)
    return VAE, names, net.decode(net.encode(picture_input("picture", 2, 24, 16, 3))[:, :4])


def vae(decode):
    net = Vae(VAE)
    names = fill(net)
    if decode:
        return VAE, names, net.decoder(picture_input("latent", 6, 6, 8, 4), 3)
    return VAE, names, net.quant_conv(net.encoder(picture_input("picture", 2, 24, 16, 3)))


def clip_text():
    config = dict(CLIP, hidden_act="quick_gelu")
    net = Text(config)
    names = fill(net)
    ids = ((tensor("ids", [2, 77]) + 1.0) * 50.0).floor().long()
    return config, names, net(ids)


def clip_vision():
    config = dict(CLIP, hidden_act="gelu")
    net = Vision(config)
    names = fill(net)
    return config, names, net(picture_input("picture", 1, 28, 28, 3))


def resnet_wide():
    net = SpatioTemporalResnet(640, 1280, 1280, 1e-6)
    names = fill(net)
    time = tensor("time", [1, 1280]).expand(4, -1)
    return {}, names, net(picture_input("x", 4, 8, 8, 640), 4, time)


def transformer_wide():
    net = SpatioTemporalTransformer(1280, 20, 1024, 1)
    names = fill(net)
    context = tensor("context", [1, 5, 1024]).expand(4, -1, -1)
    return {}, names, net(picture_input("x", 4, 8, 8, 1280), 4, context)


CASES = {
    "svd_unet": lambda: svd_unet(SVD, 3, 1, 8, 12, 1),
    "svd_unet_text_two_clips": lambda: svd_unet(dict(SVD, transformer_layers_per_block=2), 5, 2, 8, 8, 7),
    "sd_unet": sd_unet,
    "sd_unet_adapters": lambda: adapted_unet(SD, (picture_input("sample", 1, 8, 12, 4), torch.tensor([501.0]),
                                                  tensor("context", [1, 77, 40]))),
    "sd2_unet_odd": sd2_unet_odd,
    "sdxl_unet": sdxl_unet,
    "controlled_unet": controlled_unet,
    "controlled_xl_unet": controlled_xl_unet,
    "motion_unet": motion_unet,
    "tiny_decoder": lambda: tiny("decoder", lambda net: net.decode(picture_input("latent", 1, 6, 8, 4) * 4)),
    "tiny_encoder": lambda: tiny("encoder", lambda net: net.encode(picture_input("picture", 1, 48, 64, 3))),
    "clip_summary": clip_summary,
    "picture_vae": picture_vae,
    "vae_encoder": lambda: vae(False),
    "vae_temporal_decoder": lambda: vae(True),
    "clip_text": clip_text,
    "clip_vision": clip_vision,
    "svd_resnet_full_width": resnet_wide,
    "svd_transformer_full_width": transformer_wide,
    "motion_field": packed_field,
    **PICTURES,
}


def flat(y):
    return channels_last(y).contiguous().flatten().float().numpy()


def half_distance(case, run, expected):
    """How far torch's own bf16 is from that, for networks; the engine's may be no farther."""
    if case in PICTURES or case == "motion_field":
        return None
    HALF[0] = True
    distance = np.linalg.norm(flat(run()[2]) - expected) / np.linalg.norm(expected)
    HALF[0] = False
    return distance


def write(path, y, metadata):
    header = {"__metadata__": metadata, "y": {"dtype": "F32", "shape": [len(y)], "data_offsets": [0, 4 * len(y)]}}
    text = json.dumps(header, sort_keys=True).encode()
    text += b" " * (-len(text) % 8)
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text + y.astype("<f4").tobytes())


def read(path):
    with open(path, "rb") as file:
        data = file.read()
    size = struct.unpack("<Q", data[:8])[0]
    return np.frombuffer(data[8 + size:], "<f4"), json.loads(data[8:8 + size])["__metadata__"]


def main():
    check, failed = "--check" in sys.argv, False
    chosen = [name for name in sys.argv[1:] if not name.startswith("--")]
    torch.set_num_threads(2)
    with torch.no_grad():
        for case, run in CASES.items():
            if chosen and case not in chosen:
                continue
            config, names, y = run()
            all_of_it = flat(y)
            every = max(1, len(all_of_it) // KEPT)
            metadata = {"config": json.dumps(config, sort_keys=True), "every": str(every), "total": str(len(all_of_it)),
                        "names": str(fnv1a("\n".join(names)))}
            path = os.path.join(GOLDEN, case + ".safetensors")
            if not check:
                half = half_distance(case, run, all_of_it)
                if half is not None:
                    metadata["torch_bf16"] = f"{half:.2e}"
                    print(f"{case}: torch's bf16 is {half:.2e} away")
                write(path, all_of_it[::every], metadata)
                continue
            kept, described = read(path)
            distance = np.linalg.norm(kept - all_of_it[::every]) / np.linalg.norm(kept)
            described.pop("torch_bf16", None)  # of the machine that wrote it
            good = described == metadata and distance < 1e-4
            print(f"{case}: relative distance {distance:.1e}{'' if good else '  DIFFERS'}")
            failed = failed or not good
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
