// The rules over the checkout itself: one test a rule, no finding allowed.
#include <gtest/gtest.h>

#include <sstream>
#include <string>

#include "tests/tidy/rules.h"

namespace ringway::tidy {
namespace {

const SourceTree& Checkout() {
  static const SourceTree tree = LoadTree(RINGWAY_SOURCE_DIR);
  return tree;
}

std::string Listed(const Findings& findings) {
  std::ostringstream text;
  text << findings.size() << " findings\n";
  for (const Finding& finding : findings) {
    text << "  " << finding.path;
    if (finding.line > 0) text << ":" << finding.line;
    text << ": " << finding.message << "\n";
  }
  return text.str();
}

class TreeTest : public testing::TestWithParam<Rule> {};

TEST_P(TreeTest, HasNoFinding) {
  Findings findings;
  GetParam().check(Checkout(), findings);
  EXPECT_TRUE(findings.empty()) << Listed(findings);
}

INSTANTIATE_TEST_SUITE_P(Rules, TreeTest, testing::ValuesIn(kRules),
                         [](const testing::TestParamInfo<Rule>& rule) {
                           return std::string(rule.param.name);
                         });

// Were the checkout not found, every rule would pass on nothing.
TEST(CheckoutTest, IsRead) {
  EXPECT_TRUE(Checkout().Exists("core/ids.h"));
  EXPECT_TRUE(Checkout().Exists("tests/tidy"));
  EXPECT_FALSE(Checkout().Exists("build/CMakeCache.txt"));
  EXPECT_GT(Checkout().files.size(), 30u);
}

}  // namespace
}  // namespace ringway::tidy
