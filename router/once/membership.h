// Which view this router is in, and what it has to read before it may answer in it.
//
// Routers hear of a view at different times, may miss one, and two views need not share a replica of a key.
// So a view of its own is not enough: a replica answers about a key in its view only after it has read, of
// every earlier view that may still have agreed to something, as many of the key's replicas as meet any two
// of them. Reading fences: who is read follows into the reader's view and answers in no earlier one again. So
// whatever was agreed to before is read, and nothing can be agreed to behind the reader's back. This is the
// hand-over of RAMBO (Lynch and Shvartsman, 2002) and of Vertical Paxos (Lamport, Malkhi, Zhou, 2009), with
// these rules:
//   * Which earlier views there were, the view itself says, as the controller made them. A controller that
//     has lost its disk does not know; then those that are read tell all that they have heard of.
//   * Views are read from the newest on. A replica that was whole in a view, that is, had itself read all
//   that
//     came before, ends the reading of a key there.
//   * A router that has started again has forgotten: it counts as read in no view before the first in which
//   it
//     is whole again, and reads its own view too. A key all of whose replicas have answered, whether they
//     remember or not, is as well known as it can be.
//   * A view is forgotten when it was left longer ago than records are kept. Until then a key stays closed if
//     too few of its replicas of that view can be read.
//   * Two views of the same routers are one view: the higher number is taken over without reading.
//
// Bounds: kPastMax earlier views, one pull under way for each of their routers. Complexity: O(1) for a key
// once all is read; before, O(earlier views x routers). Pure; one owner thread.
#ifndef RINGWAY_ROUTER_ONCE_MEMBERSHIP_H_
#define RINGWAY_ROUTER_ONCE_MEMBERSHIP_H_

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/ids.h"
#include "core/state.h"
#include "core/time.h"
#include "router/once/messages.h"
#include "router/once/rendezvous.h"

namespace ringway::router::once {

struct Replica {
  std::uint64_t mark = 0;  // StableHash of its name
  RouterId router = {};    // invalid: this router itself, or one that cannot be called
  friend bool operator==(const Replica&, const Replica&) = default;
  RINGWAY_STATE(mark, router)
};

class Membership {
 public:
  static constexpr std::size_t kPastMax = 32;
  // Between two pulls of a router that does not answer, or is lost; grows with the tries up to the second.
  static constexpr Duration kPullPause = Milliseconds(100);
  static constexpr Duration kPullPauseMax = Seconds(2);

  // `keep`: how long records are kept.
  Membership(const std::string& self, Duration keep);

  // ---- who can be called ----
  void List(RouterId router, const std::string& name);
  void Unlist(RouterId router);
  std::uint64_t self() const { return self_; }
  // Invalid: this router itself, or nobody that can be called.
  RouterId RouterOf(std::uint64_t mark) const;
  Replica At(RouterId router) const;
  // For people.
  std::string NameOf(std::uint64_t mark) const;
  std::string NamesOf(const std::vector<Replica>& replicas) const;

  // ---- views ----
  // There is no other router and nothing to be read.
  void BeAlone();
  // As a controller gives it. An older one changes nothing.
  void Use(Time now, const ViewPtr& view);
  // As another router tells it: not believed if no controller can have got so far.
  void Hear(Time now, const ViewPtr& view);
  // A controller of this epoch speaks to this router. A number that none of its predecessors can have given
  // would be higher than all that it will give, so it is dropped.
  void SeeEpoch(std::uint64_t epoch);
  // Null: none is known yet.
  const ViewPtr& view() const { return view_; }
  ViewId id() const { return view_ ? view_->id : ViewId(); }
  // Best first; none without a view.
  std::vector<Replica> ReplicasOf(std::string_view key) const;
  std::size_t quorum() const { return view_ ? QuorumOf(view_->marks.size()) : kQuorum; }
  // Of this router as a replica: all that was agreed to about the key before this view is on record here.
  bool Serves(std::string_view key) const;
  // It is so for all keys that this router keeps.
  bool complete() const { return whole_; }

  // ---- reading ----
  std::vector<std::pair<RouterId, PullRequest>> DuePulls(Time now);
  // `reply`: null, or what the pull was answered with.
  void OnPulled(Time now, RouterId from, const PullRequest& pull, const Reply* reply);
  // What this router tells of itself with its answer to a pull.
  void Tell(Time now, Reply& reply);
  Time NextWake() const;

  RINGWAY_STATE(known_, view_, whole_, since_, epoch_seen_, past_, sources_)

 private:
  enum class Read : std::uint8_t {
    kNot,
    kRead,
    kLost,  // it has answered and has forgotten
  };
  struct Source {
    bool answered = false;
    ViewId since = {};               // as it said
    std::vector<ViewId> whole = {};  // so
    std::string after = {};
    Time again = InfinitePast();  // not to be asked before
    bool asked = false;
    int tries = 0;
    RINGWAY_STATE(answered, since, whole, after, again, asked, tries)
  };
  struct Known {
    RouterId router;
    std::string name;
    RINGWAY_STATE(router, name)
  };

  void Enter(const ViewPtr& view, Time now);
  void AddPast(const KnownView& past);
  void Forget(Time now);
  // Makes a source of each router that is to be read.
  void FindSources();
  void Conclude();
  Read ReadOf(std::uint64_t mark, const KnownView& known, bool& ends) const;
  // Calls f(known view), newest first, for what is to be read, until it says no.
  template <class F>
  bool ForUnread(F f) const;
  bool ReadWhole() const;

  const std::uint64_t self_;
  const std::string name_;
  const Duration keep_;
  std::map<std::uint64_t, Known> known_;  // that can be called, by mark
  ViewPtr view_;
  bool whole_ = false;            // in view_
  ViewId since_;                  // as in Reply
  std::uint64_t epoch_seen_ = 0;  // of a controller
  std::vector<KnownView> past_;   // newest first
  std::map<std::uint64_t, Source> sources_;
};

}  // namespace ringway::router::once

#endif  // RINGWAY_ROUTER_ONCE_MEMBERSHIP_H_
