#include "runtime/flags.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <iostream>
#include <sstream>
#include <utility>

namespace ringway::flags {
namespace {

std::optional<Ending> EndingOf(const CLI::App& app, const CLI::ParseError& error) {
  if (error.get_exit_code() != 0) return Ending{.code = kExitUsage, .text = error.what()};
  std::ostringstream text;
  app.exit(error, text, text);
  return Ending{.code = 0, .text = text.str()};
}

}  // namespace

// ---- options ----

Option Option::Required() const { return Option(option_->required()); }
Option Option::Group(const std::string& heading) const { return Option(option_->group(heading)); }
Option Option::ShowDefault() const { return Option(option_->capture_default_str()); }
Option Option::DefaultText(const std::string& text) const { return Option(option_->default_str(text)); }
Option Option::TypeName(const std::string& name) const { return Option(option_->type_name(name)); }
Option Option::Environment(const std::string& variable) const { return Option(option_->envname(variable)); }
Option Option::Needs(Option other) const { return Option(option_->needs(other.option_)); }
Option Option::Excludes(Option other) const { return Option(option_->excludes(other.option_)); }
Option Option::Excludes(const std::string& other) const { return Option(option_->excludes(other)); }
Option Option::In(int low, int high) const { return Option(option_->check(CLI::Range(low, high))); }
Option Option::In(double low, double high) const { return Option(option_->check(CLI::Range(low, high))); }
Option Option::ZeroOrIn(double low, double high) const {
  return Option(option_->check(CLI::IsMember({0.0}) | CLI::Range(low, high)));
}
Option Option::OneOf(const Texts& words) const { return Option(option_->check(CLI::IsMember(words))); }
Option Option::Check(flags::Check check) const {
  return Option(option_->check(CLI::Validator(std::move(check), "")));
}
Option Option::Values(int least, int most) const { return Option(option_->expected(least, most)); }
Option Option::OneEach() const { return Option(option_->allow_extra_args(false)); }

bool Option::given() const { return !option_->empty(); }

std::string Option::name() const { return option_->get_name(true); }
Texts Option::names() const {
  Texts names;
  for (const std::string& name : option_->get_snames()) names.push_back("-" + name);
  for (const std::string& name : option_->get_lnames()) names.push_back("--" + name);
  return names;
}
std::string Option::about() const { return option_->get_description(); }
std::string Option::type_name() const { return option_->get_type_name(); }
std::string Option::default_text() const { return option_->get_default_str(); }
std::string Option::environment() const { return option_->get_envname(); }
bool Option::required() const { return option_->get_required(); }
bool Option::takes_value() const { return option_->get_type_size() != 0; }

// ---- commands ----

Option Command::Add(const std::string& names, std::string& target, const std::string& about) const {
  return Option(app_->add_option(names, target, about));
}
Option Command::Add(const std::string& names, double& target, const std::string& about) const {
  return Option(app_->add_option(names, target, about));
}
Option Command::Add(const std::string& names, std::optional<double>& target, const std::string& about) const {
  return Option(app_->add_option(names, target, about));
}
Option Command::Add(const std::string& names, int& target, const std::string& about) const {
  return Option(app_->add_option(names, target, about));
}
Option Command::Add(const std::string& names, std::uint32_t& target, const std::string& about) const {
  return Option(app_->add_option(names, target, about));
}
Option Command::Add(const std::string& names, std::uint64_t& target, const std::string& about) const {
  return Option(app_->add_option(names, target, about));
}
Option Command::Add(const std::string& names, std::int64_t& target, const std::string& about) const {
  return Option(app_->add_option(names, target, about));
}
Option Command::Add(const std::string& names, Texts& target, const std::string& about) const {
  return Option(app_->add_option(names, target, about));
}
Option Command::Add(const std::string& names, std::vector<double>& target, const std::string& about) const {
  return Option(app_->add_option(names, target, about));
}
Option Command::Add(const std::string& names, std::vector<int>& target, const std::string& about) const {
  return Option(app_->add_option(names, target, about));
}
Option Command::Add(const std::string& names, const std::string& about) const {
  return Option(app_->add_option(names, about));
}
Option Command::AddText(const std::string& names, std::function<void(const std::string&)> take,
                        const std::string& about) const {
  return Option(app_->add_option_function<std::string>(names, std::move(take), about));
}
Option Command::AddTexts(const std::string& names, std::function<void(const Texts&)> take,
                         const std::string& about) const {
  return Option(app_->add_option_function<Texts>(names, std::move(take), about));
}
Option Command::AddNumber(const std::string& names, std::function<void(double)> take,
                          const std::string& about) const {
  return Option(app_->add_option_function<double>(names, std::move(take), about));
}
Option Command::AddCount(const std::string& names, std::function<void(std::uint32_t)> take,
                         const std::string& about) const {
  return Option(app_->add_option_function<std::uint32_t>(names, std::move(take), about));
}
Option Command::AddFlag(const std::string& names, bool& target, const std::string& about) const {
  return Option(app_->add_flag(names, target, about));
}
Option Command::AddFlag(const std::string& names, std::function<void()> take,
                        const std::string& about) const {
  return Option(app_->add_flag_callback(names, std::move(take), about));
}
Option Command::AddVersion(const std::string& text) const {
  return Option(app_->set_version_flag("--version", text));
}
Command Command::Subcommand(const std::string& name, const std::string& about) const {
  return Command(app_->add_subcommand(name, about));
}

Command Command::Group(const std::string& heading) const { return Command(app_->group(heading)); }
Command Command::Footer(const std::string& text) const { return Command(app_->footer(text)); }
Command Command::RequireSubcommand() const { return Command(app_->require_subcommand(1)); }
Command Command::OnChosen(std::function<void()> run) const { return Command(app_->callback(std::move(run))); }

bool Command::Given(const std::string& name) const {
  const CLI::Option* option = app_->get_option_no_throw(name);
  return option != nullptr && !option->empty();
}

std::string Command::name() const { return app_->get_name(); }
std::string Command::about() const { return app_->get_description(); }
std::string Command::footer() const { return app_->get_footer(); }
std::vector<Option> Command::options() const {
  std::vector<Option> all;
  for (CLI::Option* option : app_->get_options([](const CLI::Option*) { return true; }))
    all.push_back(Option(option));
  return all;
}
std::vector<Command> Command::subcommands() const {
  std::vector<Command> all;
  for (CLI::App* app : app_->get_subcommands([](const CLI::App*) { return true; }))
    all.push_back(Command(app));
  return all;
}
std::vector<Command> Command::chosen() const {
  std::vector<Command> all;
  for (CLI::App* app : app_->get_subcommands()) all.push_back(Command(app));
  return all;
}

// ---- the root ----

Root::Root(const std::string& about, const std::string& name)
    : Command(nullptr), owned_(std::make_unique<CLI::App>(about, name)) {
  app_ = owned_.get();
}
Root::~Root() = default;

void Root::OptionsAnywhere() { app_->fallthrough(); }
std::string Root::Help() const { return app_->help(); }

std::optional<Ending> Root::Parse(const Texts& words) {
  // As CLI11 wants them.
  Texts backwards(words.rbegin(), words.rend());
  try {
    app_->parse(std::move(backwards));
  } catch (const CLI::ParseError& error) {
    return EndingOf(*app_, error);
  }
  return std::nullopt;
}

std::optional<Ending> Root::Parse(int argc, const char* const* argv) {
  try {
    app_->parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return EndingOf(*app_, error);
  }
  return std::nullopt;
}

Texts Root::Rest() const { return app_->remaining(true); }

// ---- mistakes ----

int Tell(const Ending& ending, const std::string& program) {
  if (ending.code == 0) {
    std::cout << ending.text;
    return 0;
  }
  std::string what = ending.text;
  std::replace(what.begin(), what.end(), '\n', ' ');
  std::cerr << program << ": " << what << "; `" << program << " --help` lists the options\n";
  return ending.code;
}

void Refuse(const std::string& option, const std::string& why) { throw CLI::ValidationError(option, why); }
void Missing(const std::string& what) { throw CLI::RequiredError(what); }

}  // namespace ringway::flags
