// What `ringway engine inspect CHECKPOINT` prints: the parts of a model, their sizes, types and shapes.
//
// Takes a diffusers directory, one component of it, a single .safetensors file or an index of shards. Reads
// headers and configurations only, never the numbers, so it answers at once for a model of any size. The text
// is deterministic: components in the order of the index, tensors sorted by name.
#ifndef RINGWAY_ENGINE_CHECKPOINT_INSPECT_H_
#define RINGWAY_ENGINE_CHECKPOINT_INSPECT_H_

#include <filesystem>
#include <string>

#include "absl/status/statusor.h"

namespace ringway::engine {

struct InspectOptions {
  bool list_tensors = false;  // every tensor with dtype and shape, not only the sums
};

absl::StatusOr<std::string> InspectCheckpoint(const std::filesystem::path& path,
                                              const InspectOptions& options = {});

}  // namespace ringway::engine

#endif  // RINGWAY_ENGINE_CHECKPOINT_INSPECT_H_
