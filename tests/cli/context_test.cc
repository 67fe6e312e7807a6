// Fleets by name: the file, whom the commands then ask, and what wins over what.
#include <sys/stat.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>

#include "cli/context/context_file.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/cli/scripted_admin.h"
#include "topology/topology.h"

namespace ringway::cli {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

// A variable of the environment, as it was again afterwards.
class Variable {
 public:
  Variable(const char* name, const std::string& value) : name_(name) {
    if (const char* was = std::getenv(name)) was_ = was;
    if (value.empty()) {
      ::unsetenv(name);
    } else {
      ::setenv(name, value.c_str(), 1);
    }
  }
  ~Variable() {
    if (was_) {
      ::setenv(name_, was_->c_str(), 1);
    } else {
      ::unsetenv(name_);
    }
  }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;

 private:
  const char* name_;
  std::optional<std::string> was_;
};

class ContextTest : public AdminTest {
 protected:
  ContextTest() {
    fs::remove_all(folder_);
    std::ofstream(token_) << "secret-of-a\n";
  }
  ~ContextTest() override {
    fs::remove_all(folder_);
    fs::remove(token_);
  }
  static std::string NewFolder() {
    return ::testing::TempDir() + "ringway-contexts-" +
           ::testing::UnitTest::GetInstance()->current_test_info()->name();
  }
  std::string Text() const { return *ReadTextFile(file_); }

