// A replica's part: what this router answers about keys whose records it keeps, to other routers and to
// itself.
//
// It answers only in the view that it is in, and only about keys that it serves there: a request of an older
// view is told the newer one, and one of a newer view, or about a key whose records have not been read from
// the view before, is told to wait. Giving up a claim is accepted in any view, because nobody else can have
// it. The records follow the rules of record_table.h, the views those of membership.h. Pure; one owner
// thread.
#ifndef RINGWAY_ROUTER_ONCE_RECORD_REPLICA_H_
#define RINGWAY_ROUTER_ONCE_RECORD_REPLICA_H_

#include <cstddef>
#include <optional>
#include <string>

#include "core/state.h"
#include "router/once/membership.h"
#include "router/once/messages.h"
#include "router/once/record_table.h"

namespace ringway::router::once {

class RecordReplica {
 public:
  explicit RecordReplica(const TableBounds& bounds) : table_(bounds) {}

  // A claim, an end, a release or a pull; anything else is not a replica's to answer.
  Reply Answer(Time now, Membership& members, const Request& request);
  // Takes what a replica of the view before had on record. False: not all of it found room.
  bool Copy(Time now, const Reply& pulled);

  void Forget(Time now) { table_.Forget(now); }
  Time NextForget() const { return table_.NextForget(); }
  std::size_t records() const { return table_.size(); }

  RINGWAY_STATE(table_)

 private:
  // None: it may answer about the key in that view.
  static std::optional<Reply> Objection(const Membership& members, const ViewId& view,
                                        const std::string& key);
  Reply Page(Time now, Membership& members, const PullRequest& pull) const;

  RecordTable table_;
};

}  // namespace ringway::router::once

#endif  // RINGWAY_ROUTER_ONCE_RECORD_REPLICA_H_
