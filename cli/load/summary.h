// What came of the jobs of `ringway load`: counts, reasons and quantiles, as text or JSON.
//
// A job is done, refused (nobody began it and the fleet said so: shed, rejected, busy, timeout) or failed (it
// was lost or broke: failed, cancelled), or was never sent because too many were in flight here. Latency is
// what a client feels: from the moment when the job was due, not when it was sent, so that a sender that
// falls behind cannot hide waiting (what G. Tene calls coordinated omission). Offers are offers to workers
// for each job that was placed; 1.00 is perfect.
//
// Bounds: kReasonsMax different reasons, the rest counts as "other". Threads: one owner.
#ifndef RINGWAY_CLI_LOAD_SUMMARY_H_
#define RINGWAY_CLI_LOAD_SUMMARY_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "core/histogram.h"
#include "core/json.h"
#include "ringway/v1/job.pb.h"

namespace ringway::load {

enum class Fate { kDone, kRefused, kFailed };
Fate FateOf(std::string_view outcome);

// Jobs that entered in one region, or all.
struct Counts {
  std::uint64_t sent = 0;
  std::uint64_t done = 0;
  std::uint64_t refused = 0;
  std::uint64_t failed = 0;
  std::uint64_t home = 0;  // of the done ones, served where they entered
  std::uint64_t offers = 0;
  std::uint64_t placed = 0;  // were offered to a worker at all
  Histogram latency_s;       // of the done ones, as are the next two
  Histogram wait_s;
  Histogram service_s;
  std::uint64_t ended() const { return done + refused + failed; }
};

class Summary {
 public:
  static constexpr std::size_t kReasonsMax = 40;

  void Sent(const std::string& region) { ++all_.sent, ++regions_[region].sent; }
  void NotSent() { ++not_sent_; }
  void Late(double late_s);
  void Add(const std::string& region, const v1::End& end, double latency_s);

  const Counts& all() const { return all_; }
  std::uint64_t not_sent() const { return not_sent_; }
  double late_s_max() const { return late_s_max_; }
  // "12 s  sent 24  done 20  refused 1  failed 0  in flight 3".
  std::string ProgressText(double at_s) const;
  std::string Text(double took_s, bool colour) const;
  void WriteJson(double took_s, JsonWriter& json) const;

 private:
  struct Reason {
    std::uint64_t jobs = 0;
    std::string example;  // what one of them was told
  };
  Counts all_;
  std::map<std::string, Counts> regions_;  // where they entered
  std::map<std::string, Reason> reasons_;  // by outcome, of what was not done
  std::uint64_t not_sent_ = 0;
  double late_s_max_ = 0;
};

}  // namespace ringway::load

#endif  // RINGWAY_CLI_LOAD_SUMMARY_H_
