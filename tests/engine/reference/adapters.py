"""A UNet with adapters, by what their papers and the dialects of their keys define: the weights are changed, then the network runs.

LoRA (arXiv:2106.09685): W + alpha / rank * up @ down; of kernels, down is a kernel of `rank` outputs and up is 1 x 1 (LoCon), with
another kernel between them where there is lora_mid. DoRA (arXiv:2402.09353): V = W + that, times learnt lengths over V's own,
for each row, or for each input where the lengths lie along the second axis. An adapter of strength s adds s times what it
changes of the model's own W. The list of tensors is in the case's configuration: name -> [shape, scale, offset], each number
scale * hash + offset.
"""
import torch
from hash_weights import fill, tensor
from unets import SdUNet

RANK = 4
DOWN = "down_blocks.0.attentions.0.transformer_blocks.0."
MIDDLE = "mid_block.attentions.0."
UP = "up_blocks.1.attentions.0.transformer_blocks.0."


def kohya(layer):
    return "lora_unet_" + layer.replace(".", "_")


def two(layer, names, out, down, alpha=None, mid=None, up_tail=()):
    """The tensors of one layer: `down` is the shape behind the rank."""
    scale = 0.6
    listed = {names[0]: [[RANK, *down], scale, 0.0], names[1]: [[out, RANK, *up_tail], scale, 0.0]}
    if alpha is not None:
        listed[layer + ".alpha"] = [[], 0.0, alpha]
    if mid:
        listed[layer + ".lora_mid.weight"] = [[RANK, RANK, *mid], 0.3, 0.0]
    return listed


def of_kohya(layer, out, down, **more):
    name = kohya(layer)
    return two(name, (name + ".lora_down.weight", name + ".lora_up.weight"), out, down, **more)


def of_diffusers(layer, out, down, **more):
    name = "unet." + layer
    return two(name, (name + ".lora_A.weight", name + ".lora_B.weight"), out, down, **more)


FILES = [
    dict(strength=0.8, tensors={
        **of_kohya(DOWN + "attn1.to_q", 32, [32], alpha=2.0),
        **of_kohya(DOWN + "attn2.to_k", 32, [40]),
        **of_kohya(DOWN + "ff.net.0.proj", 256, [32], alpha=4.0),
        **of_kohya(MIDDLE + "proj_in", 64, [64, 1, 1], alpha=2.0, up_tail=(1, 1)),
        **of_kohya(MIDDLE + "transformer_blocks.0.attn1.to_out.0", 64, [64], alpha=1.0)}),
    dict(strength=-0.5, tensors={
        **of_kohya("down_blocks.1.resnets.0.conv1", 64, [32, 3, 3], alpha=3.0, up_tail=(1, 1)),
        **of_kohya("up_blocks.1.resnets.0.conv2", 64, [64, 1, 1], alpha=3.0, up_tail=(1, 1), mid=(3, 3))}),
    dict(strength=0.7, tensors={
        **of_diffusers(DOWN + "attn1.to_q", 32, [32]),
        "unet." + DOWN + "attn1.to_q.lora_magnitude_vector": [[32], 0.3, 1.0],
        **of_diffusers(UP + "attn1.to_v", 64, [64], alpha=8.0)}),
    dict(strength=1.0, tensors={
        **of_kohya(MIDDLE + "transformer_blocks.0.attn2.to_k", 64, [40], alpha=4.0),
        kohya(MIDDLE + "transformer_blocks.0.attn2.to_k") + ".dora_scale": [[1, 40], 0.3, 1.0],
        **of_kohya("down_blocks.2.resnets.0.conv1", 64, [64, 3, 3], alpha=4.0, up_tail=(1, 1)),
        kohya("down_blocks.2.resnets.0.conv1") + ".dora_scale": [[1, 64, 1, 1], 0.3, 1.0],
        **of_kohya("down_blocks.2.resnets.0.conv2", 64, [64, 3, 3], alpha=4.0, up_tail=(1, 1)),
        kohya("down_blocks.2.resnets.0.conv2") + ".dora_scale": [[64, 1, 1, 1], 0.3, 1.0]})]


def changed(weight, name, values):
    """What the adapter's tensors make of a weight."""
    get = lambda *endings: next((values[name + e] for e in endings if name + e in values), None)
    down, up = get(".lora_down.weight", ".lora_A.weight"), get(".lora_up.weight", ".lora_B.weight")
    alpha, mid, lengths = get(".alpha"), get(".lora_mid.weight"), get(".dora_scale", ".lora_magnitude_vector")
    scale = 1.0 if alpha is None else float(alpha) / RANK
    if mid is not None:
        product = torch.einsum("oa,abhw,bi->oihw", up.flatten(1), mid, down.flatten(1))
    else:
        product = (up.flatten(1) @ down.flatten(1)).reshape(weight.shape)
    made = weight + scale * product
    if lengths is None:
        return made
    by_input = lengths.dim() > 1 and lengths.shape[0] == 1
    axes = [a for a in range(made.dim()) if a != (1 if by_input else 0)]
    shape = [1] * made.dim()
    shape[1 if by_input else 0] = -1
    return made * (lengths.reshape(shape) / made.pow(2).sum(axes, keepdim=True).sqrt())


def adapted_unet(config, inputs):
    net = SdUNet(config)
    names = fill(net)
    parameters = dict(net.named_parameters())
    added = {}
    for file in FILES:
        values = {name: tensor(name, shape, scale) + offset for name, (shape, scale, offset) in file["tensors"].items()}
        for name, weight in parameters.items():
            layer = name[:-len(".weight")]
            for key in (kohya(layer), "unet." + layer):
                if any(v.startswith(key + ".") for v in values) and name.endswith(".weight"):
                    added[name] = added.get(name, 0) + file["strength"] * (changed(weight, key, values) - weight)
    assert len(added) == 11, sorted(added)
    for name, change in added.items():
        parameters[name] += change
    return dict(unet=config, adapters=FILES), names, net(*inputs)
