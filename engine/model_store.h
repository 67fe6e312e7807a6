// Several models of one process, by name, with a budget of bytes that stay resident: what is switched to next
// is opened beside what draws.
//
// A model that is asked for is handed out as long as its user holds it, so a job that runs keeps its model
// whatever is asked for beside it. One that is resident costs a look; another one is opened, from its packed
// weights on disk where EngineOptions::packed_weights keeps them (a bound of its own, packed_cache.h), or
// from its checkpoint. What is over the budget goes, the longest unused first; what is in use never does. So
// the bytes are above the budget only while models that are in use are, and while one more is being opened:
// what a model takes is known from its last opening, and room for it is made before. Prefetch opens on a
// thread of the store. Each switch is counted and timed by its kind.
//
// Threads: any; an engine itself serves one user at a time, so threads that share a model take turns
// themselves. What requests add to a model later, adapters and control networks, is not in its bytes. Bounds:
// kModelsMax names; one prefetch at a time, the newest wish waits.
#ifndef RINGWAY_ENGINE_MODEL_STORE_H_
#define RINGWAY_ENGINE_MODEL_STORE_H_

#include <array>
#include <condition_variable>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "engine/picture_engine.h"

namespace ringway::engine {

struct StoredModel {
  std::string path;           // directory, or a single file with
  std::string configuration;  // the directory that it belongs to
};

class ModelStore {
 public:
  static constexpr std::size_t kModelsMax = 64;
  // Resident: it was there. Packed: its packed weights were mapped. Opened: they were packed from the
  // checkpoint.
  enum class Switch : std::uint8_t { kResident, kPacked, kOpened };
  struct Cost {
    std::size_t count = 0;
    double last_s = 0, sum_s = 0;  // from asking to having
  };

  // `bytes_max`: of weights in memory, mapped ones included; 0: no bound. Errors: InvalidArgument.
  static absl::StatusOr<std::unique_ptr<ModelStore>> Make(std::map<std::string, StoredModel> models,
                                                          std::size_t bytes_max,
                                                          const EngineOptions& options);
  ~ModelStore();

  // NotFound lists the names; ResourceExhausted where the model alone is over the budget; else what is wrong
  // with its files, and it is tried again the next time.
  absl::StatusOr<std::shared_ptr<PictureEngine>> Get(const std::string& name);
  // Begins to open it; what goes wrong is told by the next Get.
  void Prefetch(const std::string& name);

  bool IsResident(const std::string& name) const;
  std::size_t resident_bytes() const;
  Cost CostOf(Switch kind) const;
  std::vector<std::string> names() const;

 private:
  struct Entry {
    StoredModel model;
    std::shared_ptr<PictureEngine> engine;  // null: not resident
    bool opening = false;
    std::size_t bytes = 0;   // of the last opening
    std::uint64_t used = 0;  // when, by clock_
  };
  ModelStore(std::size_t bytes_max, const EngineOptions& options)
      : bytes_max_(bytes_max), options_(options) {}
  // Both with the lock, which Open gives back while files are read.
  absl::Status Open(std::unique_lock<std::mutex>& lock, Entry& entry, const std::string& name);
  void MakeRoom(std::size_t for_bytes, const Entry* keep);
  std::size_t ResidentBytes() const;
  void PrefetchLoop();

  const std::size_t bytes_max_;
  const EngineOptions options_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::map<std::string, Entry> entries_;
  std::array<Cost, 3> costs_ = {};
  std::uint64_t clock_ = 0;
  std::string wish_;  // to be prefetched; empty: none
  bool closing_ = false;
  std::thread prefetcher_;
};

}  // namespace ringway::engine

#endif  // RINGWAY_ENGINE_MODEL_STORE_H_
