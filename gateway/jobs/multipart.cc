#include "gateway/jobs/multipart.h"

#include <optional>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "gateway/jobs/field_error.h"
#include "gateway/jobs/header_words.h"

namespace ringway::gateway {
namespace {

constexpr std::string_view kLine = "\r\n";
constexpr std::size_t kBoundaryBytesMax = 70;  // RFC 2046, 5.1.1

absl::Status Broken(std::string_view what) {
  return FieldError(kBodyField, absl::StrCat("the multipart body is broken: ", std::string(what)));
}

// Takes one `; name=value` or `; name="value"` off the front. False: there is none, or it is broken.
bool TakeParameter(std::string_view& rest, std::string_view& name, std::string& value) {
  rest = Trimmed(rest);
  if (rest.empty() || rest.front() != ';') return false;
  rest = Trimmed(rest.substr(1));
  const std::size_t equals = rest.find('=');
  if (equals == std::string_view::npos) return false;
  name = Trimmed(rest.substr(0, equals));
  rest = Trimmed(rest.substr(equals + 1));
  value.clear();
  if (rest.empty() || rest.front() != '"') {
    const std::size_t end = std::min(rest.find(';'), rest.size());
    value = std::string(Trimmed(rest.substr(0, end)));
    rest.remove_prefix(end);
    return true;
  }
  for (std::size_t i = 1; i < rest.size(); ++i) {
    if (rest[i] == '"') {
      rest.remove_prefix(i + 1);
      return true;
    }
    if (rest[i] == '\\' && i + 1 < rest.size()) ++i;
    value += rest[i];
  }
  return false;
}

absl::Status ReadDisposition(std::string_view value, FormPart& part) {
  const std::size_t end = std::min(value.find(';'), value.size());
  if (!SameWord(Trimmed(value.substr(0, end)), "form-data")) return Broken("a part is not form-data");
  std::string_view rest = value.substr(end), name;
  std::string text;
  while (!Trimmed(rest).empty()) {
    if (!TakeParameter(rest, name, text)) return Broken("a Content-Disposition cannot be read");
    if (SameWord(name, "name")) part.name = text;
    if (SameWord(name, "filename")) part.file_name = text;
  }
  return absl::OkStatus();
}

absl::Status ReadPartHead(std::string_view head, FormPart& part) {
  int dispositions = 0;
  while (!head.empty()) {
    const std::size_t end = head.find(kLine);
    const std::string_view line = head.substr(0, end);
    head.remove_prefix(end == std::string_view::npos ? head.size() : end + kLine.size());
    const std::size_t colon = line.find(':');
    if (colon == std::string_view::npos) return Broken("a part has a header line without a colon");
    const std::string_view name = line.substr(0, colon), value = Trimmed(line.substr(colon + 1));
    if (SameWord(name, "Content-Type")) part.content_type = value;
    if (!SameWord(name, "Content-Disposition")) continue;
    ++dispositions;
    if (absl::Status read = ReadDisposition(value, part); !read.ok()) return read;
  }
  if (dispositions != 1 || part.name.empty()) return Broken("a part does not say its name, or says two");
  return absl::OkStatus();
}

}  // namespace

std::string BoundaryOf(std::string_view content_type) {
  const std::size_t end = std::min(content_type.find(';'), content_type.size());
  if (!SameWord(Trimmed(content_type.substr(0, end)), "multipart/form-data")) return "";
  std::string_view rest = content_type.substr(end), name;
  std::string value;
  while (TakeParameter(rest, name, value)) {
    if (SameWord(name, "boundary")) return value.size() <= kBoundaryBytesMax ? value : "";
  }
  return "";
}

absl::StatusOr<std::vector<FormPart>> ReadForm(std::string_view body, std::string_view boundary) {
  const std::string opening = "--" + std::string(boundary);
  const std::string delimiter = std::string(kLine) + opening;
  if (!body.starts_with(opening)) return Broken("it does not begin with its boundary");
  body.remove_prefix(opening.size());
  std::vector<FormPart> parts;
  // Here `body` stands behind a delimiter: either "--" ends it all, or a part follows.
  while (!body.starts_with("--")) {
    if (!body.starts_with(kLine)) return Broken("a boundary is not alone on its line");
    if (parts.size() == kPartsMax) return Broken(absl::StrCat("it has more than ", kPartsMax, " parts"));
    body.remove_prefix(kLine.size());
    const std::size_t head_end = body.substr(0, kPartHeadBytesMax).find("\r\n\r\n");
    if (head_end == std::string_view::npos) return Broken("the header of a part has no end");
    FormPart part;
    if (absl::Status read = ReadPartHead(body.substr(0, head_end), part); !read.ok()) return read;
    body.remove_prefix(head_end + 4);
    const std::size_t end = body.find(delimiter);
    if (end == std::string_view::npos) return Broken("it does not end with its boundary");
    part.bytes = body.substr(0, end);
    body.remove_prefix(end + delimiter.size());
    parts.push_back(std::move(part));
  }
  return parts;
}

}  // namespace ringway::gateway
