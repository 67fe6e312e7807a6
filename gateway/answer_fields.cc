#include "gateway/answer_fields.h"

#include <algorithm>
#include <array>
#include <utility>

#include "absl/container/inlined_vector.h"
#include "absl/strings/str_cat.h"
#include "core/header_text.h"

namespace ringway::gateway {
namespace {

constexpr std::size_t kAskedFieldsBytesMax = 2048;
// As many as there mostly are.
constexpr std::size_t kLinesBytes = 128;

using Pair = std::pair<std::string_view, std::string_view>;

// Every answer has two of them, and those to a page of another site all five.
using Pairs = absl::InlinedVector<Pair, 5>;

Pairs PairsOf(const AnswerFields& fields) {
  Pairs pairs = {{"X-Content-Type-Options", "nosniff"}};
  if (!fields.request_id.empty()) pairs.emplace_back(kRequestIdField, fields.request_id);
  if (fields.origin.empty()) return pairs;
  pairs.emplace_back("Access-Control-Allow-Origin", fields.origin);
  pairs.emplace_back("Access-Control-Expose-Headers",
                     "X-Request-Id, Retry-After, Content-Range, Accept-Ranges, ETag, Content-Disposition, "
                     "X-Ringway-Video");
  pairs.emplace_back("Vary", "Origin");
  return pairs;
}

}  // namespace

std::string AnswerFields::Lines(std::string_view others) const {
  std::string lines;
  lines.reserve(others.size() + kLinesBytes);
  lines.append(others);
  for (const auto& [name, value] : PairsOf(*this))
    lines.append(name).append(": ").append(value).append("\r\n");
  return lines;
}

void AnswerFields::AddTo(http::ServerConnection& client) const {
  for (const auto& [name, value] : PairsOf(*this)) client.AddField(name, value);
}

bool AnswerFields::Has(std::string_view name) {
  static constexpr std::array<std::string_view, 5> kNames = {"X-Content-Type-Options", kRequestIdField,
                                                             "Access-Control-Allow-Origin",
                                                             "Access-Control-Expose-Headers", "Vary"};
  return std::ranges::any_of(kNames, [name](std::string_view of) { return http::SameName(name, of); });
}

absl::Status CheckOrigin(std::string_view origin) {
  if (origin == "*") return absl::OkStatus();
  for (const std::string_view scheme : {"http://", "https://"}) {
    if (!origin.starts_with(scheme)) continue;
    const std::string_view host = origin.substr(scheme.size());
    const auto plain = [](char c) {
      return IsPrintableAscii(c) && c != ' ' && c != '/' && c != '@' && c != ',';
    };
    if (!host.empty() && host.size() < 256 && std::ranges::all_of(host, plain)) return absl::OkStatus();
  }
  return absl::InvalidArgumentError(
      absl::StrCat("--videos-cors-origin is '", HeaderText::Escaped(origin).text(),
                   "'; allowed are https://HOST[:PORT], http://HOST[:PORT] and *"));
}

std::string AllowedOrigin(const http::Head& head, const std::vector<std::string>& origins) {
  const std::string origin(head.Value("Origin"));
  if (origin.empty()) return "";
  for (const std::string& allowed : origins) {
    if (allowed == "*") return "*";
    if (allowed == origin) return origin;
  }
  return "";
}

bool IsPreflight(const http::Head& head) {
  return head.method == "OPTIONS" && head.Find("Origin") != nullptr &&
         head.Find("Access-Control-Request-Method") != nullptr;
}

std::string PreflightLines(const http::Head& head) {
  const auto asked = HeaderText::Parse(head.Value("Access-Control-Request-Headers"), kAskedFieldsBytesMax);
  return absl::StrCat(
      "Access-Control-Allow-Methods: GET, HEAD, POST, DELETE\r\nAccess-Control-Allow-Headers: ",
      asked && !asked->text().empty() ? asked->text() : "Authorization, Content-Type",
      "\r\nAccess-Control-Max-Age: 600\r\n");
}

}  // namespace ringway::gateway
