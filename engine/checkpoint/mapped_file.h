// A file mapped read-only into memory: how weights of gigabytes are read without copying them first.
//
// Only regular files are mapped (a FIFO or a device under a model's directory would block or never end). The
// size is taken from the open descriptor. What no mapping can protect from is a file that another process
// truncates while it is mapped: reading past the new end raises SIGBUS. Model directories are therefore to be
// replaced by renaming, never rewritten in place; docs/engine.md says so. Move-only; unmapped by the last
// owner.
#ifndef RINGWAY_ENGINE_CHECKPOINT_MAPPED_FILE_H_
#define RINGWAY_ENGINE_CHECKPOINT_MAPPED_FILE_H_

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>

#include "absl/status/statusor.h"

namespace ringway::engine {

class MappedFile {
 public:
  static absl::StatusOr<MappedFile> Open(const std::filesystem::path& path);

  std::span<const std::byte> bytes() const { return {begin_.get(), size_}; }
  // Gives back the pages of this range that this process holds; they are read again when they are needed.
  void Forget(std::size_t begin, std::size_t end) const;
  const std::string& path() const { return path_; }
  // When the file was changed last, as the system says, at the time of mapping.
  std::int64_t modified_ns() const { return modified_ns_; }

 private:
  MappedFile() = default;
  std::shared_ptr<const std::byte> begin_;
  std::size_t size_ = 0;
  std::int64_t modified_ns_ = 0;
  std::string path_;
};

// The whole of a small text file (configuration, vocabulary); refused above `bytes_max`.
absl::StatusOr<std::string> ReadSmallFile(const std::filesystem::path& path, std::size_t bytes_max);

}  // namespace ringway::engine

#endif  // RINGWAY_ENGINE_CHECKPOINT_MAPPED_FILE_H_
