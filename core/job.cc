#include "core/job.h"

namespace ringway {

std::string_view OutcomeName(Outcome outcome) {
  switch (outcome) {
    case Outcome::kDone:
      return "done";
    case Outcome::kBusy:
      return "busy";
    case Outcome::kFailed:
      return "failed";
    case Outcome::kTimeout:
      return "timeout";
    case Outcome::kCancelled:
      return "cancelled";
    case Outcome::kShed:
      return "shed";
    case Outcome::kRejected:
      return "rejected";
  }
  return "unknown";
}

}  // namespace ringway
