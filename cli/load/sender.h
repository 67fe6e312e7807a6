// The running part of `ringway load`: sends each job when it is due, collects the ends, tells how far it is.
//
// Jobs enter at the given routers: a region is drawn for each job, in proportion to its share, and its
// routers take turns. Everything that could block lives in JobClient; the loop below sleeps until the next
// arrival, end or line of progress. After the last arrival it waits for the jobs in flight, each of which
// ends at its deadline at the latest. Ctrl-C stops sending and cancels what is in flight; the summary is of
// what was sent until then.
//
// Threads: one owner. Bounds: JobClient's, and one entry for each job in flight.
#ifndef RINGWAY_CLI_LOAD_SENDER_H_
#define RINGWAY_CLI_LOAD_SENDER_H_

#include <string>
#include <unordered_map>
#include <vector>

#include "cli/demo/interrupt.h"
#include "cli/load/arrivals.h"
#include "cli/load/job_client.h"
#include "cli/load/summary.h"
#include "cli/session.h"
#include "core/rng.h"
#include "core/time.h"

namespace ringway::load {

// Where jobs enter.
struct Entry {
  std::string region;
  double share = 1;                  // > 0, relative to the others
  std::vector<std::string> routers;  // host:port, not empty
};

struct Shipment {
  v1::JobHeader header;
  std::string payload;
  Duration limit;  // of one call: above the job's own deadline
};

class Sender {
 public:
  Sender(cli::Session& session, std::vector<Entry> entries, Shipment shipment, std::uint64_t seed);
  // Until all jobs of the plan have ended, or somebody interrupts. Seconds from the first to the last arrival
  // that was sent, and at least the time until the sending stopped.
  double Run(Arrivals arrivals, demo::Interrupt& interrupt);
  const Summary& summary() const { return summary_; }

 private:
  struct InFlight {
    std::size_t entry;
    double due_s;
  };
  double Now() const;
  void Send(double due_s);
  void Collect(double until_s);
  void Tell(bool last);
  std::size_t DrawEntry();

  cli::Session& session_;
  const std::vector<Entry> entries_;
  const Shipment shipment_;
  Rng rng_;
  double shares_ = 0;
  std::vector<std::size_t> turns_;  // of each entry's routers
  Summary summary_;
  std::unordered_map<std::size_t, InFlight> in_flight_;  // by ticket
  std::size_t tickets_ = 0;
  Time began_;
  double told_s_ = 0;
  JobClient jobs_;  // last: its calls end before anything they use
};

}  // namespace ringway::load

#endif  // RINGWAY_CLI_LOAD_SENDER_H_
