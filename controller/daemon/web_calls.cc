#include "controller/daemon/web_calls.h"

#include <charconv>
#include <utility>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "controller/daemon/admin_replies.h"
#include "controller/daemon/dry_run_replies.h"
#include "controller/daemon/past_documents.h"
#include "core/json.h"
#include "proto/json_message.h"
#include "ringway/v1/admin.pb.h"

namespace ringway::controller {
namespace {

constexpr std::uint64_t kPastDefault = 100;
constexpr std::uint64_t kPastMax = 500;

template <class Make>
WebCall Document(Make make) {
  return [make = std::move(make)](Dashboard& listener, WebAnswer answer) { answer(make(listener)); };
}

int HexDigit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

std::optional<std::string> Decoded(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      out.push_back(text[i] == '+' ? ' ' : text[i]);
      continue;
    }
    const int high = i + 2 < text.size() ? HexDigit(text[i + 1]) : -1;
    const int low = i + 2 < text.size() ? HexDigit(text[i + 2]) : -1;
    if (high < 0 || low < 0) return std::nullopt;
    out.push_back(static_cast<char>(high * 16 + low));
    i += 2;
  }
  return out;
}

template <class Request>
absl::Status Read(const std::string& body, Request& request) {
  return wire::ReadJsonMessage(body, "the body", wire::kSmallMessage, request);
}

std::string Outcome(const CommandAnswered& answered) {
  JsonWriter json(JsonWriter::Layout::kDense);
  json.BeginObject().Key("done").Flag(answered.done).Key("message").Text(answered.message).End();
  return json.text();
}

// An order, with where it came from.
template <class Request>
absl::StatusOr<WebCall> Order(const std::string& body, const std::string& peer) {
  Request request;
  if (absl::Status read = Read(body, request); !read.ok()) return read;
  const bool named = !request.by().who().empty();
  request.mutable_by()->set_who(
      absl::StrCat(named ? request.by().who() : "somebody", " (dashboard, ", peer, ")"));
  auto command = CommandOf(request);
  if (!command.ok()) return command.status();
  return WebCall([command = *std::move(command)](Dashboard& listener, WebAnswer answer) {
    listener.control().Ask(command, [answer = std::move(answer)](const CommandAnswered& answered) mutable {
      answer(Outcome(answered));
    });
  });
}

bool ReadWhole(std::string_view text, std::uint64_t& number) {
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), number);
  return failed == std::errc() && end == text.data() + text.size();
}

// Errors: InvalidArgument.
absl::StatusOr<std::uint64_t> WholeNumber(std::string_view query, std::string_view name,
                                          std::uint64_t otherwise) {
  const std::string text = QueryValue(query, name).value_or("");
  if (text.empty()) return otherwise;
  std::uint64_t number = 0;
  if (ReadWhole(text, number)) return number;
  return absl::InvalidArgumentError(
      absl::StrCat(std::string(name), " is '", text, "': a whole number is allowed"));
}

// "3.141", an epoch and a version; empty: the table in force. Errors: InvalidArgument.
absl::StatusOr<v1::TableName> TableOf(std::string_view query, std::string_view name) {
  const std::string text = QueryValue(query, name).value_or("");
  v1::TableName table;
  if (text.empty()) return table;
  const std::size_t point = text.find('.');
  std::uint64_t epoch = 0, version = 0;
  if (point == std::string::npos || !ReadWhole(std::string_view(text).substr(0, point), epoch) ||
      !ReadWhole(std::string_view(text).substr(point + 1), version)) {
    return absl::InvalidArgumentError(absl::StrCat(
        std::string(name), " is '", text, "': a table is named EPOCH.VERSION, as history lists them"));
  }
  table.set_epoch(epoch);
  table.set_version(version);
  return table;
}

absl::StatusOr<WebCall> FindMembers(std::string_view name, std::string_view query) {
  const auto from = WholeNumber(query, "from", 0);
  if (!from.ok()) return from.status();
  const auto limit = WholeNumber(query, "limit", kPageMax);
  if (!limit.ok()) return limit.status();
  const ListPage page{static_cast<std::size_t>(*from), static_cast<std::size_t>(*limit)};
  const std::string tier = QueryValue(query, "tier").value_or("");
  const std::string region = QueryValue(query, "region").value_or("");
  if (name == "routers") {
    return Document([region, page](const Dashboard& screen) { return screen.Routers(region, page); });
  }
  return Document(
      [tier, region, page](const Dashboard& screen) { return screen.Workers(tier, region, page); });
}

