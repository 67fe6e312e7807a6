// The observability kit: its files are sound, name metrics that exist, and are explained to operators.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <regex>

#include "tests/deploy/expressions.h"
#include "tests/deploy/shell.h"

namespace ringway {
namespace {

using ::testing::HasSubstr;

const std::string kSource = RINGWAY_SOURCE_DIR;
const std::string kKit = kSource + "/deploy/observability";

std::set<std::string> AlertsOf(const std::string& text) {
  static const std::regex alert("- alert: (\\w+)");
  std::set<std::string> names;
  for (std::sregex_iterator it(text.begin(), text.end(), alert), end; it != end; ++it) names.insert((*it)[1]);
  return names;
}

TEST(ObservabilityTest, PromtoolAcceptsTheRulesAndEveryAlertFiresWhenItShould) {
  if (!Installed("promtool")) GTEST_SKIP() << "no promtool here (Debian package prometheus)";
  const Ran config = RunShell("promtool check config " + kKit + "/prometheus.yml");
  EXPECT_EQ(config.code, 0) << config.output;
  const Ran tests = RunShell("cd " + kKit + " && promtool test rules ringway.rules.test.yml");
  EXPECT_EQ(tests.code, 0) << tests.output;
}

TEST(ObservabilityTest, EveryAlertHasATestThatFiresAndARunbook) {
  const std::string rules = ReadText(kKit + "/ringway.rules.yml");
  const std::string tests = ReadText(kKit + "/ringway.rules.test.yml");
  const std::string guide = ReadText(kSource + "/docs/operating.md");
  const std::set<std::string> alerts = AlertsOf(rules);
  EXPECT_GE(alerts.size(), 20u);
  for (const std::string& alert : alerts) {
    EXPECT_TRUE(std::regex_search(tests, std::regex("alertname: " + alert + "\n +exp_alerts:\n"))) << alert;
    EXPECT_TRUE(std::regex_search(tests, std::regex("alertname: " + alert + "\n +exp_alerts: \\[\\]")))
        << alert;
    // The anchor of a heading is its text in lower case.
    EXPECT_THAT(guide, HasSubstr("\n### " + alert + "\n")) << "docs/operating.md says nothing to do about it";
  }
  const std::regex heading("\n### (Ringway\\w+)");
  for (std::sregex_iterator it(guide.begin(), guide.end(), heading), end; it != end; ++it) {
    EXPECT_TRUE(alerts.contains((*it)[1])) << (*it)[1] << " is explained but no alert";
  }
}

TEST(ObservabilityTest, TheGeneratedFilesAreCurrent) {
  if (!Installed("python3")) GTEST_SKIP() << "no python3 here";
  for (const char* tool : {"alerts.py", "dashboard.py"}) {
    const Ran ran = RunShell("python3 " + kSource + "/tools/observability/" + tool + " --check");
    EXPECT_EQ(ran.code, 0) << ran.output;
  }
}

// Flags from the programs' own help, keys of a topology file from its reader.
TEST(ConfigurationTest, TheReferenceIsWhatTheProgramsSay) {
  if (!Installed("python3")) GTEST_SKIP() << "no python3 here";
  const Ran ran = RunShell("python3 " + kSource + "/tools/docs/flags.py --check " + RINGWAY_BIN_DIR);
  EXPECT_EQ(ran.code, 0) << ran.output;
}

TEST(ObservabilityTest, EveryMetricInAnExpressionIsOneThatADaemonHas) {
  const std::set<std::string> known = MetricsInSources();
  EXPECT_GE(known.size(), 60u);
  for (const auto& [metric, labels] : MetricsInExpressions()) {
    EXPECT_TRUE(known.contains(metric)) << metric << " is read by a rule or the dashboard; nothing serves it";
  }
}

TEST(ObservabilityTest, TheGuideListsEveryMetricAndNoOther) {
  const std::string guide = ReadText(kSource + "/docs/operating.md");
  const std::set<std::string> known = MetricsInSources();
  for (const std::string& metric : known) {
    EXPECT_THAT(guide, HasSubstr("`" + metric + "`")) << "a line for it is missing in docs/operating.md";
  }
  const std::regex name("`(ringway_(?:controller|router|worker|ledger)_[a-z_]+)`");
  for (std::sregex_iterator it(guide.begin(), guide.end(), name), end; it != end; ++it) {
    EXPECT_TRUE(known.contains((*it)[1])) << (*it)[1] << " is in docs/operating.md; nothing serves it";
  }
}

TEST(ExpressionsTest, NamesAndLabelsAreFound) {
  MetricUses uses;
  CollectMetrics("sum by (le) (rate(ringway_a_seconds_bucket{le=\"1\",job=\"x\"}[5m])) / ringway_b_total",
                 uses);
  EXPECT_EQ(uses, (MetricUses{{"ringway_a_seconds", {"le"}}, {"ringway_b_total", {}}}));
}

}  // namespace
}  // namespace ringway
