#include "router/once/record_table.h"

#include <algorithm>

namespace ringway::router::once {
namespace {

// Of one page: records looked at, records given, bytes after which it ends.
constexpr std::size_t kPageScanMax = 4096;
constexpr std::size_t kPageRecordsMax = 256;
constexpr std::size_t kPageBytesMax = std::size_t{512} << 10;

std::size_t BytesOf(const Record& record) { return record.result.bytes ? record.result.bytes->size() : 0; }

// Whether the end of `claim` may replace what is known. Of two claims of one round only one can have had its
// quorum, and the one that is done had it. A claim that was given up never ends.
bool EndHeartbeats(const ClaimId& claim, const Record& known) {
  if (known.free) return true;
  if (known.claim == claim) return !known.done;
  return known.claim.round < claim.round || (known.claim.round == claim.round && !known.done);
}

}  // namespace

Reply RecordTable::Taken(absl::Time now, const Record& record) const {
  const bool expired = !record.done && !record.free && now >= record.until;
  return {.verdict = expired ? Verdict::kExpired : Verdict::kTaken, .records = {record}};
}

Reply RecordTable::Claim(absl::Time now, const ClaimRequest& request) {
  const auto at = records_.find(request.key);
  if (at != records_.end()) {
    const Record& known = at->second.record;
    if (known.free) {
      if (request.claim.round <= known.claim.round) return {.verdict = Verdict::kBehind, .records = {known}};
    } else if (known.claim != request.claim || known.done) {
      const bool gives_way = !known.done && std::find(request.over.begin(), request.over.end(),
                                                      known.claim) != request.over.end();
      if (!gives_way) return Taken(now, known);
    }
  } else if (records_.size() >= bounds_.records_max) {
    return {.verdict = Verdict::kFull};
  }
  Store(now, {.key = request.key,
              .fingerprint = request.fingerprint,
              .claim = request.claim,
              .until = now + request.hold});
  return {};
}

Reply RecordTable::Settle(absl::Time now, const SettleRequest& request) {
  const auto at = records_.find(request.record.key);
  if (at != records_.end()) {
    const Record& known = at->second.record;
    const bool gives_way = !known.done && request.instead_of.stated() && known.claim == request.instead_of;
    if (known.claim == request.record.claim && known.done) return {};
    if (!gives_way && !EndHeartbeats(request.record.claim, known)) return Taken(now, known);
  } else if (records_.size() >= bounds_.records_max) {
    return {.verdict = Verdict::kFull};
  }
  Record record = request.record;
  record.done = true;
  record.free = false;
  record.until = now + bounds_.keep;
  Store(now, record);
  return {};
}

Reply RecordTable::Release(absl::Time now, const ReleaseRequest& request) {
  const auto at = records_.find(request.key);
  if (at == records_.end() || at->second.record.done || at->second.record.claim != request.claim) return {};
  if (request.claim.round == 1) {
    Erase(at);
    return {};
  }
  // An earlier claim may have left its end with one replica. The round has to go on rising, or that end would
  // count for more than a later one.
  Record free = at->second.record;
  free.free = true;
  free.until = now;
  Store(now, free);
  return {};
}

Reply RecordTable::Copy(absl::Time now, const Record& record) {
  const auto at = records_.find(record.key);
  if (at != records_.end()) {
    const Record& known = at->second.record;
    // A copied claim has not asked for this replica's consent: it never replaces an end.
    const bool newer = record.done ? EndHeartbeats(record.claim, known)
                                   : !known.done && known.claim.round < record.claim.round;
    if (!newer) return {};
  } else if (records_.size() >= bounds_.records_max) {
    return {.verdict = Verdict::kFull};
  }
  Store(now, record);
  return {};
}

Reply RecordTable::Page(const std::string& after,
                        const std::function<bool(const std::string&)>& wanted) const {
  Reply reply;
  std::size_t bytes = 0;
  std::size_t looked_at = 0;
  for (auto at = records_.upper_bound(after); at != records_.end(); ++at) {
    if (++looked_at > kPageScanMax || reply.records.size() >= kPageRecordsMax || bytes >= kPageBytesMax) {
      reply.more = true;
      break;
    }
    reply.cursor = at->first;
    if (!wanted(at->first)) continue;
    bytes += at->first.size() + BytesOf(at->second.record);
    reply.records.push_back(at->second.record);
  }
  return reply;
}

const Record* RecordTable::Find(const std::string& key) const {
  const auto at = records_.find(key);
  return at == records_.end() ? nullptr : &at->second.record;
}

const Record* RecordTable::Next(const std::string& after) const {
  const auto at = records_.upper_bound(after);
  return at == records_.end() ? nullptr : &at->second.record;
}

void RecordTable::Store(absl::Time now, const Record& record) {
  if (const auto old = records_.find(record.key); old != records_.end()) Erase(old);
  const absl::Time forget = record.done ? record.until : std::max(now, record.until) + bounds_.keep;
  records_[record.key] = {record, forgets_.emplace(forget, record.key)};
  if (BytesOf(record) == 0) return;
  result_bytes_ += BytesOf(record);
  results_.push_back(record.key);
  DropOldResults();
}

void RecordTable::Erase(Records::iterator at) {
  result_bytes_ -= BytesOf(at->second.record);
  forgets_.erase(at->second.forget);
  records_.erase(at);
}

// Keys that are gone already, or have come again, are skipped over; each is looked at once for each time it
// was pushed.
void RecordTable::DropOldResults() {
  while (!results_.empty() &&
         (result_bytes_ > bounds_.result_bytes_max || results_.size() > 2 * bounds_.records_max)) {
    const auto at = records_.find(results_.front());
    results_.pop_front();
    if (at == records_.end()) continue;
    result_bytes_ -= BytesOf(at->second.record);
    at->second.record.result.bytes = nullptr;
  }
}

void RecordTable::Forget(absl::Time now) {
  while (!forgets_.empty() && forgets_.begin()->first <= now) Erase(records_.find(forgets_.begin()->second));
  // Records go about in the order in which they came, so little that is gone stays behind one that is not.
  while (!results_.empty() && !records_.contains(results_.front())) results_.pop_front();
}

absl::Time RecordTable::NextForget() const {
  return forgets_.empty() ? absl::InfiniteFuture() : forgets_.begin()->first;
}

}  // namespace ringway::router::once
