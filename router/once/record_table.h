// A replica's side: which keys are claimed, by whom, and what came of them.
//
// The rules of a register with ballots (Attiya, Bar-Noy, Dolev 1995; Paxos' rounds): a free key takes any
// claim; a taken one only a claim that names the one it takes over from; an end is accepted for the claim
// that is on record, or from a higher round, never over a higher one. So a claim that was taken over cannot
// end any more, whatever comes late.
//
// A claim that is granted is Paxos' promise: no end of an earlier round is accepted after it, also when the
// claim is given up. It is granted beside an end of an earlier round, which whoever holds it has to tell as
// the end of his own (his ballot's value); an end that the claim's round does not exceed is told without a
// promise. An end that was accepted here names the view in which it was, and is a vote: an end with a quorum
// of votes in one view has been told, or may be. A copy is none.
//
// What replicas of an earlier view had on record is copied here side by side: of two claims that two of them
// had, either may have been agreed to, and an end may stand under a later claim that was not. Each has to be
// given up, to end or to expire by itself before the key is anybody else's. A claim that is granted here is
// alone. An end shows that its claim was agreed to, so it clears away claims of its round and below.
//
// A record survives the end of its claim's hold by `keep`, longer than any
// message lives, so late messages cannot make an old claim new.
//
// Bounds: records_max keys, kRivalsMax records of one; when full, new keys are refused and nothing known is
// forgotten. Results beyond result_bytes_max lose their bytes, the oldest first, never their record.
// Complexity: O(log records). Pure.
#ifndef RINGWAY_ROUTER_ONCE_RECORD_TABLE_H_
#define RINGWAY_ROUTER_ONCE_RECORD_TABLE_H_

#include <cstddef>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/state.h"
#include "router/once/messages.h"

namespace ringway::router::once {

struct TableBounds {
  std::size_t records_max = 65536;
  std::size_t result_bytes_max = std::size_t{64} << 20;
  Duration keep = Minutes(10);  // of a record, after its end
};

class RecordTable {
 public:
  explicit RecordTable(const TableBounds& bounds) : bounds_(bounds) {}

  Reply Claim(Time now, const ClaimRequest& request);
  // `view`: that the end is told in.
  Reply Settle(Time now, const ViewId& view, const SettleRequest& request);
  Reply Release(Time now, const ReleaseRequest& request);
  // Another replica's record, beside what is known.
  Reply Copy(Time now, Record record);
  // Those that `wanted` says, a bounded number, in the order of their keys.
  Reply Page(const std::string& after, const std::function<bool(const std::string&)>& wanted) const;

  // What stands in the way of others; null: nothing is known.
  const Record* Find(const std::string& key) const;

  // Of one key.
  static constexpr std::size_t kRivalsMax = 8;

  void Forget(Time now);
  Time NextForget() const;
  std::size_t size() const { return records_.size(); }
  std::size_t result_bytes() const { return result_bytes_; }

  // As RINGWAY_STATE does; whoever fills the fields in calls Relink then.
  template <class F>
  void VisitState(F&& f) {
    f(records_, forgets_, results_, result_bytes_);
    Relink();
  }
  template <class F>
  auto VisitState(F&& f) const {
    return f(records_, forgets_, results_, result_bytes_);
  }

 private:
  using Forgets = std::multimap<Time, std::string>;
  struct Entry {
    std::vector<Record> records;  // at least one; of those done or free one at most
    Forgets::iterator forget;
    RINGWAY_STATE(records)
  };
  using Records = std::map<std::string, Entry>;

  // Of those that know of something, what has to be seen to first.
  static const Record& First(const std::vector<Record>& records);
  // By the first; of the others the end is told too.
  static Reply Taken(Time now, const Record& by, const std::vector<Record>& known);
  // None: the claim may be granted.
  static std::optional<Reply> Objection(Time now, const ClaimId& claim, const std::vector<Record>& known);
  std::vector<Record> Known(const std::string& key) const;
  // Puts these in the place of what was known of the key; none: forgets it.
  void Store(Time now, const std::string& key, std::vector<Record> records);
  void Erase(Records::iterator at);
  void DropOldResults();
  // Each entry's place among forgets_, which has one for each key.
  void Relink();

  TableBounds bounds_;
  Records records_;
  Forgets forgets_;
  std::deque<std::string> results_;  // keys whose results have bytes, oldest first; some may be gone
  std::size_t result_bytes_ = 0;
};

}  // namespace ringway::router::once

#endif  // RINGWAY_ROUTER_ONCE_RECORD_TABLE_H_
