// One line that says how far a long work is: a bar, the step, what is left.
//
//   [############------------]  50 %  step 4 of 8  1.2 s left
//
// The time left is the time so far, stretched; nothing is promised before a twentieth is done. Pure: time is
// an argument. Plain ASCII, so that it looks the same everywhere; at most about 80 columns.
#ifndef RINGWAY_CLI_PROGRESS_LINE_H_
#define RINGWAY_CLI_PROGRESS_LINE_H_

#include <cstdint>
#include <string>

namespace ringway::cli {

struct WorkSoFar {
  std::uint32_t step = 0, steps = 0;
  double fraction = 0;   // of all
  double elapsed_s = 0;  // since the work began
};
std::string ProgressLine(const WorkSoFar& work);

}  // namespace ringway::cli

#endif  // RINGWAY_CLI_PROGRESS_LINE_H_
