#include "gateway/order_reader.h"

#include <memory>
#include <utility>

#include "absl/strings/str_cat.h"
#include "core/header_text.h"
#include "gateway/jobs/field_error.h"
#include "gateway/jobs/multipart.h"
#include "gateway/json_order.h"
#include "runtime/http/head.h"

namespace ringway::gateway {
namespace {

bool SaysJson(std::string_view content_type) {
  const std::string_view type = content_type.substr(0, content_type.find(';'));
  return type.empty() || http::SameName(type, "application/json") || http::SameName(type, "text/json");
}

// Clients state a type for text too, so a type alone does not make a file.
bool IsFile(const FormPart& part) {
  if (!part.file_name.empty()) return true;
  const std::string_view type = part.content_type.substr(0, part.content_type.find(';'));
  return !type.empty() && !type.starts_with("text/") && !SaysJson(type);
}

absl::Status AddPart(VideoOrder& order, const FormPart& part) {
  const bool stated = !part.file_name.empty() || !part.content_type.empty();
  if (part.name == "input_reference" && stated) return AddPicture(order, part.bytes, part.content_type);
  if (IsFile(part)) {
    // A job carries one payload. What cannot be handed on is not made a text without its name and type.
    return FieldError(
        part.name, absl::StrCat("field '", HeaderText::Escaped(part.name.substr(0, 100)).text(),
                                "' is a file ('", HeaderText::Escaped(part.file_name.substr(0, 100)).text(),
                                "', ", HeaderText::Escaped(part.content_type.substr(0, 100)).text(),
                                "); allowed: one file, input_reference, and text in the other fields"));
  }
  return AddField(order, part.name, part.bytes);
}

absl::StatusOr<VideoOrder> OrderOfForm(std::string_view body, std::string_view boundary) {
  const auto parts = ReadForm(body, boundary);
  if (!parts.ok()) return parts.status();
  VideoOrder order;
  for (const FormPart& part : *parts) {
    if (absl::Status added = AddPart(order, part); !added.ok()) return added;
  }
  if (absl::Status complete = Complete(order); !complete.ok()) return complete;
  return order;
}

absl::Status AddImageForm(ImageOrderReader& order, std::string_view body, std::string_view boundary) {
  const auto parts = ReadForm(body, boundary);
  if (!parts.ok()) return parts.status();
  for (const FormPart& part : *parts) {
    // A picture is a file whatever type it states; another field is text unless it says that it is none.
    const bool stated = !part.file_name.empty() || !part.content_type.empty();
    const bool file = IsFile(part) || (stated && order.TakesPicture(part.name));
    absl::Status added =
        file ? order.AddFile(part.name, part.bytes, part.content_type) : order.Add(part.name, part.bytes);
    if (!added.ok()) return added;
  }
  return absl::OkStatus();
}

absl::Status OtherType() {
  return FieldError(
      "Content-Type",
      "Content-Type is not one that is read here; allowed: application/json, multipart/form-data with a "
      "boundary");
}

}  // namespace

absl::StatusOr<VideoOrder> OrderOfJson(std::string_view body) {
  static constexpr std::string_view kPictures[] = {"input_reference"};
  VideoOrder order;
  absl::Status read = ReadJsonFields(
      body, {.pictures = kPictures},
      [&order](const std::string& name, std::string_view value) { return AddField(order, name, value); });
  if (read.ok()) read = Complete(order);
  if (!read.ok()) return read;
  return order;
}

absl::StatusOr<VideoOrder> ReadOrder(std::string_view content_type, std::string_view body) {
  if (const std::string boundary = BoundaryOf(content_type); !boundary.empty()) {
    return OrderOfForm(body, boundary);
  }
  if (SaysJson(content_type)) return OrderOfJson(body);
  return OtherType();
}

absl::StatusOr<VideoOrder> ReadImageOrder(ImageCallKind kind, std::string_view content_type,
                                          std::string_view body) {
  static constexpr std::string_view kPictures[] = {"control_image", "image", "mask"};
  static constexpr std::string_view kLists[] = {"lora"};
  ImageOrderReader order(kind);
  absl::Status read = OtherType();
  if (const std::string boundary = BoundaryOf(content_type); !boundary.empty()) {
    read = AddImageForm(order, body, boundary);
  } else if (SaysJson(content_type)) {
    read = ReadJsonFields(
        body, {kPictures, kLists},
        [&order](const std::string& name, std::string_view value) { return order.Add(name, value); });
  }
  if (!read.ok()) return read;
  return order.Finish();
}

void OrderReader::Read(std::optional<ImageCallKind> kind, const std::string& content_type, std::string body,
                       Done done) {
  const auto read = [kind, content_type](const std::string& text) {
    return kind ? ReadImageOrder(*kind, content_type, text) : ReadOrder(content_type, text);
  };
  if (body.size() <= kAtOnceBytes) {
    auto order = read(body);
    return done(std::move(order), std::move(body));
  }
  // Copyable, as the inbox's tasks are; nobody else holds it.
  auto kept = std::make_shared<std::string>(std::move(body));
  const bool posted = thread_.Post([this, read, kept, done] {
    auto order = std::make_shared<absl::StatusOr<VideoOrder>>(read(*kept));
    (void)loop_.Post([order, kept, done] { done(std::move(*order), std::move(*kept)); });
  });
  if (!posted) done(absl::UnavailableError("this router is stopping"), std::move(*kept));
}

}  // namespace ringway::gateway
