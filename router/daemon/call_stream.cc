#include "router/daemon/call_stream.h"

#include <cstdint>

#include "absl/strings/str_cat.h"
#include "router/daemon/upload.h"

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
                       CallDesk& desk)
    : JobReactor(context, loop),
      forwarded_(forwarded),
      client_(forwarded ? "" : ClientOf(context->peer())),
      traceparent_(MetadataOf(*context, "traceparent")),
      tracestate_(MetadataOf(*context, "tracestate")),
      desk_(desk) {}

void CallStream::FillTraceContext(v1::JobHeader& header) const {
  if (!header.traceparent().empty() || traceparent_.empty()) return;
  header.set_traceparent(traceparent_);
  header.set_tracestate(tracestate_);
}

// The story, for clients that look at trailers alone. Much of it is in the words of workers and other
// routers.
void CallStream::OnEnding(const v1::End& end) {
  const v1::Story& story = end.story();
  const auto add = [this](const char* name, std::string_view text) {
    AddTrailer(name, HeaderText::Escaped(text));
  };
  add("ringway-outcome", end.outcome());
  add("ringway-region", story.region());
  add("ringway-router", story.router());
  add("ringway-worker", story.worker());
  add("ringway-attempts", absl::StrCat(story.attempts()));
  add("ringway-wait-ms", absl::StrCat(static_cast<std::int64_t>(story.wait_s() * 1e3)));
  add("ringway-reason", story.reason());
  add("ringway-table", absl::StrCat(story.table_epoch(), ".", story.table_version()));
}

}  // namespace ringway::router
