// Where a router's video jobs are kept: the table that decides, and the disk and the ingress that it needs.
//
// What happens becomes an event of the table; what the table wants done is done here: records and results are
// written, jobs are handed to the router's own ingress and cancelled, whoever watches is told. A job's
// promise (its id) is given only when its record is on the disk, "completed" only when its result is.
//
// Threads: the front's loop. Bounds: those of the table; the pictures of jobs that are being handed on count
// in `payload_bytes`. The sink is told within Apply, and may call back.
#ifndef RINGWAY_GATEWAY_VIDEO_JOBS_H_
#define RINGWAY_GATEWAY_VIDEO_JOBS_H_

#include <atomic>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "core/rng.h"
#include "gateway/jobs/job_table.h"
#include "gateway/jobs/video_order.h"
#include "gateway/result_store.h"
#include "gateway/settings.h"
#include "gateway/shared_films.h"
#include "gateway/submit_stream.h"
#include "runtime/event_loop.h"
#include "runtime/log.h"

namespace ringway::gateway {

class NewsSink {
 public:
  virtual ~NewsSink() = default;
  // `video` is as it is now; `event` as in Publish.
  virtual void OnNews(const Video& video, std::string_view event) = 0;
  // Its webhook is to be called.
  virtual void OnWebhookDue(const Video& video) = 0;
};

// What a job carries beside its order.
struct Passage {
  std::string tier = {};  // empty: the only one
  std::string key = {};
  std::string traceparent = {};
  std::string tracestate = {};
};

class VideoJobs final : private SubmitListener {
 public:
  VideoJobs(runtime::EventLoop& loop, const VideosSettings& settings, const runtime::Logger& log,
            NewsSink& news);

  // Before the loop starts: the folder, and what is in it.
  absl::Status Open();
  // Where jobs are handed in.
  void Connect(std::unique_ptr<v1::Ingress::Stub> ingress) { ingress_ = std::move(ingress); }

  // Takes a job: a new one, or `again` one of its key that failed. Returns its id.
  // Errors: ResourceExhausted (full), Internal (the disk).
  absl::StatusOr<std::string> Take(VideoOrder order, const Passage& passage, const Video* again);
  // For a picture whose client names none.
  std::uint64_t DrawSeed() { return rng_.Next() >> 33; }
  void Delete(const std::string& id) { Apply(Deleted{id}); }
  void Forget(const std::string& id) { Apply(Forgotten{id}); }
  void SettleWebhook(const std::string& id) { Apply(WebhookSettled{id}); }
  // Null: finished videos stay here. Before Open.
  void Use(SharedFilms* shared) { shared_ = shared; }
  void MarkShared(const std::string& id) { Apply(Shared{id}); }
  void MarkUnshared(const std::string& id) { Apply(Unshared{id}); }
  void OnTick();
  // Ends every call to the ingress, for the end of the process.
  void CancelAll();

  const JobTable& table() const { return table_; }
  const ResultStore& store() const { return store_; }
  std::size_t payload_bytes() const { return payload_bytes_; }
  // Calls that gRPC still knows.
  int streams() const { return streams_.load(); }

 private:
  void OnDown(SubmitStream& stream, const v1::JobDown& message) override;
  void OnUploaded(SubmitStream& stream) override { payload_bytes_ -= stream.payload_bytes(); }
  void OnOver(SubmitStream& stream, const grpc::Status& status) override;

  void Apply(JobEvent event);
  void Do(const JobAction& action);
  void Keep(const std::string& id);
  void Run(const Video& video, VideoOrder order, const Passage& passage);
  void OnChunk(const SubmitStream& stream, const std::string& bytes);
  void OnEnd(SubmitStream& stream, const v1::End& end);
  bool IsCurrent(const SubmitStream& stream) const;

  runtime::EventLoop& loop_;
  const VideosSettings& settings_;
  const runtime::Logger& log_;
  NewsSink& news_;
  JobTable table_;
  ResultStore store_;
  SharedFilms* shared_ = nullptr;
  Rng rng_;
  std::unique_ptr<v1::Ingress::Stub> ingress_;
  std::map<std::string, SubmitStream*> runs_;  // by id: what the table takes to be running
  std::deque<JobEvent> later_;                 // caused by actions
  bool applying_ = false;
  absl::Status kept_;  // how writing the last record went
  std::size_t payload_bytes_ = 0;
  std::atomic<int> streams_{0};
};

}  // namespace ringway::gateway

#endif  // RINGWAY_GATEWAY_VIDEO_JOBS_H_
