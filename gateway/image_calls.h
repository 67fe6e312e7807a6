// Calls to the images API from their orders to their answers, for the front that owns their exchanges.
//
// An exchange that draws waits in stage kImages for news of its jobs, then sends its answer in stage kAnswer
// as fast as its client reads. What goes wrong with one of its jobs ends it with that, and the other jobs
// with it. The front hands over what concerns such an exchange, and lends what ends one: a refusal, and its
// release.
//
// Threads: the front's loop. Bounds: image_call.h, and kAnswerWindowBytes unsent for each client.
#ifndef RINGWAY_GATEWAY_IMAGE_CALLS_H_
#define RINGWAY_GATEWAY_IMAGE_CALLS_H_

#include <functional>

#include "gateway/exchange.h"
#include "gateway/videos_metrics.h"
#include "gateway/watchers.h"
#include "runtime/log.h"

namespace ringway::gateway {

class ImageCalls {
 public:
  struct Endings {
    std::function<void(Exchange&, const ImageRefusal&)> refuse;
    std::function<void(std::uint64_t tag)> release;
  };
  ImageCalls(VideoJobs& jobs, Watchers& watchers, VideosMetrics& metrics, const runtime::Logger& log,
             Endings endings)
      : jobs_(jobs), watchers_(watchers), metrics_(metrics), log_(log), endings_(std::move(endings)) {}

  // Each may end the exchange.
  void Begin(Exchange& exchange, const VideoOrder& order, const Passage& passage);
  void OnNews(Exchange& exchange);
  void OnDrained(Exchange& exchange) { Send(exchange); }
  // Nobody waits for its pictures any more.
  void Drop(Exchange& exchange);

 private:
  void Refuse(Exchange& exchange, const ImageRefusal& refusal);
  void Send(Exchange& exchange);

  VideoJobs& jobs_;
  Watchers& watchers_;
  VideosMetrics& metrics_;
  const runtime::Logger& log_;
  const Endings endings_;
};

}  // namespace ringway::gateway

#endif  // RINGWAY_GATEWAY_IMAGE_CALLS_H_
