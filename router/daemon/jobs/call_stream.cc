#include "router/daemon/jobs/call_stream.h"

#include <cstdint>

#include "absl/strings/str_cat.h"
#include "router/daemon/jobs/upload.h"

namespace ringway::router {
namespace {

// A trace context is for others to read; one that is longer than any good one, or not text, is left out.
constexpr std::size_t kTraceBytesMax = 256;

std::string MetadataOf(const grpc::CallbackServerContext& context, const char* name) {
  const auto found = context.client_metadata().find(name);
  if (found == context.client_metadata().end()) return "";
  const auto value = HeaderText::Parse({found->second.data(), found->second.size()}, kTraceBytesMax);
  return value ? value->text() : "";
}

}  // namespace

CallStream::CallStream(grpc::CallbackServerContext* context, bool forwarded, runtime::EventLoop& loop,
                       CallListener& listener)
    : JobReactor(context, loop),
      forwarded_(forwarded),
      client_(forwarded ? "" : ClientOf(context->peer())),
      traceparent_(MetadataOf(*context, "traceparent")),
      tracestate_(MetadataOf(*context, "tracestate")),
      listener_(listener) {}

void CallStream::FillTraceContext(v1::JobHeader& header) const {
  if (!header.traceparent().empty() || traceparent_.empty()) return;
  header.set_traceparent(traceparent_);
  header.set_tracestate(tracestate_);
}

// The trace, for clients that look at trailers alone. Much of it is in the words of workers and other
// routers.
void CallStream::OnEnding(const v1::End& end) {
  const v1::JobTrace& trace = end.trace();
  const auto add = [this](const char* name, std::string_view text) {
    AddTrailer(name, HeaderText::Escaped(text));
  };
  add("ringway-outcome", end.outcome());
  add("ringway-region", trace.region());
  add("ringway-router", trace.router());
  add("ringway-worker", trace.worker());
  add("ringway-offers", absl::StrCat(trace.offers()));
  add("ringway-wait-ms", absl::StrCat(static_cast<std::int64_t>(trace.wait_s() * 1e3)));
  add("ringway-reason", trace.reason());
  add("ringway-table", absl::StrCat(trace.table_epoch(), ".", trace.table_version()));
}

}  // namespace ringway::router
