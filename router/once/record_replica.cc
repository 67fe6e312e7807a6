#include "router/once/record_replica.h"

#include <algorithm>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "router/once/rendezvous.h"

namespace ringway::router::once {

Reply RecordReplica::Answer(Time now, Membership& members, const Request& request) {
  table_.Forget(now);
  Reply reply = std::visit(
      [&](const auto& what) -> Reply {
        using What = std::decay_t<decltype(what)>;
        if constexpr (std::is_same_v<What, ClaimRequest>) {
          const auto objection = Objection(members, request.view, what.key);
          return objection ? *objection : table_.Claim(now, what);
        } else if constexpr (std::is_same_v<What, SettleRequest>) {
          const auto objection = Objection(members, request.view, what.record.key);
          return objection ? *objection : table_.Settle(now, members.id(), what);
        } else if constexpr (std::is_same_v<What, ReleaseRequest>) {
          return table_.Release(now, what);  // gives up what nobody else can have, in whatever view
        } else if constexpr (std::is_same_v<What, PullRequest>) {
          return Page(now, members, what);
        } else {
          return {Verdict::kNotMine};
        }
      },
      request.what);
  reply.view = members.id();
  return reply;
}

std::optional<Reply> RecordReplica::Objection(const Membership& members, const ViewId& view,
                                              const std::string& key) {
  const ViewId own = members.id();
  if (view.stated() && view < own) {
    return Reply{.verdict = Verdict::kOldView, .views = {{.view = members.view()}}};
  }
  if ((view.stated() && view != own) || !members.Serves(key)) return Reply{Verdict::kNotReady};
  return std::nullopt;
}

Reply RecordReplica::Page(Time now, Membership& members, const PullRequest& pull) const {
  if (pull.view) {
    members.Hear(now, pull.view);
    if (pull.view->id < members.id()) {
      return {.verdict = Verdict::kOldView, .views = {{.view = members.view()}}};
    }
  }
  const ViewPtr& view = members.view();
  if (!view || (pull.view && pull.view->id != view->id)) return {Verdict::kNotReady};
  Reply reply = table_.Page(pull.after, [&](const std::string& key) {
    const std::vector<std::uint64_t> replicas = Rank(key, view->marks);
    return std::find(replicas.begin(), replicas.end(), pull.replica) != replicas.end();
  });
  members.Tell(now, reply);
  return reply;
}

bool RecordReplica::Copy(Time now, const Reply& pulled) {
  bool all = true;
  for (const Record& record : pulled.records) all = table_.Copy(now, record).verdict != Verdict::kFull && all;
  return all;
}

}  // namespace ringway::router::once
