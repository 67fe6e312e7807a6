#include "proto/job_codec.h"

#include <cmath>
#include <string>

#include "absl/strings/str_cat.h"
#include "core/header_text.h"
#include "proto/table_codec.h"

namespace ringway::wire {
namespace {

absl::Status BadField(const char* field, const std::string& problem) {
  return absl::InvalidArgumentError(absl::StrCat("JobHeader.", field, ": ", problem));
}

absl::Status CheckLength(const char* field, const std::string& text, std::size_t bytes_max) {
  if (text.size() <= bytes_max) return absl::OkStatus();
  return BadField(field, absl::StrCat("is ", text.size(), " bytes long, allowed are ", bytes_max));
}

absl::Status CheckControls(const char* field, const std::string& text) {
  for (const char c : text) {
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f)
      return BadField(field, "contains a control character");
  }
  return absl::OkStatus();
}

// They become header fields, trailers and leases on the way: printable ASCII only.
absl::Status CheckHeaderTexts(const v1::JobHeader& header) {
  const std::pair<const char*, const std::string*> texts[] = {
      {"request_id", &header.request_id()},
      {"tier", &header.tier()},
      {"priority", &header.priority()},
      {"content_type", &header.content_type()},
      {"traceparent", &header.traceparent()},
      {"tracestate", &header.tracestate()},
      {"source_region", &header.source_region()},
      {"lease", &header.lease()},
      {"offer", &header.offer()},
  };
  for (const auto& [field, text] : texts) {
    if (absl::Status s = CheckLength(field, *text, kNameBytesMax); !s.ok()) return s;
    if (absl::Status s = CheckControls(field, *text); !s.ok()) return s;
    if (HeaderText::Parse(*text, kNameBytesMax)) continue;
    return BadField(field, absl::StrCat("is '", HeaderText::Escaped(*text).text(),
                                        "'; allowed is printable ASCII, because it travels in headers"));
  }
  return absl::OkStatus();
}

// They are compared, logged and shown; any language will do.
absl::Status CheckNames(const v1::JobHeader& header) {
  const std::pair<const char*, const std::string*> names[] = {
      {"tenant", &header.tenant()},
      {"model", &header.model()},
      {"idempotency_key", &header.idempotency_key()},
      {"route_reason", &header.route_reason()},
  };
  for (const auto& [field, text] : names) {
    if (absl::Status s = CheckLength(field, *text, kNameBytesMax); !s.ok()) return s;
    if (absl::Status s = CheckControls(field, *text); !s.ok()) return s;
  }
  return absl::OkStatus();
}

absl::Status CheckSeconds(const char* field, double seconds) {
  if (std::isfinite(seconds) && seconds >= 0 && seconds <= kDeadlineSecondsMax) return absl::OkStatus();
  return BadField(field,
                  absl::StrCat("is ", seconds, ", allowed are 0 to ", kDeadlineSecondsMax, " seconds"));
}

absl::Status CheckParameters(const v1::JobHeader& header) {
  if (header.parameters_size() > kParametersMax) {
    return BadField("parameters",
                    absl::StrCat("has ", header.parameters_size(), " entries, allowed are ", kParametersMax));
  }
  for (const auto& [name, value] : header.parameters()) {
    if (name.empty()) return BadField("parameters", "has an entry without a name");
    if (absl::Status s = CheckLength("parameters: a name", name, kParameterBytesMax); !s.ok()) return s;
    if (absl::Status s = CheckLength("parameters: a value", value, kParameterBytesMax); !s.ok()) return s;
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status CheckJobHeader(const v1::JobHeader& header) {
  if (absl::Status s = CheckWireVersion(header.wire_version(), "JobHeader"); !s.ok()) return s;
  if (absl::Status s = CheckHeaderTexts(header); !s.ok()) return s;
  if (absl::Status s = CheckNames(header); !s.ok()) return s;
  if (absl::Status s = CheckLength("prompt", header.prompt(), kPromptBytesMax); !s.ok()) return s;
  if (absl::Status s = CheckSeconds("deadline_s", header.deadline_s()); !s.ok()) return s;
  if (absl::Status s = CheckSeconds("age_s", header.age_s()); !s.ok()) return s;
  if (header.hops() > kHopsMax) {
    return BadField("hops", absl::StrCat("is ", header.hops(), ", allowed are ", kHopsMax));
  }
  if (header.has_http() &&
      (header.http().head().empty() || header.http().head().size() > kHttpHeadBytesMax)) {
    return BadField("http.head", absl::StrCat("is ", header.http().head().size(),
                                              " bytes long, allowed are 1 to ", kHttpHeadBytesMax));
  }
  if (header.http().priority() >= kMaxPriorities) {
    return BadField("http.priority",
                    absl::StrCat("is ", header.http().priority(), ", allowed are 0 to ", kMaxPriorities - 1));
  }
  return CheckParameters(header);
}

absl::Status CheckWithdraw(const v1::WithdrawRequest& request) {
  const std::size_t bytes = request.offer().size();
  if (bytes >= 1 && bytes <= kNameBytesMax) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat("WithdrawRequest.offer: is ", bytes,
                                                 " bytes long, allowed are 1 to ", kNameBytesMax,
                                                 ": it names an offer as JobHeader.offer did"));
}

}  // namespace ringway::wire
