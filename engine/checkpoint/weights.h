// The weights of one network, whatever number of files they lie in, looked up by name.
//
// A component of a model holds either one safetensors file or shards with an index ("weight_map": name ->
// file). A network is built by taking its tensors by their stock names with the shape it expects; what it did
// not take is listed by Untaken(), so that a checkpoint of another family is refused instead of half used.
// Names and shapes come from the files and are already checked to lie inside them (safetensors.h). Shards are
// at most 512 files and must be plain names beside the index: a path in a weight_map is refused. One owner.
#ifndef RINGWAY_ENGINE_CHECKPOINT_WEIGHTS_H_
#define RINGWAY_ENGINE_CHECKPOINT_WEIGHTS_H_

#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "engine/checkpoint/mapped_file.h"
#include "engine/checkpoint/safetensors.h"

namespace ringway::engine {

class Weights {
 public:
  // A .safetensors file, or a .safetensors.index.json of shards.
  static absl::StatusOr<Weights> Open(const std::filesystem::path& path);
  // Finds the weights in a component's directory: diffusion_pytorch_model or model, whole, fp16 or sharded.
  static absl::StatusOr<Weights> OpenComponent(const std::filesystem::path& directory);

  bool Has(std::string_view name) const { return tensors_.find(name) != tensors_.end(); }
  // Dimensions as stored; null when there is no such tensor.
  const StoredTensor* Find(std::string_view name) const;
  // The tensor as f32 in its stored order, counted as taken. NotFound, or InvalidArgument when `expected`
  // differs from what the file holds.
  absl::StatusOr<std::vector<float>> Take(std::string_view name, const std::vector<std::int64_t>& expected);

  // Names nobody took, sorted.
  std::vector<std::string> Untaken() const;
  std::vector<const StoredTensor*> All() const;
  // The files, for people.
  const std::string& description() const { return description_; }

 private:
  struct Slot {
    std::size_t file = 0;
    StoredTensor stored;
    bool taken = false;
  };
  absl::Status AddFile(const std::filesystem::path& path);
  static absl::StatusOr<Weights> OpenShards(const std::filesystem::path& index);

  std::string description_;
  std::vector<MappedFile> files_;
  std::map<std::string, Slot, std::less<>> tensors_;
};

}  // namespace ringway::engine

#endif  // RINGWAY_ENGINE_CHECKPOINT_WEIGHTS_H_
