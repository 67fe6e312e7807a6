// The stories of the jobs that ended here lately: a bounded book, asked by request id.
//
// A job's story grows while the job is here (bounded steps, the rest is only counted) and enters the book
// with its end. The book keeps the newest kStoriesMax and forgets the oldest; an id that was used twice has
// two stories. It also adds up what `ringway top` shows. Nothing is kept of what a job says or carries.
//
// Cost: a few short strings a job; finding an id is a lookup. Memory: about 1 KiB a story. Threads: the
// loop's; StoryService posts there.
#ifndef RINGWAY_ROUTER_DAEMON_STORY_BOOK_H_
#define RINGWAY_ROUTER_DAEMON_STORY_BOOK_H_

#include <cstddef>
#include <deque>
#include <string>
#include <string_view>
#include <unordered_map>

#include "absl/time/time.h"
#include "ringway/v1/story.grpc.pb.h"
#include "runtime/event_loop.h"

namespace ringway::router {

class StoryBook {
 public:
  static constexpr std::size_t kStoriesMax = 4096;
  static constexpr int kStepsMax = 32;

  StoryBook(std::string router, std::string region);

  // One more thing happened to a job that is still here, `since` it arrived.
  static void Add(v1::RequestStory& story, absl::Duration since, std::string_view what, std::string whom,
                  std::string_view detail);
  // The job has ended; its `end` is set.
  void Keep(v1::RequestStory story);

  v1::TellReply Tell(const std::string& request_id) const;
  const v1::TotalsReply& totals() const { return totals_; }

 private:
  void Count(const v1::RequestStory& story);

  const std::string router_;
  const std::string region_;
  std::deque<v1::RequestStory> stories_;  // oldest first
  std::uint64_t first_ = 0;               // number of the oldest
  std::unordered_multimap<std::string, std::uint64_t> by_id_;
  v1::TotalsReply totals_;
};

class StoryService final : public v1::Stories::CallbackService {
 public:
  StoryService(runtime::EventLoop& loop, const StoryBook& book) : loop_(loop), book_(book) {}

 private:
  grpc::ServerUnaryReactor* Tell(grpc::CallbackServerContext* context, const v1::TellRequest* request,
                                 v1::TellReply* reply) override;
  grpc::ServerUnaryReactor* Totals(grpc::CallbackServerContext* context, const v1::TotalsRequest* request,
                                   v1::TotalsReply* reply) override;
  // Runs `fill` on the loop; refused when the loop has much to do already.
  template <class Fill>
  grpc::ServerUnaryReactor* Answer(grpc::CallbackServerContext* context, Fill fill);

  runtime::EventLoop& loop_;
  const StoryBook& book_;
};

}  // namespace ringway::router

#endif  // RINGWAY_ROUTER_DAEMON_STORY_BOOK_H_
