#include "router/http/forwarded_head.h"

#include <array>
#include <charconv>

namespace ringway::router {
namespace {

constexpr std::string_view kOurs = "X-Ringway-";
constexpr std::string_view kForwardedFor = "X-Forwarded-For";
constexpr std::string_view kForwardedProto = "X-Forwarded-Proto";

bool EndsHere(std::string_view name) {
  // By length first: it tells nearly all names apart.
  switch (name.size()) {
    case 2:
      return http::SameName(name, "TE");
    case 6:
      return http::SameName(name, "Expect");
    case 7:
      return http::SameName(name, "Trailer") || http::SameName(name, "Upgrade");
    case 10:
      return http::SameName(name, "Connection") || http::SameName(name, "Keep-Alive");
    case 14:
      return http::SameName(name, "Content-Length");
    case 16:
      return http::SameName(name, "Proxy-Connection");
    case 17:
      return http::SameName(name, "Transfer-Encoding");
    case 18:
      return http::SameName(name, "Proxy-Authenticate");
    case 19:
      return http::SameName(name, "Proxy-Authorization");
    default:
      return false;
  }
}

bool IsOurs(std::string_view name) {
  return name.size() > kOurs.size() && http::SameName(name.substr(0, kOurs.size()), kOurs);
}

// Connection may name further fields that concern the connection alone.
struct NamedByConnection {
  explicit NamedByConnection(const http::Head& head) {
    for (const http::Field& field : head.fields) {
      if (!http::SameName(field.name, "Connection")) continue;
      const bool usual = http::SameName(field.value, "keep-alive") || http::SameName(field.value, "close");
      if (!usual && count < lists.size()) lists[count++] = field.value;
    }
  }
  bool Has(std::string_view name) const {
    for (std::size_t i = 0; i < count; ++i) {
      if (http::ListHas(lists[i], name)) return true;
    }
    return false;
  }
  std::array<std::string_view, 4> lists;
  std::size_t count = 0;
};

void AppendField(std::string_view name, std::string_view value, std::string& out) {
  out.append(name);
  out.append(": ");
  out.append(value);
  out.append("\r\n");
}

}  // namespace

void AppendRequestHead(const http::Head& head, std::string_view client, std::string& out) {
  out.append(head.method);
  out.append(" ");
  out.append(head.target);
  out.append(" HTTP/1.1\r\n");
  const NamedByConnection named(head);
  std::string_view forwarded_for;
  bool knows_proto = false;
  for (const http::Field& field : head.fields) {
    if (EndsHere(field.name) || IsOurs(field.name) || (named.count > 0 && named.Has(field.name))) continue;
    if (http::SameName(field.name, kForwardedFor)) {
      // Several lines are one list; ours goes behind the last.
      if (!forwarded_for.empty()) AppendField(kForwardedFor, forwarded_for, out);
      forwarded_for = field.value;
      continue;
    }
    knows_proto = knows_proto || http::SameName(field.name, kForwardedProto);
    AppendField(field.name, field.value, out);
  }
  out.append(kForwardedFor);
  out.append(": ");
  if (!forwarded_for.empty()) out.append(forwarded_for).append(", ");
  out.append(client).append("\r\n");
  if (!knows_proto) AppendField(kForwardedProto, "http", out);
  if (head.minor_version == 0 && head.Find("Host") == nullptr) AppendField("Host", "localhost", out);
  if (head.framing == http::Framing::kChunked) AppendField("Transfer-Encoding", "chunked", out);
  const bool empty_body = head.framing == http::Framing::kNone && head.Find("Content-Length") != nullptr;
  if (head.framing == http::Framing::kLength || empty_body) {
    char text[24];
    const auto end = std::to_chars(text, text + sizeof(text), head.length).ptr;
    AppendField("Content-Length", {text, static_cast<std::size_t>(end - text)}, out);
  }
}

void BeginForwardedResponse(const http::Head& head, http::ServerConnection& client) {
  client.BeginResponse(head.status, head.reason);
  const NamedByConnection named(head);
  for (const http::Field& field : head.fields) {
    if (IsOurs(field.name) || (named.count > 0 && named.Has(field.name))) continue;
    if (EndsHere(field.name)) {
      // Without a body the length tells what a GET would have brought.
      const bool told = head.framing == http::Framing::kNone && http::SameName(field.name, "Content-Length");
      if (!told) continue;
    }
    client.AddField(field.name, field.value);
  }
}

}  // namespace ringway::router