  const std::string folder_ = NewFolder();
  const std::string token_ = folder_ + ".token";
  const std::string file_ = folder_ + "/ringway/contexts.yaml";
  Variable contexts_{"RINGWAY_CONTEXTS", file_};
  Variable chosen_{"RINGWAY_CONTEXT", ""};
  Variable controller_{"RINGWAY_CONTROLLER", ""};
  Variable token_itself_{"RINGWAY_TOKEN", ""};
};

TEST_F(ContextTest, AContextIsMadeUsedShownAndRemoved) {
  EXPECT_THAT(Ringway({"context", "list"}).out, HasSubstr("no context in " + file_));
  const Ran made =
      Ringway({"context", "set", "a", "--controller", server_.address(), "--token-file", token_});
  EXPECT_EQ(made.code, 0) << made.err;
  EXPECT_THAT(made.out, AllOf(HasSubstr("context a is made in " + file_), HasSubstr("context use a")));
  EXPECT_THAT(Text(), Not(HasSubstr("secret-of-a")));
  Ringway({"context", "set", "b", "--router", "127.0.0.1:2"});
  EXPECT_EQ(Ringway({"context", "use", "a"}).code, 0);
  EXPECT_THAT(Ringway({"context", "list"}).out, AllOf(ContainsRegex("\\* +a +127.0.0.1:[0-9]+ +.*token\n"),
                                                      ContainsRegex("\n +b +127.0.0.1:2\n")));
  EXPECT_EQ(Ringway({"names", "contexts"}).out, "a\nb\n");
  EXPECT_EQ(Ringway({"status"}).code, 0);
  EXPECT_EQ(admin_.authorization, "Bearer secret-of-a");
  EXPECT_THAT(Ringway({"context", "show"}).out,
              AllOf(ContainsRegex("controller +" + server_.address() + " +context a"),
                    ContainsRegex("router +127.0.0.1:7410 +built-in default"),
                    ContainsRegex("token file +.*token +context a")));
  const Ran removed = Ringway({"context", "remove", "a"});
  EXPECT_EQ(removed.out, "context a is removed; none is the current one now\n");
  EXPECT_EQ(Ringway({"names", "contexts"}).out, "b\n");
  EXPECT_TRUE(fs::exists(token_));
}

TEST_F(ContextTest, TheFileLiesWhereTheEnvironmentSays) {
  EXPECT_EQ(context::ContextsPath(), file_);
  const Variable none("RINGWAY_CONTEXTS", "");
  const Variable home("HOME", "/srv/kim");
  const Variable config("XDG_CONFIG_HOME", "");
  EXPECT_EQ(context::ContextsPath(), "/srv/kim/.config/ringway/contexts.yaml");
  EXPECT_EQ(context::WithHome("~/a/token"), "/srv/kim/a/token");
  EXPECT_EQ(context::WithHome("/a/token"), "/a/token");
  const Variable relative("XDG_CONFIG_HOME", "relative");
  EXPECT_EQ(context::ContextsPath(), "/srv/kim/.config/ringway/contexts.yaml");
  const Variable absolute("XDG_CONFIG_HOME", "/etc/xdg");
  EXPECT_EQ(context::ContextsPath(), "/etc/xdg/ringway/contexts.yaml");
  const Variable homeless("HOME", "");
  const Variable nowhere("XDG_CONFIG_HOME", "");
  EXPECT_EQ(context::ContextsPath(), "");
  const absl::Status written = context::WriteContexts("", {});
  EXPECT_EQ(written.code(), absl::StatusCode::kFailedPrecondition);
}

TEST_F(ContextTest, AFieldIsChangedAloneAndAnEmptyOneIsCleared) {
  Ringway({"context", "set", "a", "--controller", "h:1", "--router", "h:2"});
  Ringway({"context", "set", "a", "--router", ""});
  const absl::StatusOr<context::Contexts> read = context::ReadContexts(file_);
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(*read, (context::Contexts{.current = "", .all = {{.name = "a", .controller = "h:1"}}}));
}

TEST_F(ContextTest, AFlagWinsOverTheEnvironmentAndThatOverTheContext) {
  Ringway({"context", "set", "wrong", "--controller", "127.0.0.1:1", "--token-file", token_});
  Ringway({"context", "set", "right", "--controller", server_.address()});
  Ringway({"context", "use", "wrong"});
  EXPECT_EQ(Ringway({"status"}).code, 3) << "the current context";
  EXPECT_EQ(Ringway({"status", "--context", "right"}).code, 0);
  {
    const Variable chosen("RINGWAY_CONTEXT", "right");
    EXPECT_EQ(Ringway({"status"}).code, 0);
    EXPECT_EQ(Ringway({"status", "--context", "wrong"}).code, 3) << "the flag wins";
  }
  const Variable controller("RINGWAY_CONTROLLER", server_.address());
  EXPECT_EQ(Ringway({"status"}).code, 0);
  EXPECT_EQ(Ringway({"status", "--controller", "127.0.0.1:1"}).code, 3);
  EXPECT_THAT(Ringway({"context", "show"}).out,
              ContainsRegex("controller +" + server_.address() + " +.RINGWAY_CONTROLLER"));
}

TEST_F(ContextTest, ATokenOfTheCurrentContextGoesToNoOtherFleet) {
  Ringway({"context", "set", "a", "--controller", "127.0.0.1:1", "--token-file", token_});
  Ringway({"context", "use", "a"});
  EXPECT_EQ(Ask({"status"}).code, 0);
  EXPECT_EQ(admin_.authorization, "") << "to an address that is not the context's";
  EXPECT_EQ(Ask({"status", "--context", "a"}).code, 0);
  EXPECT_EQ(admin_.authorization, "Bearer secret-of-a") << "it was named";
  const Variable token("RINGWAY_TOKEN", "secret-of-the-shell");
  Ask({"status", "--context", "a"});
  EXPECT_EQ(admin_.authorization, "Bearer secret-of-the-shell") << "the environment wins over the context";
}

TEST_F(ContextTest, AnUnknownContextIsAnsweredWithTheLikelyOne) {
  Ringway({"context", "set", "production", "--controller", "127.0.0.1:1"});
  for (const std::vector<std::string>& words :
       std::vector<std::vector<std::string>>{{"status", "--context", "prodution"},
                                             {"context", "use", "prodution"},
                                             {"context", "remove", "prodution"},
                                             {"context", "show", "prodution"},
                                             {"submit", "--context", "prodution"}}) {
    const Ran ran = Ringway(words);
    EXPECT_EQ(ran.code, 1) << words[1];
    EXPECT_THAT(ran.err, AllOf(HasSubstr("no context \"prodution\" in " + file_),
                               HasSubstr("did you mean \"production\"?")));
    EXPECT_THAT(ran.out, IsEmpty());
  }
}

TEST_F(ContextTest, WhatIsWrongIsRefusedAndTheFileStays) {
  EXPECT_EQ(Ringway({"context", "set", "a", "--controller", "h:1"}).code, 0);
  const std::string before = Text();
  for (const std::vector<std::string>& words :
       std::vector<std::vector<std::string>>{{"context", "set", "a"},
                                             {"context", "set", "two words", "--controller", "h:1"},
                                             {"context", "set", "a", "--controller", "nowhere"},
                                             {"context", "set", "a", "--router", "h:99999"},
                                             {"context", "use"},
                                             {"context"}}) {
    EXPECT_EQ(Ringway(words).code, 2) << words.back();
    EXPECT_EQ(Text(), before);
  }
  EXPECT_NE(Ringway({"context", "set", "a", "--token-file", "/a\nb"}).code, 0);
  EXPECT_EQ(Text(), before);
}

TEST_F(ContextTest, AFileWithMistakesIsRefusedWithEachOfThemAndNoCommandGoesElsewhere) {
  fs::create_directories(fs::path(file_).parent_path());
  std::ofstream(file_) << "apiVersion: ringway/v1\nkind: Contexts\nmetadata: {name: x}\nspec:\n"
                          "  current: prod\n  contexts:\n"
                          "    - {name: production, controler: h:1}\n"
                          "    - {name: production, token: secret, tokenFile: relative/path}\n";
  const Ran ran = Ringway({"status"});
  EXPECT_EQ(ran.code, 1);
  EXPECT_THAT(ran.err, AllOf(HasSubstr(file_ + ":7:"), HasSubstr("did you mean \"controller\"?"),
                             HasSubstr(file_ + ":8:"), HasSubstr("each name once"),
                             HasSubstr("an absolute path, or one that begins with ~/"),
                             HasSubstr("spec.current: found \"prod\"")));
  EXPECT_EQ(Ringway({"topology", "check", RINGWAY_SOURCE_DIR "/topology/aws.yaml"}).code, 0)
      << "which asks nobody";
  EXPECT_EQ(Ringway({"context", "use", "production"}).code, 1) << "nothing is written over it";
}

TEST_F(ContextTest, TheFileIsReplacedWholeBehindALinkAndForItsOwnerAlone) {
  fs::create_directories(folder_ + "/ringway");
  const std::string target = folder_ + "/kept.yaml";
  std::ofstream(target) << context::ContextsText({});
  fs::create_symlink(target, file_);
  ASSERT_EQ(Ringway({"context", "set", "a", "--controller", "h:1"}).code, 0);
  EXPECT_TRUE(fs::is_symlink(file_));
  struct stat status {};
  ASSERT_EQ(stat(target.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0600u);
  EXPECT_FALSE(fs::exists(target + ".tmp"));
}

TEST_F(ContextTest, WhatIsWrittenIsReadBackWhateverTheNames) {
  context::Contexts contexts{.current = "no", .all = {}};
  contexts.all.push_back({.name = "no", .controller = "[::1]:7400", .router = "h:1"});
  contexts.all.push_back({.name = "1.5", .token_file = "/with \"quotes\" and \\ and # and ünïcode"});
  contexts.all.push_back({.name = "null", .fleet_token_file = "~/fleet"});
  const auto read = context::ParseContexts(context::ContextsText(contexts), "x");
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(*read, contexts);
}

}  // namespace
}  // namespace ringway::cli
