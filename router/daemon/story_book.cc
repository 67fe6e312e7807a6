#include "router/daemon/story_book.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace ringway::router {
namespace {

// Operators never crowd out jobs.
constexpr std::size_t kInboxBusy = 4096;

}  // namespace

StoryBook::StoryBook(std::string router, std::string region)
    : router_(std::move(router)), region_(std::move(region)) {
  totals_.set_router(router_);
  totals_.set_region(region_);
}

void StoryBook::Add(v1::RequestStory& story, absl::Duration since, std::string_view what, std::string whom,
                    std::string_view detail) {
  if (story.steps_size() >= kStepsMax) {
    story.set_steps_left_out(story.steps_left_out() + 1);
    return;
  }
  v1::StoryStep& step = *story.add_steps();
  step.set_at_s(absl::ToDoubleSeconds(since));
  step.set_what(std::string(what));
  step.set_whom(std::move(whom));
  step.set_detail(std::string(detail));
}

void StoryBook::Count(const v1::RequestStory& story) {
  const v1::Story& end = story.end().story();
  const bool here = end.router() == router_;
  if (here && end.attempts() > 0) {
    totals_.set_offers(totals_.offers() + end.attempts());
    totals_.set_busy(totals_.busy() + end.busy());
    totals_.set_placed(totals_.placed() + 1);
  }
  if (story.forwarded()) return;
  totals_.set_ended(totals_.ended() + 1);
  if (story.end().outcome() == "done") totals_.set_done(totals_.done() + 1);
  if (end.service_s() <= 0) return;
  totals_.set_started(totals_.started() + 1);
  totals_.set_wait_s_sum(totals_.wait_s_sum() + end.wait_s());
}

void StoryBook::Keep(v1::RequestStory story) {
  story.set_router(router_);
  story.set_router_region(region_);
  Count(story);
  if (stories_.size() >= kStoriesMax) {
    const auto [from, to] = by_id_.equal_range(stories_.front().request_id());
    const auto oldest = std::find_if(from, to, [this](const auto& entry) { return entry.second == first_; });
    if (oldest != to) by_id_.erase(oldest);
    stories_.pop_front();
    ++first_;
  }
  by_id_.emplace(story.request_id(), first_ + stories_.size());
  stories_.push_back(std::move(story));
}

v1::TellReply StoryBook::Tell(const std::string& request_id) const {
  v1::TellReply reply;
  reply.set_router(router_);
  reply.set_kept(stories_.size());
  reply.set_kept_max(kStoriesMax);
  std::vector<std::uint64_t> numbers;
  const auto [from, to] = by_id_.equal_range(request_id);
  for (auto entry = from; entry != to; ++entry) numbers.push_back(entry->second);
  std::sort(numbers.begin(), numbers.end());
  // An id that somebody uses for everything must not make a message that no client takes.
  constexpr std::size_t kToldMax = 16;
  const std::size_t skipped = numbers.size() - std::min(numbers.size(), kToldMax);
  for (std::size_t i = skipped; i < numbers.size(); ++i) *reply.add_stories() = stories_[numbers[i] - first_];
  return reply;
}

template <class Fill>
grpc::ServerUnaryReactor* StoryService::Answer(grpc::CallbackServerContext* context, Fill fill) {
  grpc::ServerUnaryReactor* reactor = context->DefaultReactor();
  const bool posted = loop_.inbox_depth() < kInboxBusy && loop_.Post([reactor, fill = std::move(fill)] {
    fill();
    reactor->Finish(grpc::Status::OK);
  });
  if (!posted) reactor->Finish({grpc::StatusCode::RESOURCE_EXHAUSTED, "the router is busy, try again"});
  return reactor;
}

grpc::ServerUnaryReactor* StoryService::Tell(grpc::CallbackServerContext* context,
                                             const v1::TellRequest* request, v1::TellReply* reply) {
  return Answer(context, [this, request, reply] { *reply = book_.Tell(request->request_id()); });
}

grpc::ServerUnaryReactor* StoryService::Totals(grpc::CallbackServerContext* context, const v1::TotalsRequest*,
                                               v1::TotalsReply* reply) {
  return Answer(context, [this, reply] { *reply = book_.totals(); });
}

}  // namespace ringway::router
