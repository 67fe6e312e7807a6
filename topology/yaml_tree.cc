#include "topology/yaml_tree.h"

#include <algorithm>
#include <istream>
#include <map>
#include <set>
#include <streambuf>

#include "absl/strings/str_cat.h"
#include "yaml-cpp/eventhandler.h"
#include "yaml-cpp/exceptions.h"
#include "yaml-cpp/parser.h"

namespace ringway {
namespace {

Mark FromYaml(const YAML::Mark& mark) {
  if (mark.is_null()) return {};
  return {mark.line + 1, mark.column + 1};
}

// Reads the caller's text in place.
class TextBuffer : public std::streambuf {
 public:
  explicit TextBuffer(std::string_view text) {
    char* begin = const_cast<char*>(text.data());
    setg(begin, begin, begin + text.size());
  }
};

bool IndentedWithTab(std::string_view text, int line) {
  std::size_t at = 0;
  for (int i = 1; i < line && at != std::string_view::npos; ++i) {
    at = text.find('\n', at);
    if (at != std::string_view::npos) ++at;
  }
  if (at == std::string_view::npos) return false;
  const std::size_t tab = text.find_first_not_of(' ', at);
  return tab != std::string_view::npos && text[tab] == '\t';
}

}  // namespace

// Turns the parser's events into nodes. After the first limit that is exceeded it ignores the rest.
class YamlBuilder : public YAML::EventHandler {
 public:
  YamlBuilder(YamlFile& file, Problems& problems) : file_(file), problems_(problems) {}
  bool stopped() const { return stopped_; }

