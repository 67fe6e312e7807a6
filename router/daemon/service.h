// The router's gRPC services: Ingress for clients, Peer for other routers, Ledger for those of its region.
// Each call becomes a stream object.
//
// No decision is made here except the bound: more calls than the router may hold, and some for those that are
// closing, are refused with RESOURCE_EXHAUSTED before anything is read, which keeps the loop's inbox from
// ever filling up. Another router takes that for "busy" and asks the next one.
//
// Threads: gRPC's.
#ifndef RINGWAY_ROUTER_DAEMON_SERVICE_H_
#define RINGWAY_ROUTER_DAEMON_SERVICE_H_

#include <atomic>
#include <memory>
#include <utility>

#include "ringway/v1/job.grpc.pb.h"
#include "ringway/v1/ledger.grpc.pb.h"
#include "router/daemon/jobs/job_calls.h"
#include "router/daemon/ledgers/ledger_sessions.h"
#include "runtime/call_guard.h"
#include "runtime/event_loop.h"
#include "runtime/grpc_listener.h"

namespace ringway::router {

class IngressService final : public v1::Ingress::CallbackService {
 public:
  IngressService(runtime::EventLoop& loop, JobCalls& calls, int streams_max)
      : loop_(loop), calls_(calls), streams_max_(streams_max) {}
  grpc::ServerBidiReactor<v1::JobUp, v1::JobDown>* Submit(grpc::CallbackServerContext* context) override;

 private:
  runtime::EventLoop& loop_;
  JobCalls& calls_;
  const int streams_max_;
};

// For routers of the own region: where they stand before a ledger's leader. They come by a call, or by frames
// on the same port.
class LedgerService final : public v1::Ledger::CallbackService {
 public:
  // `guard`: of the port; null: everybody is admitted.
  LedgerService(runtime::EventLoop& loop, LedgerSessions& sessions, int streams_max,
                std::shared_ptr<const runtime::CallGuard> guard)
      : loop_(loop), sessions_(sessions), streams_max_(streams_max), guard_(std::move(guard)) {}
  grpc::ServerBidiReactor<v1::LedgerUp, v1::LedgerDown>* Connect(
      grpc::CallbackServerContext* context) override;
  // What is spoken on the port beside gRPC.
  runtime::SecondProtocol Frames();

 private:
  // Of frames, that have not been admitted yet; who comes beyond them comes by a call.
  static constexpr int kGreetingsMax = 256;

  // False: there is no room for another stream; else it is counted.
  bool Count();
  void TakeFramed(int fd);

  runtime::EventLoop& loop_;
  LedgerSessions& sessions_;
  const int streams_max_;
  const std::shared_ptr<const runtime::CallGuard> guard_;
  std::shared_ptr<std::atomic<int>> greetings_ = std::make_shared<std::atomic<int>>(0);
};

class PeerService final : public v1::Peer::CallbackService {
 public:
  PeerService(runtime::EventLoop& loop, JobCalls& calls, int streams_max)
      : loop_(loop), calls_(calls), streams_max_(streams_max) {}
  grpc::ServerBidiReactor<v1::JobUp, v1::JobDown>* Forward(grpc::CallbackServerContext* context) override;
  grpc::ServerUnaryReactor* Withdraw(grpc::CallbackServerContext* context, const v1::WithdrawRequest* request,
                                     v1::WithdrawReply* reply) override;

 private:
  runtime::EventLoop& loop_;
  JobCalls& calls_;
  const int streams_max_;
};

}  // namespace ringway::router

#endif  // RINGWAY_ROUTER_DAEMON_SERVICE_H_
