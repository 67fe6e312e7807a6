#include "router/videos/order_reader.h"

#include <memory>
#include <utility>

#include "router/videos/jobs/multipart.h"
#include "router/videos/json_order.h"
#include "runtime/http/head.h"

namespace ringway::router::videos {
namespace {

bool SaysJson(std::string_view content_type) {
  const std::string_view type = content_type.substr(0, content_type.find(';'));
  return type.empty() || http::SameName(type, "application/json") || http::SameName(type, "text/json");
}

absl::Status AddPart(VideoOrder& order, const FormPart& part) {
  const bool file = !part.file_name.empty() || !part.content_type.empty();
  if (part.name == "input_reference" && file) return AddPicture(order, part.bytes, part.content_type);
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

}  // namespace

absl::StatusOr<VideoOrder> ReadOrder(std::string_view content_type, std::string_view body) {
  if (const std::string boundary = BoundaryOf(content_type); !boundary.empty()) {
    return OrderOfForm(body, boundary);
  }
  if (SaysJson(content_type)) return OrderOfJson(body);
  return absl::InvalidArgumentError(
      "Content-Type is not one that is read here; allowed: application/json, multipart/form-data with a "
      "boundary");
}

void OrderReader::Read(const std::string& content_type, std::string body, Done done) {
  if (body.size() <= kAtOnceBytes) {
    auto order = ReadOrder(content_type, body);
    return done(std::move(order), std::move(body));
  }
  // Copyable, as the inbox's tasks are; nobody else holds it.
  auto kept = std::make_shared<std::string>(std::move(body));
  const bool posted = thread_.Post([this, content_type, kept, done] {
    auto order = std::make_shared<absl::StatusOr<VideoOrder>>(ReadOrder(content_type, *kept));
    (void)loop_.Post([order, kept, done] { done(std::move(*order), std::move(*kept)); });
  });
  if (!posted) done(absl::UnavailableError("this router is stopping"), std::move(*kept));
}

}  // namespace ringway::router::videos
