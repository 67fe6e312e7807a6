#include "gateway/objects/s3_answers.h"

#include "absl/strings/str_cat.h"
#include "core/header_text.h"
#include "gateway/objects/xml_text.h"

namespace ringway::gateway::objects {
namespace {

// What of a server's own text goes into a log.
constexpr std::size_t kTextBytesMax = 300;

std::string TextOf(const std::vector<XmlElement>& elements, std::string_view name) {
  for (const XmlElement& element : elements) {
    if (element.depth == 1 && element.name == name) return element.text;
  }
  return "";
}

bool IsAboutCredentials(std::string_view code) {
  return code == "InvalidAccessKeyId" || code == "SignatureDoesNotMatch" || code == "AccessDenied" ||
         code == "ExpiredToken" || code == "InvalidToken" || code == "RequestTimeTooSkewed" ||
         code == "AuthorizationHeaderMalformed";
}

}  // namespace

std::optional<ObjectList> ReadList(std::string_view xml, std::string_view prefix, std::string_view after) {
  const auto elements = ReadXml(xml);
  if (!elements || elements->front().name != "ListBucketResult") return std::nullopt;
  ObjectList list;
  std::string_view last = after;
  for (std::size_t i = 0; i < elements->size(); ++i) {
    const XmlElement& element = (*elements)[i];
    if (element.depth == 1 && element.name == "IsTruncated") list.more = element.text == "true";
    if (element.depth != 2 || element.name != "Key") continue;
    if (!element.text.starts_with(prefix) || element.text <= last) return std::nullopt;
    list.keys.push_back(element.text);
    last = element.text;
  }
  return list;
}

absl::Status ErrorOf(int http_status, std::string_view body) {
  std::string code, text;
  if (const auto elements = ReadXml(body); elements && elements->front().name == "Error") {
    code = TextOf(*elements, "Code");
    text = TextOf(*elements, "Message");
  }
  const std::string why =
      HeaderText::Escaped(absl::StrCat("it answers ", http_status, code.empty() ? "" : " ", code,
                                       text.empty() ? "" : ": ", text)
                              .substr(0, kTextBytesMax))
          .text();
  if (IsAboutCredentials(code) || http_status == 401 || http_status == 403)
    return absl::PermissionDeniedError(why);
  if (http_status == 404 && (code.empty() || code == "NoSuchKey")) return absl::NotFoundError(why);
  if (http_status >= 500 || http_status == 429 || http_status == 408) return absl::UnavailableError(why);
  return absl::FailedPreconditionError(why);
}

}  // namespace ringway::gateway::objects
