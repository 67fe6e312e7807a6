// What executes a job: one order at a time, told and heard on the worker's event loop.
//
// The slot decides when something runs; a backend only runs it. Start gives it an order, and it answers
// through the sink with progress, pieces of the result in order, and exactly one OnEnd. Cancel asks it to
// stop early, at its next step boundary at the latest; it still answers with OnEnd (kCancelled, or what
// happened instead). After OnEnd it is free for the next Start.
//
// Invariants: never two orders at once; the sink is not called from within Start or Cancel; nothing is called
// on it after OnEnd. A backend that computes on threads of its own posts to the loop. Threads: everything
// here on the loop's thread.
//
// The backends of this release are listed in settings.h (kBackends); a new one is a class here and one line
// in MakeBackend.
#ifndef RINGWAY_WORKER_BACKENDS_BACKEND_H_
#define RINGWAY_WORKER_BACKENDS_BACKEND_H_

#include <cstdint>
#include <map>
#include <string>

#include "core/job.h"
#include "core/picture_terms.h"
#include "core/time.h"

namespace ringway::worker {

struct WorkOrder {
  std::string request_id;
  std::string model;
  std::string content_type;  // of the payload
  std::string prompt;
  std::map<std::string, std::string> parameters;
  std::string traceparent;  // W3C trace context
  std::string tracestate;
  CostHint cost;
  std::string payload;
};

struct WorkEnd {
  Outcome outcome =
      Outcome::kDone;             // kDone, kFailed, kCancelled, kRejected, kBusy (not started, ask elsewhere)
  std::string message = {};       // for people: why it is not done; of a done one, what was not understood
  std::string content_type = {};  // of the result
  Duration retry_after = {};      // with kBusy; zero: unknown
};

class WorkSink {
 public:
  virtual ~WorkSink() = default;
  // `step` of `steps` are finished.
  virtual void OnProgress(std::uint32_t step, std::uint32_t steps) = 0;
  virtual void OnResult(std::string bytes) = 0;
  virtual void OnEnd(WorkEnd end) = 0;
};

class Backend {
 public:
  virtual ~Backend() = default;
  virtual void Start(WorkOrder order, WorkSink& sink) = 0;
  // Nothing to do when nothing runs.
  virtual void Cancel() = 0;
  // Which pictures its jobs may bring; constant, and unsaid where what stands behind it decides.
  virtual PictureTerms pictures() const { return {}; }
};

}  // namespace ringway::worker

#endif  // RINGWAY_WORKER_BACKENDS_BACKEND_H_
