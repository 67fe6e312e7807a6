// A whole model in one safetensors file, as the authors of Stable Diffusion 1.x and most who train on it
// publish it.
//
// The file holds the weights alone. What it does not say (sizes, scheduler, the tokenizer's words) comes from
// a directory in diffusers' layout of the model that it was made of, whose own weights are not read and need
// not be there. Each part of that directory is then found in the file under its original names
// (networks/original_names.h); shapes are checked against the configuration like those of any component.
// GGUF files of stable-diffusion.cpp have the same names, or those of the UNet without their prefix; what
// such a file does not hold is read from the directory.
#ifndef RINGWAY_ENGINE_PIPELINES_SINGLE_FILE_H_
#define RINGWAY_ENGINE_PIPELINES_SINGLE_FILE_H_

#include <filesystem>

#include "engine/checkpoint/model_directory.h"
#include "engine/checkpoint/weights.h"

namespace ringway::engine {

// The weights of the component: unet, vae or text_encoder. NotFound where the file has none of its names.
absl::StatusOr<Weights> OpenFromSingleFile(const std::filesystem::path& file, const Component& component);

}  // namespace ringway::engine

#endif  // RINGWAY_ENGINE_PIPELINES_SINGLE_FILE_H_
