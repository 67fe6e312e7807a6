// One request of a client to the videos API, from its head to the end of its answer.
//
// What it waits for is its stage; an exchange is in one stage at a time and leaves the front when it has been
// answered. The connection owns the protocol, the front this. Threads: the front's
// loop. Bounds: the front's, on `body`.
#ifndef RINGWAY_GATEWAY_EXCHANGE_H_
#define RINGWAY_GATEWAY_EXCHANGE_H_

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "core/time.h"
#include "gateway/answer_fields.h"
#include "gateway/fleet_list.h"
#include "gateway/image_call.h"
#include "gateway/jobs/route.h"
#include "gateway/relay.h"
#include "gateway/result_store.h"
#include "gateway/shared_list.h"
#include "runtime/http/server_connection.h"

namespace ringway::gateway {

// Names the router that hands a request on; who gets it answers itself.
inline constexpr std::string_view kRelayedField = "X-Ringway-Relayed-By";
inline constexpr std::string_view kKeyField = "Idempotency-Key";

// A film that comes from elsewhere; gives up when it goes.
class RemoteFilm {
 public:
  virtual ~RemoteFilm() = default;
  // The client can take more.
  virtual void OnDrained() = 0;
};

struct Exchange {
  enum class Stage : std::uint8_t {
    kBody,     // the request is still arriving
    kReading,  // its body is being read
    kVerdict,  // a job was taken: is it refused at once, or started?
    kSync,     // until the job is over
    kImages,   // until all pictures are drawn
    kAnswer,   // which go out
    kEvents,   // as long as the job runs
    kContent,  // a result goes out
    kPreview,  // a picture of a film is made
    kRelay,    // the owner's answer goes through
    kList,     // other routers say what they have
    kLookup,   // the shared store says whether it has this video
  };
  explicit Exchange(http::ServerConnection& connection) : client(connection) {}

  http::ServerConnection& client;
  Stage stage = Stage::kBody;
  AnswerFields fields;  // of every answer
  Route route;
  bool head_only = false;
  bool relayed = false;  // by another router
  Time since;            // in this stage
  // Fields of the head that are needed later.
  std::string target;
  std::string content_type;
  std::string authorization;
  std::string key;
  std::string traceparent;
  std::string tracestate;
  std::string range;
  std::string if_range;
  std::string body;
  std::size_t body_bytes = 0;  // that count for this exchange
  // kVerdict, kSync, kEvents: news of this job are for it.
  std::string video;
  // kEvents.
  std::uint64_t last_event = 0;
  bool behind = false;  // something happened that this client was too slow to hear
  Time said_at;         // when it was last told anything
  // kImages, kAnswer.
  std::unique_ptr<ImageCall> images;
  // kContent.
  std::shared_ptr<const ResultFile> file;
  std::unique_ptr<RemoteFilm> remote;
  std::uint64_t offset = 0;
  std::uint64_t end = 0;
  // kRelay.
  std::shared_ptr<Relay> relay;
  int silences = 0;  // of the owner
  // kList.
  std::shared_ptr<FleetList> list;
  std::shared_ptr<SharedList> shared_list;
};

}  // namespace ringway::gateway

#endif  // RINGWAY_GATEWAY_EXCHANGE_H_
