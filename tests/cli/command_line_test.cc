#include <cstdlib>
#include <fstream>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/cli/run.h"

namespace ringway::cli {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

const std::string kAws = RINGWAY_SOURCE_DIR "/topology/aws.yaml";
const std::string kBroken = RINGWAY_SOURCE_DIR "/tests/topology/broken/many_mistakes.yaml";

TEST(CommandLineTest, SuggestsTheLikelyWord) {
  struct Case {
    std::vector<std::string> words;
    std::string suggestion;
  };
  for (const Case& c : std::vector<Case>{{{"statsu"}, "did you mean \"status\"?"},
                                         {{"topolgy", "check", "x"}, "did you mean \"topology\"?"},
                                         {{"topology", "chekc", "x"}, "did you mean \"check\"?"},
                                         {{"table", "--teir", "x"}, "did you mean \"--tier\"?"},
                                         {{"status", "--jsno"}, "did you mean \"--json\"?"}}) {
    const Ran ran = Ringway(c.words);
    EXPECT_EQ(ran.code, 2) << ran.err;
    EXPECT_THAT(ran.err, HasSubstr(c.suggestion));
    EXPECT_THAT(ran.out, IsEmpty());
  }
}

TEST(CommandLineTest, WrongUsageIsTwoAndHelpIsZero) {
  EXPECT_EQ(Ringway({}).code, 2);
  EXPECT_EQ(Ringway({"explain"}).code, 2) << "the region is missing";
  EXPECT_EQ(Ringway({"plan", "a", "b", "--threshold", "80"}).code, 2);
  const Ran help = Ringway({"--help"});
  EXPECT_EQ(help.code, 0);
  for (const char* name : {"status", "table", "explain", "drain", "undrain", "plan", "topology", "submit"}) {
    EXPECT_THAT(help.out, HasSubstr(name));
  }
  EXPECT_EQ(Ringway({"topology", "check", "--help"}).code, 0);
  EXPECT_THAT(Ringway({"--version"}).out, HasSubstr("0.1.0"));
}

TEST(CommandLineTest, BytesThatAreNoTextAreNamedBeforeAnybodyIsAsked) {
  const Ran ran = Ringway({"drain", "--worker", "w\xff"});
  EXPECT_EQ(ran.code, 2);
  EXPECT_THAT(ran.err, HasSubstr("found \"w\\xff\"; allowed: words in UTF-8"));
}

TEST(CommandLineTest, ARegionThatAPlanDoesNotKnowIsAnsweredWithTheLikelyOneOrWithAll) {
  const std::string snapshot = ::testing::TempDir() + "/ringway-no-region.yaml";
  std::ofstream(snapshot) << "apiVersion: ringway/v1\nkind: Snapshot\nmetadata: {name: s}\n"
                             "spec:\n  tier: animate\n  regions: [{region: us-east-1, demandRps: 1}]\n";
  const Ran near = Ringway({"plan", kAws, snapshot, "--drain", "us-eats-1"});
  EXPECT_EQ(near.code, 2);
  EXPECT_THAT(near.err, HasSubstr("no region \"us-eats-1\" in the world; did you mean \"us-east-1\"?\n"));
  const Ran far = Ringway({"plan", kAws, snapshot, "--scale", "mars=2"});
  EXPECT_EQ(far.code, 2);
  EXPECT_THAT(far.err, AllOf(HasSubstr("--scale: no region \"mars\" in the world; there are: "),
                             HasSubstr("us-east-1"), Not(HasSubstr("; \n"))));
}

TEST(CommandLineTest, NobodyHasToGuessHowToAskForHelp) {
  const Ran bare = Ringway({});
  EXPECT_EQ(bare.code, 2);
  EXPECT_THAT(bare.err, AllOf(HasSubstr("Subcommands:"), HasSubstr("status"), HasSubstr("topology")));
  const std::string list = Ringway({"--help"}).out;
  EXPECT_THAT(list, AllOf(HasSubstr("help "), HasSubstr("version ")));
  EXPECT_EQ(Ringway({"help"}).out, list);
  EXPECT_EQ(Ringway({"help"}).code, 0);
  EXPECT_EQ(Ringway({"help", "topology", "check"}).out, Ringway({"topology", "check", "--help"}).out);
  EXPECT_EQ(Ringway({"help", "help"}).code, 0);
  EXPECT_THAT(Ringway({"help", "statsu"}).err, HasSubstr("did you mean \"status\"?"));
  EXPECT_EQ(Ringway({"help", "statsu"}).code, 2);
  EXPECT_EQ(Ringway({"version"}).code, 0);
  EXPECT_EQ(Ringway({"version"}).out, Ringway({"--version"}).out);
}

TEST(CommandLineTest, NobodyAnswersIsThreeAndSaysWhatToDo) {
  // Port 1 on loopback: nothing listens there, and binding it needs root.
  for (const std::vector<std::string>& words :
       std::vector<std::vector<std::string>>{{"status"}, {"table"}, {"explain", "x"}, {"drain", "x"}}) {
    std::vector<std::string> all = words;
    all.insert(all.end(), {"--controller", "127.0.0.1:1"});
    const Ran ran = Ringway(all);
    EXPECT_EQ(ran.code, 3) << ran.err;
    EXPECT_THAT(ran.err, AllOf(HasSubstr("127.0.0.1:1"), HasSubstr("RINGWAY_CONTROLLER")));
    EXPECT_THAT(ran.out, IsEmpty());
  }
}

TEST(CommandLineTest, TopologyCheckTellsSoundFromBroken) {
  const Ran sound = Ringway({"topology", "check", kAws});
  EXPECT_EQ(sound.code, 0) << sound.err;
  EXPECT_THAT(sound.out, HasSubstr("aws.yaml: sound: 21 regions, 2 tiers"));
  const Ran broken = Ringway({"topology", "check", kBroken});
  EXPECT_EQ(broken.code, 1);
  EXPECT_THAT(broken.out, IsEmpty());
  EXPECT_THAT(broken.err, HasSubstr("many_mistakes.yaml:16:20: spec.dispatch.mode: found \"prob\""));
  EXPECT_EQ(Ringway({"topology", "check", "/nowhere.yaml"}).code, 1);
  const Ran json = Ringway({"topology", "check", kBroken, "--json"});
  EXPECT_EQ(json.code, 1);
  EXPECT_THAT(json.out, AllOf(HasSubstr("\"sound\": false"), HasSubstr("\"line\": 16")));
  EXPECT_THAT(json.err, IsEmpty());
}

TEST(CommandLineTest, TopologyShowPrintsTheRingsOfEachRegion) {
  const Ran ran = Ringway({"topology", "show", kAws, "--tier", "animate"});
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("near (45 ms, from load 0.80)"));
  // Nearest first: 8 ms to Osaka, 33 ms to Seoul.
  EXPECT_THAT(ran.out, HasSubstr("ap-northeast-3 8, ap-northeast-2 3"));
  EXPECT_THAT(ran.out, Not(HasSubstr("tier imagine")));
  EXPECT_THAT(ran.out, Not(HasSubstr("\x1b"))) << "no colour where nobody watches";
  EXPECT_EQ(Ringway({"topology", "show", kAws, "--tier", "nonsense"}).code, 1);
}

TEST(CommandLineTest, ATokenFileHoldsOneLine) {
  const std::string path = ::testing::TempDir() + "/token";
  std::ofstream(path) << "one\ntwo\n";
  const Ran ran = Ringway({"status", "--token-file", path});
  EXPECT_NE(ran.code, 0);
  EXPECT_THAT(ran.err, HasSubstr("found several lines; allowed: one line with the token"));
}

}  // namespace
}  // namespace ringway::cli
