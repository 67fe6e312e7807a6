// The command line of a program: its options, its subcommands, and what is said about a mistake.
//
// CLI11 behind one source: that library is headers only, and every source that includes it compiles all of it
// again. What is here means what CLI11 means by it. Targets must outlive the parsing; until then nothing is
// written to them.
//
// Commands and options are handles: copies are of the same one, and live as long as their root.
// Threads: before any starts.
#ifndef RINGWAY_RUNTIME_FLAGS_H_
#define RINGWAY_RUNTIME_FLAGS_H_

#include <cstdint>
#include <functional>
#include <iosfwd>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace ringway::flags {

using Texts = std::vector<std::string>;
// What is wrong with a word; empty: nothing.
using Check = std::function<std::string(std::string& word)>;

class Option {
 public:
  explicit Option(CLI::Option* option) : option_(option) {}

  Option Required() const;
  Option Group(const std::string& heading) const;
  Option ShowDefault() const;  // what the target holds now
  Option DefaultText(const std::string& text) const;
  Option TypeName(const std::string& name) const;
  Option Environment(const std::string& variable) const;
  Option Needs(Option other) const;
  Option Excludes(Option other) const;
  Option Excludes(const std::string& other) const;  // which has been added
  // Inclusive. Of whole numbers no others are taken.
  Option In(int low, int high) const;
  Option In(double low, double high) const;
  Option ZeroOrIn(double low, double high) const;
  Option OneOf(const Texts& words) const;
  Option Check(flags::Check check) const;
  // How many values follow the name.
  Option Values(int least, int most) const;
  // One value for each time that the name is given.
  Option OneEach() const;

  // After the parsing.
  bool given() const;

  std::string name() const;  // of a positional one what it is called
  Texts names() const;       // "-h", "--help"; empty: positional
  std::string about() const;
  std::string type_name() const;
  std::string default_text() const;
  std::string environment() const;
  bool required() const;
  bool takes_value() const;

 private:
  CLI::Option* option_;
};

class Command {
 public:
  explicit Command(CLI::App* app) : app_(app) {}
  friend bool operator==(const Command&, const Command&) = default;

  // `names`: "-p,--prompt", or NAME for a positional one.
  Option Add(const std::string& names, std::string& target, const std::string& about) const;
  Option Add(const std::string& names, double& target, const std::string& about) const;
  Option Add(const std::string& names, std::optional<double>& target, const std::string& about) const;
  Option Add(const std::string& names, int& target, const std::string& about) const;
  Option Add(const std::string& names, std::uint32_t& target, const std::string& about) const;
  Option Add(const std::string& names, std::uint64_t& target, const std::string& about) const;
  Option Add(const std::string& names, std::int64_t& target, const std::string& about) const;
  Option Add(const std::string& names, Texts& target, const std::string& about) const;
  Option Add(const std::string& names, std::vector<double>& target, const std::string& about) const;
  Option Add(const std::string& names, std::vector<int>& target, const std::string& about) const;
  // For whoever takes it in a Check.
  Option Add(const std::string& names, const std::string& about) const;
  // Gives each value to a function; what that throws with Refuse is a mistake.
  Option AddText(const std::string& names, std::function<void(const std::string&)> take,
                 const std::string& about) const;
  Option AddTexts(const std::string& names, std::function<void(const Texts&)> take,
                  const std::string& about) const;
  Option AddNumber(const std::string& names, std::function<void(double)> take,
                   const std::string& about) const;
  Option AddCount(const std::string& names, std::function<void(std::uint32_t)> take,
                  const std::string& about) const;
  Option AddFlag(const std::string& names, bool& target, const std::string& about) const;
  Option AddFlag(const std::string& names, std::function<void()> take, const std::string& about) const;
  Option AddVersion(const std::string& text) const;  // --version, which says so
  Command Subcommand(const std::string& name, const std::string& about) const;

  Command Group(const std::string& heading) const;
  Command Footer(const std::string& text) const;
  // One of its subcommands has to follow.
  Command RequireSubcommand() const;
  // Once it has been parsed whole.
  Command OnChosen(std::function<void()> run) const;

  // Whether it has that option and found it; after the parsing.
  bool Given(const std::string& name) const;

  std::string name() const;
  std::string about() const;
  std::string footer() const;
  std::vector<Option> options() const;
  std::vector<Command> subcommands() const;
  std::vector<Command> chosen() const;

 protected:
  CLI::App* app_;
};

// Why a program does not start.
struct Ending {
  int code = 0;           // 0: help or the version was asked for
  std::string text = {};  // that, or one line that says what is wrong
};

// What every program here says of a wrong command line with (docs/cli.md); CLI11's own codes are numbers
// above 100 that nobody looks up.
inline constexpr int kExitUsage = 2;

// The whole of a program's command line.
class Root final : public Command {
 public:
  explicit Root(const std::string& about, const std::string& name = "");
  ~Root();
  Root(const Root&) = delete;
  Root& operator=(const Root&) = delete;

  // Its own options may stand behind subcommands, too.
  void OptionsAnywhere();
  std::string Help() const;

  // Nothing: it was as it should be.
  std::optional<Ending> Parse(const Texts& words);
  std::optional<Ending> Parse(int argc, const char* const* argv);
  // What no option and no subcommand took.
  Texts Rest() const;

 private:
  std::unique_ptr<CLI::App> owned_;
};

// What a daemon says of it: help and the version as they are, and a mistake with the program's name and where
// to look. The exit code.
int Tell(const Ending& ending, const std::string& program);

// From within functions that take a value or run a command: it is a mistake.
[[noreturn]] void Refuse(const std::string& option, const std::string& why);
[[noreturn]] void Missing(const std::string& what);

}  // namespace ringway::flags

#endif  // RINGWAY_RUNTIME_FLAGS_H_
