// The options that describe a job, the same for every subcommand that sends some: `submit` and `load`.
//
// They fill a header of the wire directly; what has to be looked at as text first (deadline, parameters, the
// file) is kept here until Complete. The payload is not read here: `submit` streams it, `load` holds it in
// memory.
//
// Threads: one owner.
#ifndef RINGWAY_CLI_JOB_OPTIONS_H_
#define RINGWAY_CLI_JOB_OPTIONS_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "ringway/v1/job.pb.h"
#include "runtime/flags.h"

namespace ringway::cli {

struct JobOptions {
  v1::JobHeader header;
  std::string file;                     // payload; empty: none
  std::string deadline;                 // a duration
  std::vector<std::string> parameters;  // name=value

  // Adds the options; *this must outlive the parsing.
  void AddTo(flags::Command command);
  // What the texts say goes into the header. Errors: InvalidArgument, with the option.
  absl::Status Complete();
};

}  // namespace ringway::cli

#endif  // RINGWAY_CLI_JOB_OPTIONS_H_
