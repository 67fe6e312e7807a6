#include "gateway/shared_films.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "gateway/jobs/object_key.h"
#include "gateway/jobs/video_id.h"
#include "gateway/record_codec.h"
#include "gateway/result_store.h"
#include "runtime/clock.h"

namespace ringway::gateway {
namespace {

constexpr Duration kSweepEveryMax = Minutes(1);
// Old videos of other owners are looked for in one of so many sweeps.
constexpr int kWideSweep = 5;
// A video that is asked about may have run for so long before it expires.
constexpr Duration kRunMax = Hours(24);
constexpr Duration kTransferPauseMax = Minutes(5);

// What oldest/ID says of a video that is being removed (jobs/object_key.h).
constexpr char kLeaving[] = "removed";

std::string Words(const absl::Status& status) { return std::string(status.message()); }

objects::ObjectSource SourceOf(std::string bytes) {
  const std::uint64_t size = bytes.size();
  return {.bytes = size, .read = [bytes = std::move(bytes)](std::uint64_t offset, std::size_t count) {
            return bytes.substr(offset, count);
          }};
}

// As others see it: the bytes are there, not here, and nobody is owed a call.
std::string ObjectOf(Video video) {
  video.shared = true;
  video.has_result = false;
  video.webhook_owed = false;
  return EncodeRecordObject(video);
}

bool OlderThan(const std::string& id, Duration age) {
  const auto parsed = ParseVideoId(id);
  return parsed && FromUnixSeconds(parsed->created_s) + age < runtime::WallNow();
}

}  // namespace

// To the store, or (with keys) away from there; one step after the other, from the first again after a
// failure.
struct SharedFilms::Transfer {
  std::string id;
  std::vector<std::string> keys = {};  // to be deleted; none: it goes up
  bool whole = false;                  // all of the video leaves, and that is noted before anything does
  bool owed = false;                   // the table waits for its end
  std::size_t step = 0;
  int attempts = 0;
  Time not_before = InfinitePast();
  std::shared_ptr<ResultFile> film = {};
  objects::ObjectStore::Call call = {};
  bool shares() const { return keys.empty(); }
};

SharedFilms::SharedFilms(std::unique_ptr<objects::ObjectStore> store, const std::string& router,
                         Duration expiry, VideosMetrics& metrics, const runtime::Logger& log, Ties ties)
    : store_(std::move(store)),
      own_prefix_(DeletedPrefixOf(VideoId{.created_s = 0, .draw = 0, .owner = router}.Text())),
      expiry_(expiry),
      sweep_every_(std::clamp(expiry / 10, Seconds(1), kSweepEveryMax)),
      metrics_(metrics),
      log_(log),
      ties_(std::move(ties)),
      rng_(ToUnixNanos(runtime::WallNow())) {}

SharedFilms::~SharedFilms() = default;

void SharedFilms::Close() {
  store_->Close();
  line_.clear();
  under_way_.clear();
}

// ---- the line ----

void SharedFilms::Share(const std::string& id) {
  line_.push_back(std::make_shared<Transfer>(Transfer{.id = id}));
}

void SharedFilms::Unshare(const std::string& id) {
  line_.push_back(
      std::make_shared<Transfer>(Transfer{.id = id,
                                          .keys = {RecordKey(id), FilmKey(id), OldestKey(id), DeletedKey(id)},
                                          .whole = true,
                                          .owed = true}));
}

void SharedFilms::RemoveWhole(const std::string& id) {
  line_.push_back(std::make_shared<Transfer>(
      Transfer{.id = id, .keys = {RecordKey(id), FilmKey(id), OldestKey(id)}, .whole = true}));
}

void SharedFilms::Remove(const std::string& id, std::vector<std::string> keys) {
  line_.push_back(std::make_shared<Transfer>(Transfer{.id = id, .keys = std::move(keys)}));
}

std::size_t SharedFilms::waiting() const {
  const auto shares = [](const auto& transfer) { return transfer->shares(); };
  return static_cast<std::size_t>(std::ranges::count_if(line_, shares) +
                                  std::ranges::count_if(under_way_, shares));
}

void SharedFilms::OnTick(Time now) {
  store_->OnTick(now);
  if (now >= next_sweep_ && outage_.MayTry(now, under_way_.size()) && removals() < kSweepMax) {
    next_sweep_ = now + sweep_every_ * (0.5 + rng_.Uniform());
    Sweep();
  }
  for (auto next = line_.begin(); next != line_.end();) {
    if (under_way_.size() >= kTransfersMax || !outage_.MayTry(now, under_way_.size())) break;
    const std::shared_ptr<Transfer> transfer = *next;
    if (transfer->not_before > now) {
      ++next;
      continue;
    }
    next = line_.erase(next);
    under_way_.push_back(transfer);
    Begin(transfer);
  }
  metrics_.ShowShared({.waiting = waiting(), .up = !outage_.lasts()});
}

void SharedFilms::Begin(const std::shared_ptr<Transfer>& transfer) {
  transfer->step = 0;
  ++transfer->attempts;
  if (!transfer->shares()) return NextStep(transfer);
  const Video* const video = ties_.find(transfer->id);
  // It was deleted, or had to make room, while it waited.
  if (video == nullptr || !video->has_result || video->state != State::kCompleted) return Finish(transfer);
  const auto fd = ties_.open(transfer->id);
  if (!fd.ok()) {
    log_.Error(
        absl::StrCat("videos: ", transfer->id, " cannot go to the shared store: ", Words(fd.status())));
    return Finish(transfer);
  }
  transfer->film = std::make_shared<ResultFile>(*fd);
  NextStep(transfer);
}

void SharedFilms::NextStep(const std::shared_ptr<Transfer>& transfer) {
  if (transfer->shares()) return NextShareStep(transfer);
  const auto done = [this, transfer](const absl::Status& status) { OnStep(transfer, status); };
  const std::size_t step = transfer->step++;
  const std::size_t noted = transfer->whole ? 1 : 0;
  if (step < noted) {
    transfer->call = store_->Put(OldestKey(transfer->id), SourceOf(kLeaving), done);
  } else if (step < noted + transfer->keys.size()) {
    transfer->call = store_->Delete(transfer->keys[step - noted], done);
  } else {
    Finish(transfer);
    if (transfer->owed) ties_.unshared(transfer->id);
  }
}

void SharedFilms::NextShareStep(const std::shared_ptr<Transfer>& transfer) {
  const std::string id = transfer->id;
  const auto done = [this, transfer](const absl::Status& status) { OnStep(transfer, status); };
  const Video* const video = ties_.find(id);
  if (video == nullptr) return Finish(transfer);
  switch (transfer->step++) {
    case 0:
      transfer->call = store_->Put(OldestKey(id), SourceOf(""), done);
      return;
    case 1: {
      // After a failure or a restart the film may be there already.
      const std::uint64_t bytes = video->result_bytes;
      transfer->call =
          store_->Head(FilmKey(id), [this, transfer, bytes](const absl::StatusOr<std::uint64_t>& size) {
            if (!size.ok() && !absl::IsNotFound(size.status())) return OnStep(transfer, size.status());
            if (size.ok() && *size == bytes) ++transfer->step;
            OnStep(transfer, absl::OkStatus());
          });
      return;
    }
    case 2:
      return PutFilm(transfer);
    case 3:
      transfer->call = store_->Put(RecordKey(id), SourceOf(ObjectOf(*video)), done);
      return;
    default:
      Finish(transfer);
      ties_.shared(id);
      metrics_.CountShared(true);
  }
}

void SharedFilms::PutFilm(const std::shared_ptr<Transfer>& transfer) {
  const Video* const video = ties_.find(transfer->id);
  const auto film = transfer->film;
  transfer->call = store_->Put(
      FilmKey(transfer->id),
      {.bytes = video->result_bytes,
       .read = [film](std::uint64_t offset, std::size_t count) { return film->Read(offset, count); }},
      [this, transfer](const absl::Status& status) { OnStep(transfer, status); });
}

void SharedFilms::OnStep(const std::shared_ptr<Transfer>& transfer, const absl::Status& status) {
  Hear(status);
  if (status.ok()) return NextStep(transfer);
  if (transfer->shares()) metrics_.CountShared(false);
  std::erase(under_way_, transfer);
  if (absl::IsDataLoss(status)) {
    // Its own file is at fault, or the store talks nonsense about it: not now, and others go first.
    log_.Error(absl::StrCat("videos: ", transfer->id, ": ", Words(status)));
  }
  transfer->film.reset();
  transfer->call.reset();
  const Duration pause = Seconds(1) * (1 << std::min(transfer->attempts - 1, 10));
  transfer->not_before = runtime::MonotonicNow() + std::min(pause, kTransferPauseMax);
  line_.push_back(transfer);
}

void SharedFilms::Finish(const std::shared_ptr<Transfer>& transfer) {
  std::erase(under_way_, transfer);
  transfer->film.reset();
  transfer->call.reset();
}

// What every answer says about the store as a whole.
void SharedFilms::Hear(const absl::Status& status) {
  if (status.ok() || absl::IsNotFound(status)) {
    if (outage_.OnSuccess()) log_.Info(absl::StrCat("videos: the shared store ", store_->name(), " is back"));
    return;
  }
  if (absl::IsDataLoss(status)) return;
  if (!outage_.OnFailure(runtime::MonotonicNow())) return;
  log_.Error(absl::StrCat("videos: the shared store ", store_->name(), " does not serve: ", Words(status),
                          absl::IsPermissionDenied(status) ? "; see --videos-shared-store-credentials" : "",
                          "; ", waiting(), " finished films wait on this router alone until it does"));
}

// ---- asked about ----

void SharedFilms::Find(const std::string& id, Found found) {
  (void)store_->GetSmall(RecordKey(id), [this, id, found = std::move(found)](const auto& object) {
    Hear(object.status());
    if (!object.ok()) return found(object.status());
    auto video = DecodeRecordObject(*object);
    if (!video.ok() || video->id != id)
      return found(
          absl::DataLossError(absl::StrCat("the record of ", id, " in the shared store is damaged")));
    const bool over = FromUnixSeconds(video->expires_s) <= runtime::WallNow();
    if (over || video->state != State::kCompleted) return found(absl::NotFoundError("it has expired"));
    video->has_result = false;
    video->shared = true;
    found(video);
  });
}

void SharedFilms::DeleteForOwner(const std::string& id, Done done) {
  const auto remove = [this, id, done] {
    (void)store_->Delete(RecordKey(id), [this, id, done](const absl::Status& removed) {
      Hear(removed);
      if (removed.ok()) RemoveWhole(id);
      done(removed);
    });
  };
  const auto note = [this, id, done, remove] {
    (void)store_->Put(OldestKey(id), SourceOf(kLeaving), [this, done, remove](const absl::Status& noted) {
      Hear(noted);
      noted.ok() ? remove() : done(noted);
    });
  };
  (void)store_->Put(DeletedKey(id), SourceOf(""), [this, done, note](const absl::Status& told) {
    Hear(told);
    told.ok() ? note() : done(told);
  });
}

// ---- the sweep ----

void SharedFilms::Sweep() {
  SweepDeleted();
  if (sweeps_++ % kWideSweep != 0) return;
  SweepOldest();
  SweepNotes();
}

// What others have deleted here while this router was away.
void SharedFilms::SweepDeleted() {
  (void)store_->List(own_prefix_, "", kSweepMax, [this](const absl::StatusOr<objects::ObjectList>& list) {
    Hear(list.status());
    if (!list.ok()) return;
    for (const std::string& key : list->keys) {
      const std::string id = IdOfKey(key);
      const Video* const video = id.empty() ? nullptr : ties_.find(id);
      const bool here = video != nullptr && video->state != State::kDeleted;
      here ? ties_.deleted(id) : Remove(id, {key});
    }
  });
}

void SharedFilms::SweepOldest() {
  (void)store_->List(std::string(kOldestPrefix), sweep_after_, kSweepMax,
                     [this](const absl::StatusOr<objects::ObjectList>& list) {
                       Hear(list.status());
                       if (!list.ok()) return;
                       sweep_after_ = list->more ? list->keys.back() : "";
                       auto ids = std::make_shared<std::vector<std::string>>();
                       for (const std::string& key : list->keys) {
                         const std::string id = IdOfKey(key);
                         if (!id.empty() && OlderThan(id, expiry_ + grace())) ids->push_back(id);
                       }
                       LookAt(std::move(ids), 0);
                     });
}

// One after the other: nobody waits for it.
void SharedFilms::LookAt(std::shared_ptr<std::vector<std::string>> ids, std::size_t at) {
  if (at == ids->size()) return;
  const std::string id = (*ids)[at];
  (void)store_->GetSmall(RecordKey(id), [this, ids, at, id](const absl::StatusOr<std::string>& object) {
    Hear(object.status());
    if (!object.ok() && !absl::IsNotFound(object.status())) return;
    const auto video = object.ok() ? DecodeRecordObject(*object) : absl::NotFoundError("");
    if (!video.ok()) return LookAtRest(ids, at);
    if (FromUnixSeconds(video->expires_s) + grace() < runtime::WallNow()) RemoveWhole(id);
    LookAt(ids, at + 1);
  });
}

// Of a video without a sound record: it may be on its way up yet, or have been left while it was removed.
void SharedFilms::LookAtRest(std::shared_ptr<std::vector<std::string>> ids, std::size_t at) {
  const std::string id = (*ids)[at];
  (void)store_->GetSmall(OldestKey(id), [this, ids, at, id](const absl::StatusOr<std::string>& noted) {
    Hear(noted.status());
    if (!noted.ok() && !absl::IsNotFound(noted.status())) return;
    if (noted.ok() && (*noted == kLeaving || OlderThan(id, expiry_ + kRunMax))) RemoveWhole(id);
    LookAt(ids, at + 1);
  });
}

// Notes for owners that never came back.
void SharedFilms::SweepNotes() {
  (void)store_->List(std::string(kDeletedPrefix), "", kSweepMax,
                     [this](const absl::StatusOr<objects::ObjectList>& list) {
                       Hear(list.status());
                       if (!list.ok()) return;
                       for (const std::string& key : list->keys) {
                         const std::string id = IdOfKey(key);
                         if (!id.empty() && OlderThan(id, expiry_ + kRunMax)) Remove(id, {key});
                       }
                     });
}

}  // namespace ringway::gateway
