#include "cli/job_call.h"

#include <grpcpp/grpcpp.h>

#include <optional>

#include "absl/strings/str_cat.h"
#include "cli/port_probe.h"
#include "proto/job_codec.h"
#include "runtime/grpc_server.h"

namespace ringway::cli {
namespace {

using Stream = grpc::ClientReaderWriter<v1::JobUp, v1::JobDown>;

// Stops early, without an error, when the router has ended the job already.
void SendJob(Stream& stream, const v1::JobHeader& header, std::istream* payload) {
  v1::JobUp up;
  *up.mutable_header() = header;
  bool open = stream.Write(up);
  std::string chunk(wire::kChunkBytesMax, '\0');
  while (open && payload != nullptr && *payload) {
    payload->read(chunk.data(), static_cast<std::streamsize>(chunk.size()));
    if (payload->gcount() == 0) break;
    up.set_chunk(chunk.data(), static_cast<std::size_t>(payload->gcount()));
    open = stream.Write(up);
  }
  stream.WritesDone();
}

// The end, or nothing when the stream broke off or a chunk could not be kept.
std::optional<v1::End> ReceiveJob(Stream& stream, const JobEvents& events, bool& kept) {
  v1::JobDown down;
  while (kept && stream.Read(&down)) {
    switch (down.kind_case()) {
      case v1::JobDown::kAccepted:
        events.accepted(down.accepted());
        break;
      case v1::JobDown::kProgress:
        events.progress(down.progress());
        break;
      case v1::JobDown::kChunk:
        kept = events.chunk(down.chunk());
        break;
      case v1::JobDown::kEnd:
        return down.end();
      case v1::JobDown::kHttp:  // of plain requests, between routers
      case v1::JobDown::KIND_NOT_SET:
        break;  // something newer than this release: not for us
    }
  }
  return std::nullopt;
}

}  // namespace

absl::StatusOr<v1::End> RunJob(const std::string& router, const v1::JobHeader& header, std::istream* payload,
                               const JobEvents& events) {
  const auto stub = v1::Ingress::NewStub(runtime::MakeChannel(router));
  grpc::ClientContext context;
  const auto stream = stub->Submit(&context);
  SendJob(*stream, header, payload);
  bool kept = true;
  std::optional<v1::End> end = ReceiveJob(*stream, events, kept);
  if (!kept) context.TryCancel();
  const grpc::Status status = stream->Finish();
  if (end) return *std::move(end);
  if (!kept) return absl::CancelledError("the result could not be written; the job is cancelled");
  const bool unknown_call = status.error_code() == grpc::StatusCode::UNIMPLEMENTED;
  if (unknown_call || status.error_code() == grpc::StatusCode::UNAVAILABLE) {
    if (const std::string wrong = WrongPort(router, PortKind::kRouter); !wrong.empty())
      return absl::UnavailableError(wrong);
  }
  if (status.error_code() == grpc::StatusCode::UNAVAILABLE) {
    return absl::UnavailableError(
        absl::StrCat("no router answers at ", router, " (", status.error_message(),
                     "); is it running? --router or RINGWAY_ROUTER set the address"));
  }
  const auto code =
      status.ok() ? absl::StatusCode::kInternal : static_cast<absl::StatusCode>(status.error_code());
  return absl::Status(code, absl::StrCat("the router at ", router, " broke off: ", status.error_message()));
}

}  // namespace ringway::cli
