// As a leader: the streams of its clients, and what a session wants said to them and to workers.
#include <chrono>
#include <memory>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "router/daemon/ledgers/ledger_sessions.h"
#include "router/wire/worker_codec.h"
#include "runtime/clock.h"

namespace ringway::router {
namespace {

constexpr Duration kFenceLimit = Seconds(2);

struct FenceCall {
  explicit FenceCall(StreamCount& streams) : ticket(streams) {}
  StreamCount::Ticket ticket;
  grpc::ClientContext context;
  v1::FenceRequest request;
  v1::WorkerState reply;
};

}  // namespace

// ---- streams ----

void LedgerSessions::OnMessage(LedgerStream& stream, const v1::LedgerUp& message) {
  if (!stream.router.valid()) {
    Greet(stream, message);
    return;
  }
  if (stream.listens) {
    if (message.has_hint_wanted()) {
      tell_({stream.tier, HintWanted{stream.router, message.hint_wanted().number()}});
      return;
    }
    stream.Close({grpc::StatusCode::INVALID_ARGUMENT,
                  "LedgerUp: who listens from another region may only ask for a hint"});
    return;
  }
  const auto said =
      DecodeUp(runtime::MonotonicNow(), message, stream.router, *fleet_.fleet, stream.tier, *this);
  if (said.ok()) {
    tell_({stream.tier, RouterSaid{stream.router, *said}});
  } else if (!absl::IsNotFound(said.status())) {
    stream.Close({grpc::StatusCode::INVALID_ARGUMENT, std::string(said.status().message())});
  }
}

void LedgerSessions::Greet(LedgerStream& stream, const v1::LedgerUp& message) {
  const auto refuse = [&](grpc::StatusCode code, const std::string& why) { stream.Close({code, why}); };
  if (closed_) return refuse(grpc::StatusCode::UNAVAILABLE, "this router is going down");
  const auto greeting = DecodeGreeting(message);
  if (!greeting.ok()) {
    return refuse(grpc::StatusCode::INVALID_ARGUMENT, std::string(greeting.status().message()));
  }
  const auto tier = fleet_.fleet->FindTier(greeting->tier);
  if (!tier) {
    return refuse(grpc::StatusCode::UNAVAILABLE,
                  absl::StrCat("tier '", greeting->tier, "' is not known here yet"));
  }
  if (node_.session(*tier) == nullptr) {
    return refuse(grpc::StatusCode::UNAVAILABLE,
                  absl::StrCat("tier '", greeting->tier, "' has no ledger here yet"));
  }
  const RouterId number = NumberOf(greeting->router);
  if (!number.valid() || number == kSelf) {
    return refuse(grpc::StatusCode::RESOURCE_EXHAUSTED,
                  absl::StrCat("router '", greeting->router, "' cannot stand here: ",
                               number.valid() ? "it has this router's own name"
                                              : "too many routers stand here at a time"));
  }
  stream.tier = *tier;
  stream.router = number;
  Endpoint& endpoint = endpoints_[*tier];
  LedgerStream*& place = endpoint.streams[number];
  if (place != nullptr) place->Close({grpc::StatusCode::ABORTED, "the router stands here anew"});
  place = &stream;
  numbers_.Came(number);
  stream.listens = !greeting->region.empty();
  if (stream.listens) {
    tell_({stream.tier, ListenerConnected{number, greeting->hint_period}});
  } else {
    tell_({stream.tier, ClientConnected{number}});
  }
}

void LedgerSessions::OnClosed(LedgerStream& stream) {
  streams.fetch_sub(1);
  if (!stream.router.valid()) return;
  numbers_.Left(stream.router);
  Endpoint& endpoint = endpoints_[stream.tier];
  const auto place = endpoint.streams.find(stream.router);
  if (place == endpoint.streams.end() || place->second != &stream) return;
  endpoint.streams.erase(place);
  if (stream.listens) {
    tell_({stream.tier, ListenerDisconnected{stream.router}});
  } else {
    tell_({stream.tier, ClientDisconnected{stream.router}});
  }
}

// ---- what a session wants said to clients and workers ----

void LedgerSessions::Do(TierId tier, const TellRouter& action) {
  const Endpoint& endpoint = endpoints_[tier];
  const auto place = endpoint.streams.find(action.router);
  if (place != endpoint.streams.end())
    place->second->Send(EncodeDown(action.what, fleet_.fleet->world, *this));
}

void LedgerSessions::Do(TierId tier, const SendHeartbeat& action) {
  const Endpoint& endpoint = endpoints_[tier];
  const auto place = endpoint.streams.find(action.router);
  if (place != endpoint.streams.end())
    place->second->Send(EncodeHeartbeat(action.appointment, action.redirects));
}

void LedgerSessions::Do(TierId tier, const SendHint& action) {
  const Endpoint& endpoint = endpoints_[tier];
  const auto place = endpoint.streams.find(action.router);
  if (place != endpoint.streams.end()) place->second->Send(EncodeHint(action.hint, action.answers));
}

void LedgerSessions::Do(TierId tier, const FenceOff& action) {
  auto call = std::make_shared<FenceCall>(client_streams_);
  call->context.set_deadline(std::chrono::system_clock::now() + absl::ToChronoMilliseconds(kFenceLimit));
  call->request = EncodeFence(action);
  const auto answered = [this, tier, call, worker = action.worker, connection = action.connection,
                         alive = std::weak_ptr<bool>(alive_)](const grpc::Status& status) {
    // What was lost is said again: the worker's next announcement shows that it does not know yet.
    (void)loop_.Post([this, tier, call, worker, connection, alive, ok = status.ok()] {
      if (!ok || alive.expired()) return;
      tell_(
          {tier, WorkerAnnounced{.announce = AnnouncementOf(worker, call->reply), .connection = connection}});
    });
  };
  addresses_.WorkerStub(action.worker)
      ->async()
      ->RaiseFence(&call->context, &call->request, &call->reply, answered);
}

}  // namespace ringway::router
