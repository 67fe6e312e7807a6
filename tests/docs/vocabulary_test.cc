// One word, one meaning: what the programs, the page, the reports and the pages of the documentation call
// things is held to the table "Words" in docs/concepts.md.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "tests/deploy/shell.h"
#include "tests/docs/vocabulary.h"

namespace ringway {
namespace {

using ::testing::Contains;
using ::testing::IsEmpty;

const std::string kSources = RINGWAY_SOURCE_DIR;

const std::vector<Term>& Terms() {
  static const std::vector<Term> terms = TermsOf(ReadText(kSources + "/docs/concepts.md"));
  return terms;
}

// Titles that say what a name, a moment or a number of pieces is of, and nothing that could be meant
// otherwise.
const std::set<std::string> kPlainTitles = {"A",
                                            "ADDRESS",
                                            "AFTER",
                                            "AGE",
                                            "B",
                                            "B - A",
                                            "B IS",
                                            "BEFORE",
                                            "BOUND",
                                            "CHANGED",
                                            "CHECK",
                                            "CONTEXT",
                                            "CONTROLLER",
                                            "COST/1000 SERVED",
                                            "DISPATCH",
                                            "DONE",
                                            "EGRESS COST",
                                            "ENOUGH",
                                            "ENTERED IN",
                                            "FIGURE",
                                            "FLEET TOKEN FILE",
                                            "FOR",
                                            "FROM",
                                            "GFLOP/S",
                                            "GPU COST",
                                            "GPU COST/H ENOUGH",
                                            "GPU COST/H NOW",
                                            "GPU HOURS",
                                            "HEALTH",
                                            "HOST",
                                            "IN FORCE FROM",
                                            "JOB",
                                            "JOBS",
                                            "LATITUDE",
                                            "LEDGER",
                                            "LOCAL",
                                            "LONGITUDE",
                                            "MEASURED",
                                            "MOST",
                                            "MS/RUN",
                                            "NOT DONE",
                                            "NOW",
                                            "OF PEAK",
                                            "OF PICTURE",
                                            "OPERATION",
                                            "PART",
                                            "PHASE",
                                            "PLACE",
                                            "PLANS",
                                            "PRIORITY",
                                            "REGION",
                                            "REPORT AGE",
                                            "RING",
                                            "ROUTER",
                                            "ROUTING",
                                            "ROWS",
                                            "RUNS",
                                            "SEEDS",
                                            "SENT",
                                            "SETTING",
                                            "STATE",
                                            "TABLE",
                                            "TABLES THAT DIFFER",
                                            "THEN",
                                            "TIER",
                                            "TIME",
                                            "TO",
                                            "TOKEN FILE",
                                            "USERS %",
                                            "UTC",
                                            "VALUE",
                                            "WHAT",
                                            "WHEN",
                                            "WHO",
                                            "WHY",
                                            "WORKER",
                                            "WORKERS",
                                            "WORLD"};
const std::set<std::string> kPlainLabels = {
    "Address",  "After",  "Before", "From",   "Highest", "Last",    "Lowest",          "Mean",
    "Priority", "Region", "Route",  "Router", "Routers", "Running", "Shares as a bar", "State",
    "Table",    "Time",   "To",     "Why",    "Worker",  "Workers"};

struct Forbidden {
  std::regex pattern;
  const char* instead;
};
// What has been in use for something that has another word, or for two things.
const std::vector<Forbidden>& Rules() {
  static const std::vector<Forbidden> rules = {
      {std::regex("\\b[Aa]ttempts?\\b|\\battempts?_|attemptsMax|\\bATTEMPTS\\b"),
       "offer: a router asks one worker; a try of a job on a worker is the code's own matter"},
      {std::regex("\\bAT HOME\\b|\\bAT HOME IT WERE\\b|\\bAll at home\\b"),
       "HOME LOAD for what the load would be, SERVED HOME for the share of the served jobs"},
      {std::regex("\\| at home \\||[Ss]tayed at home"), "served home, or home load"},
      {std::regex("\\bSent elsewhere\\b|\\b(is|are|was) sent elsewhere\\b|planned to be served outside"),
       "away"},
      {std::regex("[Pp]lanned to be refused|refused: nothing in reach|/s refused\\b"), "shed"},
      {std::regex("\\bsheds? (traffic|load)\\b"), "sends away: shed is what no region has room for"},
      {std::regex("(^|[^-a-z/])ring [0-9]+\\b"), "the ring's name"},
      {std::regex("'Enter here'|'Enters'|>Enters<|>Leaves<"), "demand, away"},
  };
  return rules;
}

// The first of them that the text breaks, or nothing.
std::string Breach(const std::string& text) {
  for (const Forbidden& forbidden : Rules()) {
    std::smatch found;
    if (std::regex_search(text, found, forbidden.pattern)) {
      return absl::StrCat("\"", found[0].str(), "\"; the word is: ", forbidden.instead);
    }
  }
  return "";
}

std::vector<std::string> Breaches(const std::vector<Shown>& shown) {
  std::vector<std::string> breaches;
  for (const Shown& one : shown) {
    const std::string breach = Breach(one.text);
    if (!breach.empty())
      breaches.push_back(absl::StrCat(one.file, ": ", one.text.substr(0, 120), ": ", breach));
  }
  return breaches;
}

// "DEMAND/S" -> "Demand", as a label says it.
std::string Sentence(std::string title) {
  title = std::string(absl::StripSuffix(title, "/S"));
  title = absl::AsciiStrToLower(title);
  title[0] = absl::ascii_toupper(static_cast<unsigned char>(title[0]));
  return title;
}

std::vector<std::string> Unknown(const std::vector<Shown>& shown, const std::set<std::string>& plain,
                                 std::vector<std::string> Term::*column) {
  std::set<std::string> known = plain;
  for (const Term& term : Terms()) known.insert((term.*column).begin(), (term.*column).end());
  std::vector<std::string> unknown;
  for (const Shown& one : shown) {
    if (!known.contains(one.text)) unknown.push_back(absl::StrCat(one.file, ": ", one.text));
  }
  return unknown;
}

std::vector<Shown> Titles() { return ShownIn({"cli", "sim"}, {".cc"}, ColumnTitles); }
std::vector<Shown> Labels() { return ShownIn({"web"}, {".mjs", ".html"}, PageLabels); }

TEST(VocabularyTest, EveryColumnOfTheCommandLineIsInTheTable) {
  EXPECT_GT(Titles().size(), 150u);
  EXPECT_THAT(Unknown(Titles(), kPlainTitles, &Term::titles), IsEmpty())
      << "a row of docs/concepts.md has to say what it means";
}

TEST(VocabularyTest, EveryLabelOfThePageIsInTheTable) {
  EXPECT_GT(Labels().size(), 50u);
  EXPECT_THAT(Unknown(Labels(), kPlainLabels, &Term::labels), IsEmpty())
      << "a row of docs/concepts.md has to say what it means";
}

TEST(VocabularyTest, NoTitleHasTwoMeanings) {
  ASSERT_GT(Terms().size(), 20u);
  for (const auto column : {&Term::titles, &Term::labels, &Term::metrics}) {
    std::map<std::string, std::string> meant;
    for (const Term& term : Terms()) {
      for (const std::string& title : term.*column) {
        const auto [first, fresh] = meant.emplace(title, term.name);
        EXPECT_TRUE(fresh) << title << " means " << first->second << " and " << term.name;
        EXPECT_FALSE(kPlainTitles.contains(title)) << title << " is said to be plain";
      }
    }
  }
}

// The page says what the command line says, in the way of a sentence.
TEST(VocabularyTest, ThePageHasTheWordsOfTheCommandLine) {
  for (const Term& term : Terms()) {
    if (term.titles.empty() || term.labels.empty()) continue;
    std::vector<std::string> said = {Sentence(term.name), Sentence(absl::StrCat(term.name, "s"))};
    for (const std::string& title : term.titles) said.push_back(Sentence(title));
    EXPECT_THAT(said, Contains(term.labels[0])) << term.name;
  }
}

TEST(VocabularyTest, TheTableTellsOfWhatThereIs) {
  std::set<std::string> titles, labels, words;
  for (const Shown& one : Titles()) titles.insert(one.text);
  for (const Shown& one : Labels()) labels.insert(one.text);
  for (const Shown& one : ShownIn({"cli", "sim", "controller", "router"}, {".cc"}, Literals)) {
    words.insert(one.text);
  }
  const std::string proto = ReadText(kSources + "/proto/ringway/v1/admin.proto");
  for (const Term& term : Terms()) {
    for (const std::string& title : term.titles) {
      // What is written small in that cell is the name of a command.
      if (title != absl::AsciiStrToLower(title) || title == "+-") {
        EXPECT_THAT(titles, Contains(title));
      }
    }
    for (const std::string& label : term.labels) EXPECT_THAT(labels, Contains(label));
    for (const std::string& metric : term.metrics) EXPECT_THAT(words, Contains(metric));
    for (const std::string& key : term.keys) {
      EXPECT_TRUE(words.contains(key) || absl::StrContains(proto, absl::StrCat(" ", key, " = "))) << key;
    }
  }
}

TEST(VocabularyTest, PagesHaveNoOtherWordForIt) {
  std::vector<Shown> shown =
      ShownIn({"docs", "deploy", "topology"}, {".md", ".yaml", ".yml", ".json"}, Lines);
  // The table says itself where the code has the word; what a test has said once is quoted as it was.
  std::erase_if(shown, [](const Shown& one) {
    return one.text.starts_with("| attempt | in the code alone") ||
           (one.file == "docs/testing.md" && absl::StrContains(one.text, "_test "));
  });
  for (const std::string& line : Lines(ReadText(kSources + "/README.md")))
    shown.push_back({line, "README.md"});
  EXPECT_GT(shown.size(), 3000u);
  EXPECT_THAT(Breaches(shown), IsEmpty());
  EXPECT_THAT(Breaches(ShownIn({"docs"}, {".svg"}, SvgTexts)), IsEmpty());
}

TEST(VocabularyTest, ProgramsAndThePageHaveNoOtherWordForIt) {
  EXPECT_THAT(Breaches(ShownIn({"cli", "sim", "controller", "web"}, {".cc", ".h", ".mjs"}, Literals)),
              IsEmpty());
  EXPECT_THAT(Breaches(ShownIn({"web"}, {".html"}, Lines)), IsEmpty());
  EXPECT_THAT(Breaches(ShownIn({"proto/ringway"}, {".proto"}, Lines)), IsEmpty());
  EXPECT_THAT(Breaches(ShownIn({"router", "worker", "gateway"}, {".cc"}, Literals)), IsEmpty());
}

// What each of the rules is for.
TEST(VocabularyTest, EachBreachIsFound) {
  for (const char* text :
       {"3 attempts a job", "attemptsMax: 20", "uint64 attempts = 5;", "AT HOME", "AT HOME IT WERE",
        "All at home", "| served | at home |", "Load if all traffic stayed at home", "Sent elsewhere",
        "Planned to be refused", "a region sheds traffic", "  ring 1, home load 1.35", "['Enter here', 1]"}) {
    EXPECT_NE(Breach(text), "") << text;
  }
  for (const char* text :
       {"offers a job", "HOME LOAD", "a home near by", "string 1", "ring near", "what it sheds"}) {
    EXPECT_EQ(Breach(text), "") << text;
  }
  EXPECT_THAT(ColumnTitles("TextTable t({{\"REGION\"}, {\"AT HOME\", right}});"),
              ::testing::ElementsAre("REGION", "AT HOME"));
  EXPECT_THAT(PageLabels("[\n  ['All at home', load(own.home)],\n"), ::testing::ElementsAre("All at home"));
}

}  // namespace
}  // namespace ringway
