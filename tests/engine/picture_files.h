// Stable Diffusion directories for tests: small, with hashed weights under stock names, as the reference drew
// with them (tests/engine/reference/pictures.py, golden/picture_*.safetensors).
//
// A golden file holds the configuration of every component and the request; WritePictureModel writes the
// directory that belongs to it, GoldenRequest says what was asked. Engine code draws the same picture or is
// wrong.
#ifndef RINGWAY_TESTS_ENGINE_PICTURE_FILES_H_
#define RINGWAY_TESTS_ENGINE_PICTURE_FILES_H_

#include "engine/networks/autoencoder.h"
#include "engine/picture_engine.h"
#include "tests/engine/checkpoint_files.h"
#include "tests/engine/golden.h"

namespace ringway::engine {

// Of the class that the configuration says.
Autoencoder AutoencoderOf(Config config);
// `name`: picture_sd1, picture_sd2, picture_from_picture, picture_lcm, picture_sdxl, picture_small (the
// layout of the bundled model), picture_tiny_from_picture (with a tiny autoencoder). Returns the hash of all
// names and shapes (HashWeights::ListHash); of XL those of UNet and autoencoder.
std::uint64_t WritePictureModel(const ScratchFolder& folder, const std::string& name);
// A control network for the UNet of such a directory, in a directory of its own; `seed` tells one from
// another.
void WriteControlNet(const ScratchFolder& folder, const std::string& name, const std::string& seed);
// The same for the UNet of picture_sdxl.
void WriteXlControlNet(const ScratchFolder& folder, const std::string& name, const std::string& seed);
// The same for the UNet of picture_small.
void WriteSmallControlNet(const ScratchFolder& folder, const std::string& name, const std::string& seed);
// A motion adapter for the UNet of such a directory, of twelve positions, in a directory of its own.
void WriteMotionAdapter(const ScratchFolder& folder, const std::string& name, const std::string& seed = "");
// A tiny autoencoder (TAESD) for four latent channels, to show previews with.
void WriteTinyAutoencoder(const ScratchFolder& folder, const std::string& name);
// Its UNet becomes one for inpainting, with nine channels.
void MakeInpainting(const ScratchFolder& folder);
// With the picture to start from, where the reference started from one.
PictureRequest GoldenRequest(const Golden& golden);

}  // namespace ringway::engine

#endif  // RINGWAY_TESTS_ENGINE_PICTURE_FILES_H_
