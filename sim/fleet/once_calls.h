// What routers of a simulation ask each other about idempotency keys, in virtual time.
//
// Who is asked, and what a reply means, is decided in router/once/; nothing is decided here. As the daemon
// does (router/daemon/once/once_link.h), this makes a call of each ask: it reaches the other router, is
// answered sooner or later, and the asker hears the reply, or that none came, exactly once. None comes when
// the ask or the reply is lost, when the other is dead or dies meanwhile, or when the call's limit passes: a
// second, for an attach its patience and a second. What a dead router asked is forgotten. A proxy may send an
// ask twice (NetworkSpec): both are performed, the second perhaps when the asker has given up, and the first
// answer that comes counts.
//
// Memory: the calls under way. Complexity: O(log calls) a message, O(calls) when a router dies. One owner.
#ifndef RINGWAY_SIM_FLEET_ONCE_CALLS_H_
#define RINGWAY_SIM_FLEET_ONCE_CALLS_H_

#include <cstdint>
#include <map>
#include <optional>

#include "router/once/messages.h"
#include "router/router_action.h"
#include "sim/fleet/routers.h"
#include "sim/stage.h"

namespace ringway::sim {

class OnceCalls {
 public:
  OnceCalls(Stage& stage, Routers& routers);

  void OnAskReaches(std::uint32_t number);
  void OnReplyReaches(std::uint32_t number);
  // It has broken, or has taken too long.
  void OnCallEnds(std::uint32_t number);
  // Calls to it break.
  void RouterDied(RouterId router);

 private:
  struct Call {
    RouterId from;
    Life from_life = 0;
    RouterId to;
    Life to_life = 0;           // that has it; 0: the ask is on its way
    std::uint32_t repeats = 0;  // another call, which it answers, too; 0: none
    router::once::Request request;
    std::optional<router::once::Request> read;  // over a wire: the same, as the other reads it
    router::once::Reply reply;                  // on its way back
    bool malformed = false;                     // what is on its way will not be read
  };

  void Ask(RouterId router, const router::AskReplica& ask);
  // The ask as a call; `repeats` as in Call.
  std::uint32_t Send(RouterId router, const router::AskReplica& ask, std::uint32_t repeats);
  void Answer(RouterId router, const router::AnswerOnce& answer);
  // The call is over: the asker hears of it. `reply`: null if none came.
  void End(std::uint32_t number, const router::once::Reply* reply);

  Stage& stage_;
  Routers& routers_;
  std::map<std::uint32_t, Call> calls_;
  std::uint32_t last_ = 0;
};

}  // namespace ringway::sim

#endif  // RINGWAY_SIM_FLEET_ONCE_CALLS_H_