absl::StatusOr<WebCall> FindPast(std::string_view name, std::string_view query) {
  const auto limit = WholeNumber(query, "limit", kPastDefault);
  if (!limit.ok()) return limit.status();
  const std::uint64_t shown = std::min(*limit, kPastMax);
  const std::string tier = QueryValue(query, "tier").value_or("");
  if (name == "audit") {
    return Document([shown](Dashboard& screen) { return AuditDocument(screen.control().audit(), shown); });
  }
  if (name == "history") {
    v1::HistoryRequest request;
    request.set_tier(tier);
    request.set_limit(static_cast<std::uint32_t>(shown));
    return WebCall([request](Dashboard& screen, WebAnswer answer) {
      screen.past().List(request, [answer = std::move(answer)](auto reply) mutable {
        if (!reply.ok()) return answer(reply.status());
        answer(HistoryDocument(*reply));
      });
    });
  }
  const auto before = TableOf(query, "before");
  if (!before.ok()) return before.status();
  const auto after = TableOf(query, "after");
  if (!after.ok()) return after.status();
  v1::DiffRequest request;
  request.set_tier(tier);
  *request.mutable_before() = *before;
  *request.mutable_after() = *after;
  return WebCall([request](Dashboard& screen, WebAnswer answer) {
    screen.past().Diff(request, [answer = std::move(answer)](auto reply) mutable {
      if (!reply.ok()) return answer(reply.status());
      answer(DiffDocument(*reply));
    });
  });
}

}  // namespace

std::optional<std::string> QueryValue(std::string_view query, std::string_view name) {
  while (!query.empty()) {
    const std::string_view pair = query.substr(0, query.find('&'));
    query.remove_prefix(std::min(query.size(), pair.size() + 1));
    const std::size_t equals = pair.find('=');
    if (equals != std::string_view::npos && pair.substr(0, equals) == name) {
      return Decoded(pair.substr(equals + 1));
    }
  }
  return std::nullopt;
}

absl::StatusOr<WebCall> FindDocument(std::string_view target) {
  const std::size_t mark = target.find('?');
  const std::string_view path = target.substr(0, mark);
  const std::string_view query = mark == std::string_view::npos ? "" : target.substr(mark + 1);
  if (!path.starts_with(kApiPrefix)) return WebCall();
  const std::string_view name = path.substr(kApiPrefix.size());
  const std::string tier = QueryValue(query, "tier").value_or("");
  if (name == "world") return Document([](const Dashboard& listener) { return listener.World(); });
  if (name == "fleet") return Document([](const Dashboard& listener) { return listener.Fleet(); });
  if (name == "table") return Document([](const Dashboard& listener) { return listener.Table(); });
  if (name == "timeline")
    return Document([tier](const Dashboard& listener) { return listener.Timeline(tier); });
  if (name == "region") {
    const std::string region = QueryValue(query, "region").value_or("");
    return Document([tier, region](const Dashboard& listener) { return listener.Region(tier, region); });
  }
  if (name == "request") {
    const std::string id = QueryValue(query, "id").value_or("");
    return WebCall([id](Dashboard& screen, WebAnswer answer) { screen.FindRequest(id, std::move(answer)); });
  }
  if (name == "events") {
    const auto after = WholeNumber(query, "after", 0);
    if (!after.ok()) return after.status();
    return Document([after = *after](const Dashboard& listener) { return listener.Events(after); });
  }
  if (name == "workers" || name == "routers") return FindMembers(name, query);
  if (name == "orders") return Document([tier](const Dashboard& listener) { return listener.Orders(tier); });
  if (name == "audit" || name == "history" || name == "diff") return FindPast(name, query);
  return WebCall();
}

WebPost FindPost(std::string_view path) {
  if (!path.starts_with(kApiPrefix)) return WebPost::kNone;
  const std::string_view name = path.substr(kApiPrefix.size());
  if (name == "dryrun") return WebPost::kDryRun;
  if (name == "drain") return WebPost::kDrain;
  if (name == "threshold") return WebPost::kThreshold;
  return WebPost::kNone;
}

absl::StatusOr<WebCall> ReadPost(WebPost post, const std::string& body, const std::string& peer) {
  if (post == WebPost::kDrain) return Order<v1::DrainRegionRequest>(body, peer);
  if (post == WebPost::kThreshold) return Order<v1::SetThresholdRequest>(body, peer);
  v1::DryRunRequest request;
  if (absl::Status read = Read(body, request); !read.ok()) return read;
  if (request.order_case() != v1::DryRunRequest::ORDER_NOT_SET) {
    return absl::InvalidArgumentError(
        "what an order would do is asked of the Admin service (DryRun); here overload_threshold, drain, "
        "drain_share and demand_scale are allowed");
  }
  return Document([tier = request.tier(), edit = EditOf(request)](const Dashboard& listener) {
    return listener.DryRun(tier, edit);
  });
}

}  // namespace ringway::controller
