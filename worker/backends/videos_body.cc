// An order as the body of a creation.
#include <google/protobuf/struct.pb.h>
#include <google/protobuf/util/json_util.h>

#include <map>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "core/check.h"
#include "worker/backends/service_draw.h"
#include "worker/backends/videos.h"

namespace ringway::worker {
namespace {

std::map<std::string, std::string> FieldsOf(const WorkOrder& order) {
  std::map<std::string, std::string> fields = order.parameters;
  if (!order.prompt.empty()) fields["prompt"] = order.prompt;
  if (!order.model.empty()) fields["model"] = order.model;
  return fields;
}

// A name within quotes.
std::string Quoted(const std::string& name) {
  std::string out;
  for (const char c : name) {
    if (c == '"' || c == '\\') out += '\\';
    if (c != '\r' && c != '\n') out += c;
  }
  return out;
}

}  // namespace

VideoBody FormBody(const WorkOrder& order) {
  // Of what it must not occur in: whoever could write it into a field would have to know it before.
  std::uint64_t hash = HashBytes(order.payload);
  for (const auto& [name, value] : FieldsOf(order)) hash = HashBytes(value, HashBytes(name, hash));
  const std::string boundary = absl::StrCat("ringway-", absl::Hex(hash, absl::kZeroPad16));
  VideoBody body{.content_type = absl::StrCat("multipart/form-data; boundary=", boundary), .bytes = {}};
  for (const auto& [name, value] : FieldsOf(order)) {
    absl::StrAppend(&body.bytes, "--", boundary, "\r\nContent-Disposition: form-data; name=\"", Quoted(name),
                    "\"\r\n\r\n", value, "\r\n");
  }
  if (!order.payload.empty()) {
    const std::string type = order.content_type.empty() ? "application/octet-stream" : order.content_type;
    absl::StrAppend(&body.bytes, "--", boundary,
                    "\r\nContent-Disposition: form-data; name=\"input_reference\"; filename=\"picture\"\r\n",
                    "Content-Type: ", type, "\r\n\r\n", order.payload, "\r\n");
  }
  absl::StrAppend(&body.bytes, "--", boundary, "--\r\n");
  return body;
}

VideoBody JsonVideoBody(const WorkOrder& order) {
  google::protobuf::Struct object;
  auto& fields = *object.mutable_fields();
  for (const auto& [name, value] : FieldsOf(order)) fields[name].set_string_value(value);
  if (!order.payload.empty()) {
    const std::string type = order.content_type.empty() ? "application/octet-stream" : order.content_type;
    fields["input_reference"].set_string_value(
        absl::StrCat("data:", type, ";base64,", absl::Base64Escape(order.payload)));
  }
  VideoBody body{.content_type = "application/json", .bytes = {}};
  RINGWAY_CHECK(google::protobuf::util::MessageToJsonString(object, &body.bytes).ok());
  return body;
}

}  // namespace ringway::worker
