#include "router/daemon/call_stream.h"

#include <cstdint>

#include "absl/strings/str_cat.h"

namespace ringway::router {
namespace {

// A trace context is for others to read; one that is longer than any good one, or not text, is left out.
constexpr std::size_t kTraceBytesMax = 256;

std::string MetadataOf(const grpc::CallbackServerContext& context, const char* name) {
  const auto found = context.client_metadata().find(name);
  if (found == context.client_metadata().end() || found->second.size() > kTraceBytesMax) return "";
  std::string value(found->second.data(), found->second.size());
  for (const char c : value) {
    if (static_cast<unsigned char>(c) < 0x20 || static_cast<unsigned char>(c) > 0x7e) return "";
  }
  return value;
}

}  // namespace

CallStream::CallStream(grpc::CallbackServerContext* context, bool forwarded, runtime::EventLoop& loop,
                       CallDesk& desk)
    : JobReactor(context, loop),
      forwarded_(forwarded),
      traceparent_(MetadataOf(*context, "traceparent")),
      tracestate_(MetadataOf(*context, "tracestate")),
      desk_(desk) {}

void CallStream::FillTraceContext(v1::JobHeader& header) const {
  if (!header.traceparent().empty() || traceparent_.empty()) return;
  header.set_traceparent(traceparent_);
  header.set_tracestate(tracestate_);
}

// The story, for clients that look at trailers alone.
void CallStream::OnEnding(const v1::End& end) {
  const v1::Story& story = end.story();
  AddTrailer("ringway-outcome", end.outcome());
  AddTrailer("ringway-region", story.region());
  AddTrailer("ringway-router", story.router());
  AddTrailer("ringway-worker", story.worker());
  AddTrailer("ringway-attempts", absl::StrCat(story.attempts()));
  AddTrailer("ringway-wait-ms", absl::StrCat(static_cast<std::int64_t>(story.wait_s() * 1e3)));
  AddTrailer("ringway-reason", story.reason());
  AddTrailer("ringway-table", absl::StrCat(story.table_epoch(), ".", story.table_version()));
}

}  // namespace ringway::router
