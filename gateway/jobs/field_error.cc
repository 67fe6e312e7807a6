#include "gateway/jobs/field_error.h"

#include <algorithm>

#include "absl/strings/cord.h"
#include "core/absl_view.h"
#include "core/header_text.h"

namespace ringway::gateway {
namespace {

constexpr char kFieldPayload[] = "ringway/field";

bool IsNameLetter(char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_'; }

std::string_view NameAtFront(std::string_view text) {
  const auto end = std::find_if_not(text.begin(), text.end(), IsNameLetter);
  return text.substr(0, static_cast<std::size_t>(end - text.begin()));
}

}  // namespace

absl::Status FieldError(std::string_view field, std::string_view message) {
  absl::Status status = absl::InvalidArgumentError(AbslView(message));
  const std::string_view whole = field.substr(0, field.find_first_of("[."));
  const std::string_view shown = (whole.empty() ? field : whole).substr(0, kFieldShownMax);
  status.SetPayload(kFieldPayload, absl::Cord(HeaderText::Escaped(shown).text()));
  return status;
}

std::string FieldOf(const absl::Status& status) {
  const auto field = status.GetPayload(kFieldPayload);
  return field ? std::string(*field) : std::string();
}

std::string FieldNamedBy(std::string_view message) {
  for (const std::string_view before : {"unknown setting \"", "JobHeader."}) {
    if (message.starts_with(before)) return std::string(NameAtFront(message.substr(before.size())));
  }
  const std::string_view name = NameAtFront(message);
  const std::string_view behind = message.substr(name.size());
  const bool told = behind.starts_with(" is ") || behind.starts_with(": ") || behind.starts_with(" \"");
  return told ? std::string(name) : std::string();
}

}  // namespace ringway::gateway
