#include "tests/deploy/expressions.h"

#include <filesystem>
#include <regex>

#include "tests/deploy/shell.h"

namespace ringway {
namespace {

namespace fs = std::filesystem;

// Everything between a key and the end of its line: both files keep an expression on one line.
void CollectLines(const std::string& text, const std::regex& key, MetricUses& uses) {
  for (std::sregex_iterator it(text.begin(), text.end(), key), end; it != end; ++it) {
    CollectMetrics(std::regex_replace((*it)[1].str(), std::regex(R"(\\")"), "\""), uses);
  }
}

}  // namespace

std::string WithoutSuffix(const std::string& series) {
  return std::regex_replace(series, std::regex("_(bucket|sum|count)$"), "");
}

void CollectMetrics(const std::string& expression, MetricUses& uses) {
  static const std::regex use(R"((ringway_[a-z_]+)(\{([^}]*)\})?)");
  static const std::regex label(R"(([a-z_]+)(=|!=|=~|!~)\")");
  for (std::sregex_iterator it(expression.begin(), expression.end(), use), end; it != end; ++it) {
    std::set<std::string>& labels = uses[WithoutSuffix((*it)[1])];
    const std::string braces = (*it)[3];
    for (std::sregex_iterator l(braces.begin(), braces.end(), label); l != end; ++l) {
      if ((*l)[1] != "job" && (*l)[1] != "instance") labels.insert((*l)[1]);
    }
  }
}

MetricUses MetricsInExpressions() {
  const fs::path folder = fs::path(RINGWAY_SOURCE_DIR) / "deploy" / "observability";
  MetricUses uses;
  CollectLines(ReadText(folder / "ringway.rules.yml"), std::regex("expr: (.*)"), uses);
  CollectLines(ReadText(folder / "grafana-dashboard.json"), std::regex("\"(?:expr|query)\": (.*)"), uses);
  return uses;
}

std::set<std::string> MetricsInSources() {
  static const std::regex name("\"(ringway_(?:controller|router|worker|ledger)_[a-z_]+)\"");
  std::set<std::string> names;
  for (const char* folder : {"controller", "router", "worker"}) {
    for (const auto& entry : fs::recursive_directory_iterator(fs::path(RINGWAY_SOURCE_DIR) / folder)) {
      if (entry.path().extension() != ".cc") continue;
      const std::string text = ReadText(entry.path());
      for (std::sregex_iterator it(text.begin(), text.end(), name), end; it != end; ++it) {
        names.insert((*it)[1]);
      }
    }
  }
  return names;
}

}  // namespace ringway
