#include "cli/port_probe.h"

#include <grpcpp/generic/generic_stub.h>
#include <grpcpp/grpcpp.h>
#include <netdb.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <string_view>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "runtime/address.h"
#include "runtime/grpc_server.h"

namespace ringway::cli {
namespace {

constexpr char kReflection[] = "/grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo";
// ServerReflectionRequest{list_services: "*"}: field 7, one byte. No library ships the client's side of it.
constexpr char kListServices[] = "\x3a\x01*";
constexpr std::size_t kAnswerBytesMax = 64 << 10;

// What reflection answers, as it came: the names of services are plain text in it. Empty: no gRPC, or none.
std::string ListOfServices(const std::string& address) {
  grpc::GenericStub stub(runtime::MakeChannel(address));
  grpc::ClientContext context;
  context.set_deadline(std::chrono::system_clock::now() + kProbeLimit);
  grpc::CompletionQueue queue;
  const auto call = stub.PrepareCall(&context, kReflection, &queue);
  // The deadline ends every operation, so this always comes back.
  const auto done = [&queue] {
    void* tag = nullptr;
    bool ok = false;
    return queue.Next(&tag, &ok) && ok;
  };
  std::string answer;
  call->StartCall(nullptr);
  if (done()) {
    const grpc::Slice request(kListServices, sizeof kListServices - 1);
    call->Write(grpc::ByteBuffer(&request, 1), nullptr);
    grpc::ByteBuffer reply;
    if (done()) {
      call->Read(&reply, nullptr);
      std::vector<grpc::Slice> slices;
      if (done() && reply.Length() <= kAnswerBytesMax && reply.Dump(&slices).ok()) {
        for (const grpc::Slice& slice : slices)
          answer.append(reinterpret_cast<const char*>(slice.begin()), slice.size());
      }
    }
  }
  context.TryCancel();
  grpc::Status status;
  call->Finish(&status, nullptr);
  done();
  queue.Shutdown();
  while (done()) {
  }
  return answer;
}

// Whether a plain GET is answered as HTTP.
bool SpeaksHttp(const std::string& text) {
  const absl::StatusOr<runtime::Address> address = runtime::ParseAddress(text);
  if (!address.ok()) return false;
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  if (getaddrinfo(address->host.c_str(), absl::StrCat(address->port).c_str(), &hints, &found) != 0)
    return false;
  const int socket = ::socket(found->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
  bool http = false;
  if (socket >= 0) {
    const timeval limit{.tv_sec = kProbeLimit.count(), .tv_usec = 0};
    setsockopt(socket, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);  // of connect too
    setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
    constexpr std::string_view kGet = "GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
    char answer[8] = {};
    http = connect(socket, found->ai_addr, found->ai_addrlen) == 0 &&
           send(socket, kGet.data(), kGet.size(), MSG_NOSIGNAL) == static_cast<ssize_t>(kGet.size()) &&
           recv(socket, answer, 7, MSG_WAITALL) == 7 && std::string_view(answer) == "HTTP/1.";
    close(socket);
  }
  freeaddrinfo(found);
  return http;
}

const char* NameOf(PortKind kind) {
  switch (kind) {
    case PortKind::kController:
      return "a controller's gRPC port";
    case PortKind::kRouter:
      return "a router's gRPC port";
    case PortKind::kWorker:
      return "a worker's gRPC port";
    case PortKind::kOtherGrpc:
      return "a gRPC port of something that is not Ringway";
    case PortKind::kHttp:
      return "an HTTP port, for browsers, metrics or the videos API, and speaks no gRPC";
    case PortKind::kUnknown:
      break;
  }
  return "";
}

}  // namespace

PortKind ProbePort(const std::string& address) {
  const std::string services = ListOfServices(address);
  if (absl::StrContains(services, "ringway.v1.Admin")) return PortKind::kController;
  if (absl::StrContains(services, "ringway.v1.Ingress")) return PortKind::kRouter;
  if (absl::StrContains(services, "ringway.v1.Worker")) return PortKind::kWorker;
  if (!services.empty()) return PortKind::kOtherGrpc;
  return SpeaksHttp(address) ? PortKind::kHttp : PortKind::kUnknown;
}

std::string WrongPort(const std::string& address, PortKind wanted) {
  const PortKind found = ProbePort(address);
  if (found == PortKind::kUnknown || found == wanted) return "";
  const bool router = wanted == PortKind::kRouter;
  return absl::StrCat(address, " is ", NameOf(found), "; wanted is ", NameOf(wanted), ", ",
                      router ? "7410 if nothing else was said; --router or RINGWAY_ROUTER"
                             : "7400 if nothing else was said; --controller or RINGWAY_CONTROLLER",
                      " set the address");
}

}  // namespace ringway::cli
