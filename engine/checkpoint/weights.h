// The weights of one network, whatever number of files they lie in, looked up by name.
//
// A component of a model holds either one file (safetensors, or GGUF by its first bytes) or shards with an
// index ("weight_map": name -> file). A network is written by expecting its tensors by their stock names in
// the shapes it needs; what it did not ask for is listed by Untaken(), so that a checkpoint of another family
// is refused instead of half used. Numbers are read later and row by row, straight from the mapped file, by
// any number of threads. Names and shapes come from the files and are already checked to lie inside them
// (safetensors.h). Shards are at most 512 files and must be plain names beside the index: a path in a
// weight_map is refused. One owner.
#ifndef RINGWAY_ENGINE_CHECKPOINT_WEIGHTS_H_
#define RINGWAY_ENGINE_CHECKPOINT_WEIGHTS_H_

#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "engine/checkpoint/mapped_file.h"
#include "engine/checkpoint/safetensors.h"

namespace ringway::engine {

class Weights {
 public:
  // A .safetensors or .gguf file, or a .safetensors.index.json of shards.
  static absl::StatusOr<Weights> Open(const std::filesystem::path& path);
  // Finds the weights in a component's directory: diffusion_pytorch_model or model, whole, fp16 or sharded.
  static absl::StatusOr<Weights> OpenComponent(const std::filesystem::path& directory);

  // The same files, with the tensors alone that `rename` has a name for, under that name; InvalidArgument
  // where two get one.
  using Rename = std::function<std::optional<std::string>(std::string_view)>;
  absl::StatusOr<Weights> Selected(const Rename& rename) const;

  // The tensors of both, as if they lay in one checkpoint; InvalidArgument where both have one of a name.
  absl::StatusOr<Weights> Joined(const Weights& other) const;

  bool Has(std::string_view name) const { return tensors_.find(name) != tensors_.end(); }
  // Dimensions as stored; null when there is no such tensor.
  const StoredTensor* Find(std::string_view name) const;
  // Counts the tensor as taken. A kernel of one tap may be asked for as a matrix. NotFound, or
  // InvalidArgument when `expected` differs from what the file holds or what it holds are not numbers that
  // weights may be.
  absl::Status Expect(std::string_view name, const std::vector<std::int64_t>& expected);
  // Rows of the first axis as f32 in stored order, as many as fill `out`.
  absl::Status ReadRows(std::string_view name, std::int64_t first, std::int64_t row_elements,
                        std::span<float> out) const;
  // Gives the memory back that the file's pages of this tensor take in this process.
  void Release(std::string_view name) const;

  // What tells these files from others without reading all of them: of each its size, the time of its last
  // change, and a sum of its header and of kSamples pages between its first and its last.
  std::string Identity() const;

  // Names nobody took, sorted.
  std::vector<std::string> Untaken() const;
  std::vector<const StoredTensor*> All() const;
  // The files, for people.
  const std::string& description() const { return description_; }

 private:
  static constexpr std::size_t kSamples = 64, kSampleBytes = 4096;
  struct Slot {
    std::size_t file = 0;
    StoredTensor stored;
    bool taken = false;
  };
  absl::Status AddFile(const std::filesystem::path& path);
  static absl::StatusOr<Weights> OpenShards(const std::filesystem::path& index);

  std::string description_;
  std::vector<MappedFile> files_;
  std::vector<std::size_t> header_bytes_;  // of each file
  std::map<std::string, Slot, std::less<>> tensors_;
};

}  // namespace ringway::engine

#endif  // RINGWAY_ENGINE_CHECKPOINT_WEIGHTS_H_
