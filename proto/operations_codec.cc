#include "proto/operations_codec.h"

#include <string_view>

#include "absl/strings/str_cat.h"
#include "core/header_text.h"
#include "proto/drain_codec.h"

namespace ringway::wire {
namespace {

// Names of workers are listed until the line is this long.
constexpr std::size_t kListedBytesMax = 1024;

absl::Status CheckBytes(const char* field, std::string_view text, std::size_t bytes_max) {
  if (text.size() <= bytes_max) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat(field, ": is ", text.size(), " bytes long, allowed are ", bytes_max));
}

absl::Status CheckSignature(const v1::Operator& by) {
  absl::Status status = CheckBytes("by.who", by.who(), kWhoBytesMax);
  status.Update(CheckBytes("by.why", by.why(), kWhyBytesMax));
  status.Update(CheckBytes("by.order", by.order(), kOrderBytesMax));
  return status;
}

std::string OneLine(std::string_view name) { return HeaderText::Escaped(name).text(); }

}  // namespace

absl::Status CheckCancel(const v1::CancelRequest& request) {
  if (absl::Status status = CheckSignature(request.by()); !status.ok()) return status;
  if (request.job().empty()) return absl::InvalidArgumentError("job: is empty; it names the job to cancel");
  return absl::OkStatus();
}

absl::StatusOr<Duration> CheckDrainWorkers(const v1::DrainWorkersRequest& request) {
  if (absl::Status status = CheckSignature(request.by()); !status.ok()) return status;
  if (request.worker().empty() == request.host().empty()) {
    return absl::InvalidArgumentError("worker, host: exactly one of the two says whom the order concerns");
  }
  return DrainTermOf(request.drain(), request.for_s());
}

std::string ActionOf(const v1::CancelRequest& request) {
  return absl::StrCat("cancel job ", OneLine(request.job()));
}

std::string ActionOf(const v1::DrainWorkersRequest& request, const std::vector<std::string>& workers) {
  std::string text = request.drain() ? "drain " : "undrain ";
  if (request.host().empty()) {
    absl::StrAppend(&text, "worker ", OneLine(request.worker()));
  } else {
    absl::StrAppend(&text, "host ", OneLine(request.host()));
  }
  if (request.for_s() > 0) absl::StrAppend(&text, " for ", absl::FormatDuration(Seconds(request.for_s())));
  if (request.host().empty()) return text;
  for (std::size_t i = 0; i < workers.size(); ++i) {
    if (text.size() > kListedBytesMax) return absl::StrCat(text, " and ", workers.size() - i, " more");
    absl::StrAppend(&text, i == 0 ? ": " : ", ", OneLine(workers[i]));
  }
  return text;
}

absl::Status CheckOrderDone(const v1::OrderDone& order) {
  if (order.id().empty()) return absl::InvalidArgumentError("orders.id: is empty; it tells orders apart");
  if (order.who().empty())
    return absl::InvalidArgumentError("orders.who: is empty; it says who gave the order");
  if (order.action().empty())
    return absl::InvalidArgumentError("orders.action: is empty; it says what was done");
  absl::Status status = CheckBytes("orders.id", order.id(), kOrderIdBytesMax);
  status.Update(CheckBytes("orders.who", order.who(), kWhoBytesMax));
  status.Update(CheckBytes("orders.why", order.why(), kWhyBytesMax));
  status.Update(CheckBytes("orders.action", order.action(), kActionBytesMax));
  return status;
}

}  // namespace ringway::wire
