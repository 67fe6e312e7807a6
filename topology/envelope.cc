#include "topology/envelope.h"

namespace ringway {
namespace {

// "World or Tier".
std::string OneOf(const std::vector<std::string_view>& kinds) {
  std::string text;
  for (const std::string_view kind : kinds) {
    if (!text.empty()) text += " or ";
    text += kind;
  }
  return text;
}

}  // namespace

std::vector<Envelope> ReadEnvelopes(const YamlFile& file, const std::vector<std::string_view>& kinds,
                                    Problems& problems) {
  std::vector<Envelope> envelopes;
  for (const YamlNode* document : file.documents()) {
    if (document->kind == YamlNode::Kind::kNull) continue;  // an empty document between two `---`
    Mapping root({document, ""}, problems);
    if (document->kind != YamlNode::Kind::kMapping) continue;
    const std::vector<std::string_view> versions = {kApiVersion};
    if (root.Require("apiVersion", kApiVersion)) root.Choice("apiVersion", 0, versions);
    std::size_t kind = kinds.size();
    if (root.Require("kind", OneOf(kinds))) kind = root.Choice("kind", kind, kinds);
    Mapping metadata = root.Child("metadata");
    std::string name = metadata.Name("name");
    metadata.Raw("labels");
    metadata.Raw("annotations");
    metadata.Finish();
    root.Require("spec", "a mapping of fields");
    Mapping spec = root.Child("spec");
    const bool readable = kind < kinds.size() && root.Has("spec");
    root.Finish();
    if (readable) envelopes.push_back({kind, std::move(name), std::move(spec)});
  }
  return envelopes;
}

}  // namespace ringway
