#include "router/once/membership.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "core/leader_epoch.h"

namespace ringway::router::once {

Membership::Membership(const std::string& self, Duration keep)
    : self_(StableHash(self)), name_(self), keep_(keep) {}

// ---- who can be called ----

void Membership::List(RouterId router, const std::string& name) {
  const std::uint64_t mark = StableHash(name);
  const auto found = known_.find(mark);
  if (mark == self_ || (found != known_.end() && found->second.router == router)) return;
  Unlist(router);
  known_[mark] = {router, name};
  if (const auto source = sources_.find(mark); source != sources_.end()) {
    source->second.again = InfinitePast();
    source->second.tries = 0;
  }
}

void Membership::Unlist(RouterId router) {
  std::erase_if(known_, [&](const auto& known) { return known.second.router == router; });
}

RouterId Membership::RouterOf(std::uint64_t mark) const {
  const auto found = known_.find(mark);
  return found == known_.end() ? RouterId() : found->second.router;
}

Replica Membership::At(RouterId router) const {
  for (const auto& [mark, known] : known_) {
    if (known.router == router) return {.mark = mark, .router = router};
  }
  return {.mark = 0, .router = router};
}

std::string Membership::NameOf(std::uint64_t mark) const {
  if (mark == self_) return name_;
  if (const auto found = known_.find(mark); found != known_.end()) return found->second.name;
  for (std::size_t i = 0; view_ && i < view_->marks.size(); ++i) {
    if (view_->marks[i] == mark) return view_->names[i];
  }
  return "one that left the fleet";
}

std::string Membership::NamesOf(const std::vector<Replica>& replicas) const {
  std::string names;
  for (const Replica& replica : replicas)
    absl::StrAppend(&names, names.empty() ? "" : ", ", NameOf(replica.mark));
  return names;
}

// ---- views ----

void Membership::BeAlone() {
  view_ = MakeView({.epoch = 0, .version = 1}, {name_});
  since_ = view_->id;
  whole_ = true;
}

void Membership::Use(Time now, const ViewPtr& view) {
  if (!view->id.stated() || (view_ && view->id < view_->id)) return;
  if (view_ && view->id == view_->id) {
    // A router that has started has no better knowledge of when views were left; its disk's is old.
    for (const KnownView& told : view->before) {
      for (KnownView& past : past_) {
        if (!since_.stated() && past.view->id == told.view->id) past.left = std::min(past.left, told.left);
      }
    }
  } else {
    Enter(view, now);
  }
  FindSources();
  Conclude();
}

void Membership::Hear(Time now, const ViewPtr& view) {
  const std::uint64_t own = std::max(epoch_seen_, view_ ? view_->id.epoch : view->id.epoch);
  if (EpochCredible(view->id.epoch, std::max(own, EpochAt(now)))) Use(now, view);
}

void Membership::Enter(const ViewPtr& view, Time now) {
  const ViewPtr before = std::exchange(view_, view);
  if (before && before->names == view->names) {
    // A pull that is under way names the other number, so its reply will not be known again.
    for (auto& [mark, source] : sources_) source.asked = false;
    return;
  }
  Forget(now);
  if (before) AddPast({.view = before, .left = now, .whole = whole_});
  for (const KnownView& past : view->before) {
    if (past.left + keep_ > now && past.view->id < view->id) AddPast(past);
  }
  whole_ = false;
  // Whoever was read for an earlier view has told what this router keeps in that one.
  sources_.clear();
}

void Membership::AddPast(const KnownView& past) {
  const auto at = std::find_if(past_.begin(), past_.end(),
                               [&](const KnownView& p) { return p.view->id <= past.view->id; });
  if (at != past_.end() && at->view->id == past.view->id) {
    at->left = std::max(at->left, past.left);
    return;
  }
  past_.insert(at, past);
  if (past_.size() > kPastMax) past_.pop_back();
}

void Membership::Forget(Time now) {
  std::erase_if(past_, [&](const KnownView& p) { return p.left + keep_ <= now; });
}

void Membership::SeeEpoch(std::uint64_t epoch) {
  epoch_seen_ = epoch;
  if (!view_ || EpochCredible(view_->id.epoch, epoch)) return;
  auto same = std::make_shared<View>(*view_);
  same->id = {.epoch = 0, .version = 1, .digest = view_->id.digest};
  if (since_.stated()) since_ = same->id;
  view_ = std::move(same);
  sources_.clear();
  FindSources();
}

std::vector<Replica> Membership::ReplicasOf(std::string_view key) const {
  std::vector<Replica> replicas;
  if (!view_) return replicas;
  for (const std::uint64_t mark : Rank(key, view_->marks)) replicas.push_back({mark, RouterOf(mark)});
  return replicas;
}

// ---- reading ----

template <class F>
bool Membership::ForUnread(F f) const {
  if (!since_.stated() && !f(KnownView{.view = view_})) return false;
  for (const KnownView& past : past_) {
    if (!f(past)) return false;
  }
  return true;
}

// `ends` becomes true where that one knows all that went before the view.
Membership::Read Membership::ReadOf(std::uint64_t mark, const KnownView& known, bool& ends) const {
  const ViewId& view = known.view->id;
  if (mark == self_) {
    if (!since_.stated() || view < since_) return Read::kLost;
    ends |= known.whole;
    return Read::kRead;
  }
  const auto found = sources_.find(mark);
  if (found == sources_.end() || !found->second.answered) return Read::kNot;
  const Source& source = found->second;
  if (!source.since.stated() || view < source.since) return Read::kLost;
  ends |= std::find(source.whole.begin(), source.whole.end(), view) != source.whole.end();
  return Read::kRead;
}

bool Membership::Serves(std::string_view key) const {
  if (view_ == nullptr || whole_) return whole_;
  bool enough = true;
  ForUnread([&](const KnownView& known) {
    const std::vector<std::uint64_t> replicas = Rank(key, known.view->marks);
    std::size_t read = 0;
    bool all = true;
    bool ends = false;
    for (const std::uint64_t mark : replicas) {
      const Read state = ReadOf(mark, known, ends);
      read += state == Read::kRead ? 1 : 0;
      all = all && state != Read::kNot;
    }
    enough = all || read >= ReadQuorumOf(replicas.size());
    return enough && !ends;
  });
  return enough;
}

// The same for whatever key: of any three replicas two have been read, or all have answered.
bool Membership::ReadWhole() const {
  bool enough = true;
  ForUnread([&](const KnownView& known) {
    const View& view = *known.view;
    std::size_t missing = 0;  // have not answered
    std::size_t lost = 0;
    std::size_t reading = 0;  // themselves, what went before the view
    for (const std::uint64_t mark : view.marks) {
      bool ends = false;
      const Read state = ReadOf(mark, known, ends);
      missing += state == Read::kNot ? 1 : 0;
      lost += state == Read::kLost ? 1 : 0;
      reading += state == Read::kRead && !ends ? 1 : 0;
    }
    const std::size_t spare = view.marks.size() < kQuorum ? 0 : 1;
    enough = missing == 0 || missing + lost <= spare;
    const bool ends = missing + lost <= spare && reading == 0;
    return enough && !ends;
  });
  return enough;
}

void Membership::Conclude() {
  if (!view_ || whole_ || !ReadWhole()) return;
  whole_ = true;
  if (!since_.stated()) since_ = view_->id;
  sources_.clear();
}

void Membership::FindSources() {
  if (!view_ || whole_) return;
  ForUnread([&](const KnownView& known) {
    for (const std::uint64_t mark : known.view->marks) {
      if (mark != self_) sources_.try_emplace(mark);
    }
    return true;
  });
}

std::vector<std::pair<RouterId, PullRequest>> Membership::DuePulls(Time now) {
  std::vector<std::pair<RouterId, PullRequest>> pulls;
  Forget(now);
  Conclude();
  if (!view_ || whole_) return pulls;
  for (auto& [mark, source] : sources_) {
    const RouterId router = RouterOf(mark);
    if (source.asked || (source.answered && source.since.stated()) || source.again > now || !router.valid())
      continue;
    source.asked = true;
    pulls.push_back({router, {.replica = self_, .after = source.after, .view = view_}});
  }
  return pulls;
}

void Membership::OnPulled(Time now, RouterId from, const PullRequest& pull, const Reply* reply) {
  if (!view_ || whole_) return;
  const auto found = sources_.find(At(from).mark);
  const bool waits = pull.view && pull.view->id == view_->id && found != sources_.end() &&
                     found->second.asked && found->second.after == pull.after;
  if (!waits) return;
  Source& source = found->second;
  source.asked = false;
  if (reply == nullptr || reply->verdict != Verdict::kOk) {
    source.again = now + std::min(kPullPause * ++source.tries, kPullPauseMax);
    return;
  }
  source.tries = 0;
  if (reply->more && reply->cursor > pull.after) {
    source.after = reply->cursor;
    return;
  }
  source.after.clear();
  source.answered = true;
  source.since = reply->since;
  source.whole.clear();
  source.again = now + kPullPauseMax;  // one that has forgotten may have learnt
  for (const KnownView& told : reply->views) {
    if (told.whole) source.whole.push_back(told.view->id);
    if (told.view->id < view_->id && told.left + keep_ > now)
      AddPast({.view = told.view, .left = std::min(told.left, now), .whole = false});
  }
  FindSources();
  Conclude();
}

void Membership::Tell(Time now, Reply& reply) {
  Forget(now);
  reply.since = since_;
  reply.views = past_;
  if (view_) reply.views.push_back({.view = view_, .left = InfiniteFuture(), .whole = whole_});
}

Time Membership::NextWake() const {
  if (!view_ || whole_) return InfiniteFuture();
  Time next = InfiniteFuture();
  for (const KnownView& past : past_) next = std::min(next, past.left + keep_);
  for (const auto& [mark, source] : sources_) {
    const bool due = !source.asked && !(source.answered && source.since.stated()) && RouterOf(mark).valid();
    if (due) next = std::min(next, source.again);
  }
  return next;
}

}  // namespace ringway::router::once
