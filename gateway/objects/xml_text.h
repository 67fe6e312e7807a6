// The little of XML that an S3-compatible server answers with: elements that hold text or elements.
//
// A document is read into a flat list of elements with their depth, in the order in which they begin; that is
// all that a list of keys or an error needs. Attributes, comments, declarations and processing instructions
// are skipped. References are the five names and numbers; others, a document type (where entities could be
// declared) and CDATA are refused, so nothing that is read can grow.
//
// Source: XML 1.0, 5th edition; a subset. Pure. Bounds: kXmlBytesMax, kXmlElementsMax, kXmlDepthMax.
// Complexity: linear in the text. Threads: values.
#ifndef RINGWAY_GATEWAY_OBJECTS_XML_TEXT_H_
#define RINGWAY_GATEWAY_OBJECTS_XML_TEXT_H_

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ringway::gateway::objects {

inline constexpr std::size_t kXmlBytesMax = std::size_t{4} << 20;
inline constexpr std::size_t kXmlElementsMax = 65536;
inline constexpr std::size_t kXmlDepthMax = 16;

struct XmlElement {
  std::string name = {};  // without the prefix of a name space
  std::string text = {};  // of its own, references resolved
  std::size_t depth = 0;  // the root has 0
  friend bool operator==(const XmlElement&, const XmlElement&) = default;
};

// Nothing: it is not well formed, or beyond the bounds.
std::optional<std::vector<XmlElement>> ReadXml(std::string_view text);

}  // namespace ringway::gateway::objects

#endif  // RINGWAY_GATEWAY_OBJECTS_XML_TEXT_H_
