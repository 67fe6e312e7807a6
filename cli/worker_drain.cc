#include "cli/worker_drain.h"

#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "cli/admin_client.h"
#include "cli/operations_client.h"
#include "core/json.h"

namespace ringway::cli {
namespace {

// Names that were meant, where no router knows the worker or the host.
absl::Status Unknown(OperationsClient& routers, const absl::Status& status,
                     const v1::DrainWorkersRequest& request) {
  if (status.code() != absl::StatusCode::kNotFound) return status;
  const bool by_name = !request.worker().empty();
  const std::string& word = by_name ? request.worker() : request.host();
  std::string text(status.message());
  if (text.empty())
    text = absl::StrCat("no router has a worker ", by_name ? "" : "on host ", "\"", word, "\"");
  if (!routers.Silent().empty()) absl::StrAppend(&text, "; ", routers.Silent());
  std::vector<std::string> known;
  if (const auto workers = routers.Workers(); workers.ok()) {
    for (const v1::WorkerListing& worker : *workers) {
      known.push_back(by_name ? worker.name() : worker.host());
    }
  }
  return WithNearest(absl::NotFoundError(text), word, known);
}

std::string LineOf(const v1::WorkerOrdered& worker, double for_s) {
  if (!worker.done()) return absl::StrCat(worker.name(), " did not take the order: ", worker.error());
  // A worker that was told to end stays in its drain.
  if (!worker.draining()) return absl::StrCat(worker.name(), " serves");
  return absl::StrCat(worker.name(), " drains",
                      worker.job().empty() ? "" : absl::StrCat(", finishes ", worker.job()),
                      for_s > 0 ? absl::StrCat(", serves again in ", SpanText(for_s)) : "");
}

}  // namespace

int DrainWorkers(Session& session, v1::DrainWorkersRequest request) {
  absl::StatusOr<OperationsClient> routers = OperationsClient::Connect(session);
  if (!routers.ok()) return Fail(session, routers.status());
  request.mutable_by()->set_who(OperatorName());
  const auto replies = routers->Drain(request);
  if (!replies.ok()) return Fail(session, Unknown(*routers, replies.status(), request));
  if (!routers->Silent().empty()) session.err << "ringway: " << routers->Silent() << "\n";
  bool all = true;
  JsonWriter json;
  json.BeginObject().Key("workers").BeginArray();
  for (const v1::DrainWorkersReply& reply : *replies) {
    for (const v1::WorkerOrdered& worker : reply.workers()) {
      all = all && worker.done() && worker.draining() == request.drain();
      json.Raw(MessageJson(worker));
      if (!session.json) session.out << LineOf(worker, request.for_s()) << "\n";
    }
  }
  json.End().End();
  if (session.json) session.out << json.text() << "\n";
  return all ? kExitOk : kExitNo;
}

}  // namespace ringway::cli
