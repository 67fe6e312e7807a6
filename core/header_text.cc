#include "core/header_text.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

namespace ringway {
namespace {

absl::string_view View(std::string_view text) { return {text.data(), text.size()}; }

}  // namespace

std::optional<HeaderText> HeaderText::Parse(std::string_view text, std::size_t bytes_max) {
  if (text.size() > bytes_max || !std::all_of(text.begin(), text.end(), IsPrintableAscii))
    return std::nullopt;
  return HeaderText(std::string(text));
}

HeaderText HeaderText::Escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    const bool fits = IsPrintableAscii(c);
    // Whole or not at all, so that half an escape never stands at the end.
    if (out.size() + (fits ? 1 : 3) > kBytesMax) break;
    if (fits) {
      out.push_back(c);
    } else {
      absl::StrAppendFormat(&out, "%%%02X", static_cast<unsigned>(static_cast<unsigned char>(c)));
    }
  }
  return HeaderText(std::move(out));
}

absl::Status HeaderText::CheckName(std::string_view what, std::string_view name) {
  const std::string allowed = absl::StrCat("allowed are 1 to ", kNameBytesMax, " printable ASCII characters");
  if (name.empty() || name.size() > kNameBytesMax) {
    return absl::InvalidArgumentError(absl::StrCat(View(what), " has ", name.size(), " bytes; ", allowed));
  }
  const auto odd = std::find_if_not(name.begin(), name.end(), IsPrintableAscii);
  if (odd == name.end()) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat(View(what), " is '", HeaderText::Escaped(name).text(), "': byte ", odd - name.begin() + 1,
                   " is ", absl::StrFormat("0x%02x", static_cast<unsigned>(static_cast<unsigned char>(*odd))),
                   "; ", allowed, ", because names travel in headers"));
}

}  // namespace ringway