  void OnDocumentStart(const YAML::Mark& mark) override {
    anchors_.clear();
    root_ = nullptr;
    if (file_.documents_.size() >= kYamlDocumentsMax) {
      Stop(mark, "one more document", absl::StrCat("at most ", kYamlDocumentsMax, " documents a file"));
    }
  }
  void OnDocumentEnd() override {
    if (root_ != nullptr && !stopped_) file_.documents_.push_back(root_);
  }

  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    if (YamlNode* node = New(mark, YamlNode::Kind::kNull, anchor)) Attach(node);
  }
  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override {
    if (stopped_) return;
    if (WantsKey()) return TakeKey(mark, value);
    YamlNode* node = New(mark, YamlNode::Kind::kScalar, anchor);
    if (node == nullptr) return;
    node->text = value;
    node->quoted = tag == "!";
    const bool null_word = !node->quoted && (value == "~" || value == "null" || value.empty());
    if (null_word) node->kind = YamlNode::Kind::kNull;
    Attach(node);
  }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    if (stopped_) return;
    if (++aliases_ > kYamlAliasesMax) {
      return Stop(mark, "one more alias", absl::StrCat("at most ", kYamlAliasesMax, " aliases a file"));
    }
    const auto it = anchors_.find(anchor);
    const bool open = it != anchors_.end() && std::any_of(stack_.begin(), stack_.end(), [&](const Open& o) {
                        return o.node == it->second;
                      });
    if (it == anchors_.end() || open || WantsKey()) {
      return Stop(mark, "an alias that cannot be resolved here", "an alias to a value that ended before it");
    }
    Attach(it->second);
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    Enter(mark, YamlNode::Kind::kSequence, anchor);
  }
  void OnSequenceEnd() override { Leave(); }
  void OnMapStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value) override {
    Enter(mark, YamlNode::Kind::kMapping, anchor);
  }
  void OnMapEnd() override { Leave(); }

 private:
  struct Open {
    YamlNode* node;
    bool has_key = false;
    std::string key;
    Mark key_at;
    std::set<std::string> keys;
  };

  void Stop(const YAML::Mark& mark, std::string found, std::string allowed) {
    if (!stopped_) problems_.Add({FromYaml(mark), "", std::move(found), std::move(allowed), ""});
    stopped_ = true;
  }

  bool WantsKey() const {
    return !stack_.empty() && stack_.back().node->kind == YamlNode::Kind::kMapping && !stack_.back().has_key;
  }

  void TakeKey(const YAML::Mark& mark, const std::string& key) {
    Open& open = stack_.back();
    if (!open.keys.insert(key).second) {
      problems_.Add(
          {FromYaml(mark), "", absl::StrCat("the key ", Quoted(key), " a second time"), "each key once", ""});
    }
    open.has_key = true;
    open.key = key;
    open.key_at = FromYaml(mark);
  }

  YamlNode* New(const YAML::Mark& mark, YamlNode::Kind kind, YAML::anchor_t anchor) {
    if (stopped_) return nullptr;
    if (WantsKey()) {
      Stop(mark, "a key that is not plain text", "a name as key");
      return nullptr;
    }
    if (file_.nodes_.size() >= kYamlNodesMax) {
      Stop(mark, "one more value", absl::StrCat("at most ", kYamlNodesMax, " values a file"));
      return nullptr;
    }
    YamlNode& node = file_.nodes_.emplace_back();
    node.kind = kind;
    node.at = FromYaml(mark);
    if (anchor != YAML::NullAnchor) anchors_[anchor] = &node;
    return &node;
  }

  void Attach(const YamlNode* node) {
    if (stack_.empty()) {
      root_ = node;
      return;
    }
    Open& open = stack_.back();
    if (open.node->kind == YamlNode::Kind::kSequence) {
      open.node->items.push_back(node);
      return;
    }
    open.node->fields.push_back({std::move(open.key), open.key_at, node});
    open.has_key = false;
  }

  void Enter(const YAML::Mark& mark, YamlNode::Kind kind, YAML::anchor_t anchor) {
    YamlNode* node = New(mark, kind, anchor);
    if (node == nullptr) return;
    if (stack_.size() >= kYamlDepthMax) {
      return Stop(mark, "one more level of nesting", absl::StrCat("at most ", kYamlDepthMax, " levels"));
    }
    stack_.push_back({.node = node, .has_key = false, .key = "", .key_at = {}, .keys = {}});
  }

  // A value is attached when it is complete, so that an alias inside it cannot reach it.
  void Leave() {
    if (stopped_) return;
    const YamlNode* node = stack_.back().node;
    stack_.pop_back();
    Attach(node);
  }

  YamlFile& file_;
  Problems& problems_;
  bool stopped_ = false;
  std::size_t aliases_ = 0;
  std::vector<Open> stack_;
  std::map<YAML::anchor_t, const YamlNode*> anchors_;
  const YamlNode* root_ = nullptr;
};

YamlFile YamlFile::Parse(std::string_view text, Problems& problems) {
  YamlFile file;
  if (text.size() > kYamlBytesMax) {
    problems.Add({{}, "", absl::StrCat(text.size(), " bytes"), absl::StrCat("at most ", kYamlBytesMax), ""});
    return file;
  }
  TextBuffer buffer(text);
  std::istream stream(&buffer);
  YamlBuilder builder(file, problems);
  try {
    YAML::Parser parser(stream);
    while (!builder.stopped() && parser.HandleNextDocument(builder)) {
    }
  } catch (const YAML::Exception& error) {
    const Mark at = FromYaml(error.mark);
    problems.Add({at, "", absl::StrCat("broken YAML (", error.msg, ")"),
                  "well-formed YAML: spaces for indentation, matching quotes and brackets",
                  IndentedWithTab(text, at.line) ? "the line is indented with a tab" : ""});
  } catch (const std::exception& error) {
    problems.Add({{}, "", absl::StrCat("unreadable YAML (", error.what(), ")"), "well-formed YAML", ""});
  }
  return file;
}

std::string DescribeYaml(const YamlNode& node) {
  switch (node.kind) {
    case YamlNode::Kind::kNull:
      return "nothing";
    case YamlNode::Kind::kScalar:
      return Quoted(node.text);
    case YamlNode::Kind::kSequence:
      return absl::StrCat("a list of ", node.items.size());
    case YamlNode::Kind::kMapping:
      return "a mapping";
  }
  return "nothing";
}

}  // namespace ringway
