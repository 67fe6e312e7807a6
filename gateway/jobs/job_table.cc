#include "gateway/jobs/job_table.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "core/check.h"
#include "gateway/jobs/video_id.h"

namespace ringway::gateway {

void JobTable::Step(Time now, const JobEvent& event, std::vector<JobAction>& actions) {
  Turn turn{now, actions};
  std::visit([&](const auto& happened) { On(turn, happened); }, event);
}

Time JobTable::NextWake() const {
  return ends_.empty() ? InfiniteFuture() : FromUnixSeconds(ends_.begin()->first);
}

// ---- asked and run ----

void JobTable::On(Turn& turn, const Recovered& event) {
  if (jobs_.size() >= limits_.records_max) {
    turn.actions.push_back(DropResult{event.video.id});
    turn.actions.push_back(DropRecord{event.video.id});
    return;
  }
  Video& video = jobs_[event.video.id] = event.video;
  if (!video.key.empty()) keys_[video.key] = video.id;
  if (!IsOver(video.state)) {
    ++live_;
    video.fault = {.code = "router_restarted",
                   .message = "the router that owned this job stopped while it ran; send it again"};
    // Whatever stands in the store is not whole.
    video.result_bytes = 0;
    video.has_result = true;
    return Finish(turn, video, State::kFailed);
  }
  ends_.insert({video.expires_s, video.id});
  if (video.has_result) bytes_ += video.result_bytes;
  if (video.webhook_owed) turn.actions.push_back(CallWebhook{video.id});
  if (video.state == State::kDeleted && video.shared) turn.actions.push_back(Unshare{video.id});
  if (limits_.shares && video.has_result && !video.shared && !IsImageId(video.id))
    turn.actions.push_back(Share{video.id});
  MakeRoom(turn);
}

void JobTable::On(Turn& turn, const Asked& event) {
  RINGWAY_CHECK(Admits());
  std::uint32_t run = 1;
  if (const auto before = jobs_.find(event.video.id); before != jobs_.end()) {
    if (!IsOver(before->second.state)) return;
    run = before->second.run + 1;
    Remove(turn, event.video.id);
  }
  while (jobs_.size() >= limits_.records_max) Remove(turn, std::string(ends_.begin()->second));
  Video& video = jobs_[event.video.id] = event.video;
  video.state = State::kQueued;
  video.run = run;
  if (!video.key.empty()) keys_[video.key] = video.id;
  ++live_;
  turn.actions.push_back(KeepRecord{video.id});
  turn.actions.push_back(Publish{video.id, "video.queued"});
}

Video* JobTable::Live(const std::string& id) {
  const auto found = jobs_.find(id);
  return found == jobs_.end() || IsOver(found->second.state) ? nullptr : &found->second;
}

void JobTable::On(Turn& turn, const Started& event) {
  Video* const video = Live(event.id);
  if (video == nullptr) return;
  video->region = event.region;
  video->worker = event.worker;
  if (video->state == State::kRunning) return;
  video->state = State::kRunning;
  turn.actions.push_back(Publish{video->id, "video.in_progress"});
}

void JobTable::On(Turn& turn, const Progressed& event) {
  Video* const video = Live(event.id);
  if (video == nullptr || event.steps == 0) return;
  const int progress = static_cast<int>(std::uint64_t{99} * std::min(event.step, event.steps) / event.steps);
  // A job that is tried a second time begins anew; who watches it is not told so.
  if (progress < video->progress || (video->steps == event.steps && event.step <= video->step)) return;
  video->progress = progress;
  video->step = event.step;
  video->steps = event.steps;
  turn.actions.push_back(Publish{video->id, "video.progress"});
}

void JobTable::On(Turn& turn, const ResultGrew& event) {
  Video* const video = Live(event.id);
  if (video == nullptr) return;
  video->result_bytes += event.bytes;
  video->has_result = true;
  bytes_ += event.bytes;
  if (video->result_bytes > film_bytes_max()) {
    video->fault = {.code = "result_too_large",
                    .message = absl::StrCat("the result has more than the ", film_bytes_max(),
                                            " bytes that this router keeps of one")};
    turn.actions.push_back(CancelRun{video->id});
    return Finish(turn, *video, State::kFailed);
  }
  MakeRoom(turn);
}

void JobTable::On(Turn& turn, const Ended& event) {
  Video* const video = Live(event.id);
  if (video == nullptr) return;
  video->fault = event.fault;
  video->refused = event.refused;
  video->content_type = event.content_type;
  video->note = event.note;
  if (!event.size.empty()) video->size = event.size;
  if (!event.seconds.empty()) video->seconds = event.seconds;
  if (!event.fault.code.empty()) return Finish(turn, *video, State::kFailed);
  video->progress = 100;
  video->step = video->steps;
  video->has_result = true;  // an empty one too
  Finish(turn, *video, State::kCompleted);
}

void JobTable::Finish(Turn& turn, Video& video, State state) {
  RINGWAY_CHECK(!IsOver(video.state));
  video.state = state;
  video.ended_s = ToUnixSeconds(turn.now);
  video.expires_s = ToUnixSeconds(turn.now + limits_.expiry);
  --live_;
  ends_.insert({video.expires_s, video.id});
  if (state != State::kCompleted) ForgetResult(turn, video);
  video.webhook_owed = !video.webhook_url.empty() && state != State::kDeleted;
  turn.actions.push_back(KeepRecord{video.id});
  if (video.webhook_owed) turn.actions.push_back(CallWebhook{video.id});
  if (limits_.shares && state == State::kCompleted && !IsImageId(video.id))
    turn.actions.push_back(Share{video.id});
  turn.actions.push_back(Publish{video.id, state == State::kCompleted ? "video.completed"
                                           : state == State::kFailed  ? "video.failed"
                                                                      : "video.deleted"});
}

// ---- forgotten ----

void JobTable::On(Turn& turn, const Deleted& event) {
  const auto found = jobs_.find(event.id);
  if (found == jobs_.end() || found->second.state == State::kDeleted) return;
  Video& video = found->second;
  if (!IsOver(video.state)) {
    video.fault = {.code = "cancelled", .message = "it was deleted while it ran"};
    turn.actions.push_back(CancelRun{video.id});
    return Finish(turn, video, State::kDeleted);
  }
  ForgetResult(turn, video);
  video.state = State::kDeleted;
  video.webhook_owed = false;
  turn.actions.push_back(KeepRecord{video.id});
  if (video.shared) turn.actions.push_back(Unshare{video.id});
  turn.actions.push_back(Publish{video.id, "video.deleted"});
}

void JobTable::On(Turn& turn, const Forgotten& event) {
  const auto found = jobs_.find(event.id);
  if (found == jobs_.end()) return;
  if (!IsOver(found->second.state)) {
    turn.actions.push_back(CancelRun{event.id});
    found->second.webhook_url.clear();
    Finish(turn, found->second, State::kDeleted);
  }
  Remove(turn, event.id);
}

void JobTable::On(Turn& turn, const WebhookSettled& event) {
  const auto found = jobs_.find(event.id);
  if (found == jobs_.end() || !std::exchange(found->second.webhook_owed, false)) return;
  turn.actions.push_back(KeepRecord{event.id});
}

// Deleted while it was on its way there: it has to go again.
void JobTable::On(Turn& turn, const Shared& event) {
  const auto found = jobs_.find(event.id);
  if (found == jobs_.end() || found->second.state != State::kCompleted) {
    turn.actions.push_back(Unshare{event.id});
    if (found == jobs_.end()) return;
  }
  found->second.shared = true;
  turn.actions.push_back(KeepRecord{event.id});
}

void JobTable::On(Turn& turn, const Unshared& event) {
  const auto found = jobs_.find(event.id);
  if (found == jobs_.end() || !std::exchange(found->second.shared, false)) return;
  turn.actions.push_back(KeepRecord{event.id});
}

void JobTable::On(Turn& turn, const ClockPassed&) {
  while (!ends_.empty() && FromUnixSeconds(ends_.begin()->first) <= turn.now) {
    Remove(turn, std::string(ends_.begin()->second));
  }
}

void JobTable::ForgetResult(Turn& turn, Video& video) {
  if (video.has_result) bytes_ -= video.result_bytes;
  if (std::exchange(video.has_result, false)) turn.actions.push_back(DropResult{video.id});
}

void JobTable::Remove(Turn& turn, const std::string& id) {
  const auto found = jobs_.find(id);
  Video& video = found->second;
  ends_.erase({video.expires_s, id});
  ForgetResult(turn, video);
  if (const auto key = keys_.find(video.key); key != keys_.end() && key->second == id) keys_.erase(key);
  turn.actions.push_back(DropRecord{id});
  if (video.shared) turn.actions.push_back(Unshare{id});
  jobs_.erase(found);
}

// The results that would expire next go first. What grows now is not among them, so this ends.
void JobTable::MakeRoom(Turn& turn) {
  if (bytes_ <= limits_.store_bytes_max) return;
  if (limits_.shares) MakeRoomOf(turn, true);
  MakeRoomOf(turn, false);
}

void JobTable::MakeRoomOf(Turn& turn, bool shared) {
  for (auto next = ends_.begin(); bytes_ > limits_.store_bytes_max && next != ends_.end(); ++next) {
    Video& video = jobs_.at(next->second);
    if (!video.has_result || (limits_.shares && video.shared != shared)) continue;
    ForgetResult(turn, video);
    turn.actions.push_back(KeepRecord{video.id});
  }
}

// ---- asked about ----

const Video* JobTable::Find(const std::string& id) const {
  const auto found = jobs_.find(id);
  return found == jobs_.end() ? nullptr : &found->second;
}

const Video* JobTable::OfKey(const std::string& key) const {
  const auto found = keys_.find(key);
  return found == keys_.end() ? nullptr : Find(found->second);
}

std::vector<const Video*> JobTable::List(const std::string& after, std::size_t count,
                                         bool oldest_first) const {
  std::vector<const Video*> listed;
  const auto take = [&](const Video& video) {
    if (video.state != State::kDeleted && !IsImageId(video.id)) listed.push_back(&video);
    return listed.size() < count;
  };
  if (oldest_first) {
    for (auto next = jobs_.upper_bound(after); next != jobs_.end() && take(next->second);) ++next;
  } else {
    auto next = after.empty() ? jobs_.end() : jobs_.lower_bound(after);
    while (next != jobs_.begin() && take((--next)->second)) continue;
  }
  return listed;
}

}  // namespace ringway::gateway
