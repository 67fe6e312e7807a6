// What strangers send to the videos API: the first byte says which reader gets the rest.
//
// i: an id; l: a page of a list; r: a Range field; f: a form with the boundary B; j: a JSON body; p: a
// request target; w: a webhook URL. Whatever is read is held against what its header promises.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "core/check.h"
#include "gateway/jobs/byte_range.h"
#include "gateway/jobs/list_page.h"
#include "gateway/jobs/multipart.h"
#include "gateway/jobs/route.h"
#include "gateway/jobs/video_id.h"
#include "gateway/jobs/webhook_url.h"
#include "gateway/order_reader.h"

using namespace ringway::gateway;

namespace {

void Id(std::string_view text) {
  const auto id = ParseVideoId(text);
  if (id) RINGWAY_CHECK(id->Text() == text);
}

void Lines(std::string_view text) {
  const auto page = ReadPageLines(text);
  if (page) RINGWAY_CHECK(PageLines(*page) == text && page->videos.size() <= ListQuery::kLimitMax);
}

void Range(std::string_view text) {
  for (const std::uint64_t size : {0ull, 1ull, 10ull, ~0ull}) {
    const ByteRange range = ReadRange(text, size);
    const bool part = range.kind == ByteRange::Kind::kPart;
    RINGWAY_CHECK(!part || (range.count > 0 && range.first < size && range.count <= size - range.first));
    RINGWAY_CHECK(range.kind != ByteRange::Kind::kWhole || range.count == size);
  }
}

void Form(std::string_view text) {
  const auto parts = ReadForm(text, "B");
  if (!parts.ok()) return;
  RINGWAY_CHECK(parts->size() <= kPartsMax);
  VideoOrder order;
  for (const FormPart& part : *parts) {
    RINGWAY_CHECK(!part.name.empty());
    RINGWAY_CHECK(part.bytes.data() >= text.data() &&
                  part.bytes.data() + part.bytes.size() <= text.data() + text.size());
    (void)AddField(order, part.name, part.bytes);
  }
  (void)Complete(order);
}

void Json(std::string_view text) {
  const auto order = OrderOfJson(text);
  if (!order.ok()) return;
  RINGWAY_CHECK(order->parameters.size() <= kFieldsMax && order->prompt.size() <= kPromptBytesMax);
  RINGWAY_CHECK(!order->prompt.empty() || !order->picture.empty());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view text(reinterpret_cast<const char*>(bytes) + 1, size - 1);
  switch (bytes[0]) {
    case 'i':
      Id(text);
      break;
    case 'l':
      Lines(text);
      break;
    case 'r':
      Range(text);
      break;
    case 'f':
      Form(text);
      (void)BoundaryOf(text);
      break;
    case 'j':
      Json(text);
      break;
    case 'p':
      RINGWAY_CHECK(ReadRoute("GET", text).query.size() <= Route::kQueryMax);
      break;
    case 'w':
      if (const auto url = ParseWebhookUrl(text)) RINGWAY_CHECK(url->target.front() == '/');
      break;
    default:
      break;
  }
  return 0;
}
