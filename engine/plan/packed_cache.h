// A directory of packed weights, which an operator sets up: what is opened a second time is not packed again.
//
// A file is found by its key, a hash of what decides its bytes: the model's files (their sizes, times and
// samples of what they hold: Weights::Identity), the derivations that a network wants (its structure and
// precision), the instruction set, and the engine's version. A file that is damaged, cut or foreign is not
// used; the log says why, and it is written anew. Writing is done by a thread of its own while the weights
// are already in use. Writers of one directory, also of other processes, take turns by a lock that dies with
// its process; whoever holds it removes what dead ones left, and the files that were used the longest ago
// until the new one fits into `bytes_max`. Who may write into the directory decides what is drawn: it must
// belong to the operator alone.
//
// Any thread. Destroying it waits for what is being written.
#ifndef RINGWAY_ENGINE_PLAN_PACKED_CACHE_H_
#define RINGWAY_ENGINE_PLAN_PACKED_CACHE_H_

#include <functional>
#include <future>
#include <mutex>
#include <string>

#include "engine/plan/packed_file.h"

namespace ringway::engine {

struct PackedCacheOptions {
  std::filesystem::path directory;
  std::size_t bytes_max = std::size_t{32} << 30;
  std::function<void(const std::string&)> log = {};  // what was refused or not kept; from any thread
};

class PackedCache {
 public:
  explicit PackedCache(PackedCacheOptions options) : options_(std::move(options)) {}
  ~PackedCache() { Wait(); }
  PackedCache(const PackedCache&) = delete;
  PackedCache& operator=(const PackedCache&) = delete;

  // Null where there is no file of this key, or none that may be used.
  std::shared_ptr<const PackedFile> Find(const Hash128& key) const;
  // Returns at once; the entries' owners are kept until the file is written.
  void Store(const Hash128& key, std::vector<PackedEntry> entries);
  // Until all that was to be stored is written, or given up.
  void Wait();

  std::filesystem::path FileOf(const Hash128& key) const;

 private:
  static constexpr std::size_t kWritingMax = 16;  // networks of a model that wait for the disk
  absl::Status Write(const Hash128& key, std::span<const PackedEntry> entries) const;
  absl::Status MakeRoom(std::size_t bytes) const;
  void Log(const std::string& line) const {
    if (options_.log) options_.log(line);
  }

  const PackedCacheOptions options_;
  std::mutex writing_one_;
  std::mutex mutex_;
  std::vector<std::future<void>> writing_;
};

}  // namespace ringway::engine

#endif  // RINGWAY_ENGINE_PLAN_PACKED_CACHE_H_
