#include "gateway/shared_list.h"

#include <algorithm>
#include <set>
#include <utility>

#include "gateway/jobs/object_key.h"
#include "gateway/jobs/video_id.h"

namespace ringway::gateway {

void SharedList::Begin() {
  const bool known = query_.after.empty() || ParseVideoId(query_.after).has_value();
  const std::string prefix(query_.oldest_first ? kOldestPrefix : kRecordsPrefix);
  std::string after;
  if (known && !query_.after.empty())
    after = query_.oldest_first ? OldestKey(query_.after) : RecordKey(query_.after);
  // An id that is none has no place in the order of the store.
  if (!known) return OnKeys(objects::ObjectList());
  (void)films_.store().List(prefix, after, query_.limit,
                            [self = shared_from_this()](const auto& list) { self->OnKeys(list); });
}

void SharedList::OnKeys(const absl::StatusOr<objects::ObjectList>& list) {
  if (over_) return;
  gaps_.store_silent = !list.ok();
  keys_ = list.ok() ? *list : objects::ObjectList();
  if (routers_) ReadMissing();
}

void SharedList::OnRouters(ListPage page, ListGaps gaps, Time now) {
  if (over_) return;
  const bool silent = gaps_.store_silent;
  gaps_ = std::move(gaps);
  gaps_.store_silent = silent;
  routers_ = std::move(page);
  give_up_ = now + kStoreWaitMax;
  if (keys_) ReadMissing();
}

void SharedList::ReadMissing() {
  std::set<std::string> known;
  for (const ListedVideo& video : routers_->videos) known.insert(video.id);
  for (const std::string& key : keys_->keys) {
    std::string id = IdOfKey(key);
    if (!id.empty() && !known.contains(id)) missing_.push_back(std::move(id));
  }
  stored_.more = keys_->more;
  // The page of the routers may end before these do.
  if (routers_->videos.size() >= query_.limit) {
    const std::string& last = routers_->videos.back().id;
    const auto beyond = [&](const std::string& id) { return query_.oldest_first ? id > last : id < last; };
    if (std::erase_if(missing_, beyond) > 0) stored_.more = true;
  }
  ReadNext();
}

void SharedList::ReadNext() {
  while (reading_ < kReadsMax && next_ < missing_.size()) {
    ++reading_;
    films_.Find(missing_[next_++], [self = shared_from_this()](const absl::StatusOr<Video>& video) {
      if (self->over_) return;
      --self->reading_;
      if (video.ok()) {
        self->stored_.videos.push_back({video->id, VideoJson(*video, OwnerOf(video->id))});
      } else if (!absl::IsNotFound(video.status())) {
        self->gaps_.store_silent = true;
      }
      self->ReadNext();
    });
  }
  if (reading_ == 0 && next_ == missing_.size()) Finish();
}

void SharedList::OnTick(Time now) {
  if (over_ || now < give_up_) return;
  gaps_.store_silent = true;
  Finish();
}

void SharedList::Finish() {
  if (std::exchange(over_, true)) return;
  const auto keep = shared_from_this();
  done_(MergePages({*std::move(routers_), std::move(stored_)}, query_), gaps_);
}

}  // namespace ringway::gateway
