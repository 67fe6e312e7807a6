// Finished videos in a store that all routers share, so that they outlive the router that made them.
//
// A video is finished on its router's disk first and told so; then its film and its record go up, in this
// order, and are kept until the video expires or is deleted. A store that is away or slow holds nothing up:
// what is to go there waits here, is tried again (jobs/outage.h), is counted and is said loudly; what is owed
// survives a restart in the records of the disk. What a router deletes for an owner that is away is left as a
// note for it. Every router sweeps: what has expired and is still there had an owner that is gone; what
// says that it is being removed and is old, a remover that is gone.
//
// Threads: the front's loop. Bounds: kTransfersMax transfers at a time, one for each record of the table in
// line; kSweepMax keys looked at in a sweep, and none while as many removals wait. Complexity: linear in the
// line, each tick.
#ifndef RINGWAY_GATEWAY_SHARED_FILMS_H_
#define RINGWAY_GATEWAY_SHARED_FILMS_H_

#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "core/rng.h"
#include "core/time.h"
#include "gateway/jobs/outage.h"
#include "gateway/jobs/video.h"
#include "gateway/objects/object_store.h"
#include "gateway/videos_metrics.h"
#include "runtime/log.h"

namespace ringway::gateway {

class SharedFilms {
 public:
  static constexpr std::size_t kTransfersMax = 4;
  static constexpr std::size_t kSweepMax = 100;
  // What it needs of whoever keeps the jobs.
  struct Ties {
    std::function<const Video*(const std::string& id)> find;
    std::function<absl::StatusOr<int>(const std::string& id)> open;  // the result, as a file
    std::function<void(const std::string& id)> shared;
    std::function<void(const std::string& id)> unshared;
    std::function<void(const std::string& id)> deleted;  // by another router
  };
  using Found = std::function<void(const absl::StatusOr<Video>&)>;
  using Done = std::function<void(const absl::Status&)>;

  // `router`: whose videos these are; `expiry`: as the table has it.
  SharedFilms(std::unique_ptr<objects::ObjectStore> store, const std::string& router, Duration expiry,
              VideosMetrics& metrics, const runtime::Logger& log, Ties ties);
  ~SharedFilms();

  void Share(const std::string& id);
  void Unshare(const std::string& id);
  // The finished video of another router, or one that this router has forgotten. Errors: NotFound (never
  // there, expired, deleted), or those of the store.
  void Find(const std::string& id, Found found);
  // Of an owner that is away, which is told when it is back.
  void DeleteForOwner(const std::string& id, Done done);
  objects::ObjectStore& store() { return *store_; }

  // Every quarter of a second.
  void OnTick(Time now);
  void Close();

 private:
  struct Transfer;
  using Line = std::deque<std::shared_ptr<Transfer>>;
  void Begin(const std::shared_ptr<Transfer>& transfer);
  void NextStep(const std::shared_ptr<Transfer>& transfer);
  void NextShareStep(const std::shared_ptr<Transfer>& transfer);
  void PutFilm(const std::shared_ptr<Transfer>& transfer);
  void OnStep(const std::shared_ptr<Transfer>& transfer, const absl::Status& status);
  void Finish(const std::shared_ptr<Transfer>& transfer);
  void RemoveWhole(const std::string& id);
  void Remove(const std::string& id, std::vector<std::string> keys);
  void Hear(const absl::Status& status);
  // Films that are to go up, and removals in line.
  std::size_t waiting() const;
  std::size_t removals() const { return line_.size() + under_way_.size() - waiting(); }

  void Sweep();
  void SweepDeleted();
  void SweepOldest();
  void SweepNotes();
  void LookAt(std::shared_ptr<std::vector<std::string>> ids, std::size_t at);
  void LookAtRest(std::shared_ptr<std::vector<std::string>> ids, std::size_t at);
  Duration grace() const { return sweep_every_; }

  const std::unique_ptr<objects::ObjectStore> store_;
  const std::string own_prefix_;  // of notes about deleted videos
  const Duration expiry_;
  const Duration sweep_every_;
  VideosMetrics& metrics_;
  const runtime::Logger& log_;
  const Ties ties_;
  Outage outage_;
  Line line_;
  std::vector<std::shared_ptr<Transfer>> under_way_;
  Rng rng_;
  Time next_sweep_ = InfinitePast();
  std::string sweep_after_;  // of the oldest: how far they have been looked at
  int sweeps_ = 0;
};

}  // namespace ringway::gateway

#endif  // RINGWAY_GATEWAY_SHARED_FILMS_H_
