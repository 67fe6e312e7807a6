#include <algorithm>
#include <string>

#include "tests/tidy/map.h"
#include "tests/tidy/rules.h"

namespace ringway::tidy {
namespace {

bool IsOurs(const SourceTree& tree, const std::string& target) {
  return std::any_of(tree.files.begin(), tree.files.end(),
                     [&](const SourceFile& f) { return f.path == target; });
}

bool CoveredByAny(const std::vector<std::string_view>& prefixes, std::string_view path) {
  return std::any_of(prefixes.begin(), prefixes.end(), [&](std::string_view p) { return Covers(p, path); });
}

bool Contains(const std::vector<std::string_view>& prefixes, std::string_view prefix) {
  return std::find(prefixes.begin(), prefixes.end(), prefix) != prefixes.end();
}

void CheckOwnInclude(const SourceFile& file, const Layer& layer, const Include& include, Findings& findings) {
  const Layer* target = LayerOf(include.target);
  if (target == &layer) return;
  const bool allowed =
      target != nullptr && std::any_of(layer.may_include.begin(), layer.may_include.end(), [&](auto prefix) {
        return prefix == target->prefix || (target->pure && Covers(prefix, include.target));
      });
  if (allowed) return;
  findings.push_back({file.path, include.line,
                      std::string(layer.prefix) + " may not include " + include.target +
                          ": dependencies point one way, see tests/tidy/map.cc"});
}

void CheckLibraryInclude(const SourceFile& file, const Layer& layer, const Include& include,
                         Findings& findings) {
  for (const Library& library : Libraries()) {
    if (!include.target.starts_with(library.header_prefix) ||
        !include.target.ends_with(library.header_suffix))
      continue;
    // A folder's permission does not reach into the pure code inside it.
    const bool allowed =
        layer.pure ? Contains(library.folders, layer.prefix) : CoveredByAny(library.folders, file.path);
    if (allowed) continue;
    findings.push_back(
        {file.path, include.line, "may not include " + include.target + ": " + std::string(library.why)});
  }
}

}  // namespace

void CheckLayers(const SourceTree& tree, Findings& findings) {
  for (const SourceFile& file : tree.files) {
    if (!file.IsCpp()) continue;
    const Layer* layer = LayerOf(file.path);
    if (layer == nullptr) {
      findings.push_back({file.path, 0, "belongs to no layer: place its folder in tests/tidy/map.cc"});
      continue;
    }
    if (file.Under("tests") || file.Under("bench")) continue;
    for (const Include& include : IncludesOf(file)) {
      if (IsOurs(tree, include.target)) {
        CheckOwnInclude(file, *layer, include, findings);
      } else {
        CheckLibraryInclude(file, *layer, include, findings);
      }
    }
  }
}

}  // namespace ringway::tidy
