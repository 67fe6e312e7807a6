// Progress of work in this process or behind a router, told while it runs.
//
// To session.err: one line that is drawn over on a terminal; elsewhere, as in a file, only the last one;
// nothing under --json.
// The clock starts when it is made; the line is ended when it goes.
//
// Threads: one owner. Complexity: a line of text a call.
#ifndef RINGWAY_CLI_PROGRESS_REPORT_H_
#define RINGWAY_CLI_PROGRESS_REPORT_H_

#include "cli/progress_line.h"
#include "cli/session.h"
#include "core/time.h"
#include "runtime/clock.h"

namespace ringway::cli {

class ProgressReport {
 public:
  explicit ProgressReport(Session& session) : session_(session), began_(runtime::MonotonicNow()) {}
  ~ProgressReport() {
    if (drawn_) session_.err << "\n";
  }
  ProgressReport(const ProgressReport&) = delete;
  ProgressReport& operator=(const ProgressReport&) = delete;

  double elapsed_s() const { return ToDoubleSeconds(runtime::MonotonicNow() - began_); }
  void Tell(std::uint32_t step, std::uint32_t steps, double fraction) {
    if (session_.json) return;
    const bool in_place = session_.err_terminal;
    if (!in_place && (fraction < 1 || ended_)) return;
    ended_ = fraction >= 1;
    const std::string line = ProgressLine({step, steps, fraction, elapsed_s()});
    session_.err << (in_place ? "\r\x1b[K" : "") << line << (in_place ? "" : "\n") << std::flush;
    drawn_ = in_place;
  }

 private:
  Session& session_;
  Time began_;
  bool drawn_ = false, ended_ = false;
};

}  // namespace ringway::cli

#endif  // RINGWAY_CLI_PROGRESS_REPORT_H_
