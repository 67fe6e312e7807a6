// What a store of objects answers, and what an operator writes about it: the first byte says which reader
// gets the rest.
//
// x: XML; l: a list of keys behind "p/a"; e: an error; r: a record; k: a key; u: a URL; c: credentials.
// Whatever is read is held against what its header promises.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "core/check.h"
#include "gateway/jobs/object_key.h"
#include "gateway/jobs/video_id.h"
#include "gateway/objects/s3_answers.h"
#include "gateway/objects/s3_settings.h"
#include "gateway/objects/xml_text.h"
#include "gateway/record_codec.h"

using namespace ringway::gateway;

namespace {

void Xml(std::string_view text) {
  const auto elements = objects::ReadXml(text);
  if (!elements) return;
  RINGWAY_CHECK(!elements->empty() && elements->size() <= objects::kXmlElementsMax);
  std::size_t bytes = 0;
  for (const objects::XmlElement& element : *elements) {
    RINGWAY_CHECK(!element.name.empty() && element.depth < objects::kXmlDepthMax);
    bytes += element.name.size() + element.text.size();
  }
  RINGWAY_CHECK(bytes <= text.size());
}

void List(std::string_view text) {
  const auto list = objects::ReadList(text, "p/", "p/a");
  if (!list) return;
  std::string last = "p/a";
  for (const std::string& key : list->keys) {
    RINGWAY_CHECK(key.starts_with("p/") && key > last);
    last = key;
  }
}

void Record(std::string_view text) {
  const auto video = DecodeRecordObject(text);
  if (video.ok()) RINGWAY_CHECK(ParseVideoId(video->id).has_value());
}

void Url(std::string_view text) {
  const auto place = objects::ReadS3Place(text);
  if (!place.ok()) return;
  RINGWAY_CHECK(!place->bucket.empty() && (place->prefix.empty() || place->prefix.back() == '/'));
  const std::string path = "/" + place->bucket + "/" + place->prefix;
  RINGWAY_CHECK(objects::UriEncoded(path, true) == path && path.find("//") == std::string::npos);
}

void Secrets(std::string_view text) {
  const auto credentials = objects::ReadCredentials(text);
  if (!credentials.ok()) return;
  for (const std::string& part : {credentials->key_id, credentials->secret, credentials->session_token})
    RINGWAY_CHECK(part.find('\n') == std::string::npos && part.find('\r') == std::string::npos);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view text(reinterpret_cast<const char*>(bytes) + 1, size - 1);
  switch (bytes[0]) {
    case 'x':
      Xml(text);
      break;
    case 'l':
      List(text);
      break;
    case 'e':
      for (const int status : {301, 403, 404, 500}) RINGWAY_CHECK(!objects::ErrorOf(status, text).ok());
      break;
    case 'r':
      Record(text);
      break;
    case 'k':
      if (const std::string id = IdOfKey(text); !id.empty()) RINGWAY_CHECK(text.find(id) != text.npos);
      break;
    case 'u':
      Url(text);
      break;
    case 'c':
      Secrets(text);
      break;
    default:
      break;
  }
  return 0;
}
