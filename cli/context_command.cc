// ringway context list|show [CONTEXT]|use CONTEXT|set CONTEXT ...|remove CONTEXT
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "cli/commands.h"
#include "cli/context/context_file.h"
#include "cli/context/endpoints.h"
#include "core/json.h"
#include "topology/mapping.h"

namespace ringway::cli {
namespace {

using context::Context;
using context::Contexts;

// What `set` is to write; none: as it is.
struct Fields {
  std::optional<std::string> controller, router, token_file, fleet_token_file;
};

void WriteFields(const Context& one, JsonWriter& json) {
  json.Key("name").Text(one.name);
  json.Key("controller").Text(one.controller);
  json.Key("router").Text(one.router);
  json.Key("token_file").Text(one.token_file);
  json.Key("fleet_token_file").Text(one.fleet_token_file);
}

int List(Session& session) {
  const std::string path = context::ContextsPath();
  const absl::StatusOr<Contexts> contexts = context::ReadContexts(path);
  if (!contexts.ok()) return Fail(session, contexts.status());
  if (session.json) {
    JsonWriter json;
    json.BeginObject().Key("file").Text(path).Key("current").Text(contexts->current);
    json.Key("contexts").BeginArray();
    for (const Context& one : contexts->all) {
      json.BeginObject();
      WriteFields(one, json);
      json.End();
    }
    json.End().End();
    session.out << json.text() << "\n";
    return kExitOk;
  }
  TextTable table({{""}, {"CONTEXT"}, {"CONTROLLER"}, {"ROUTER"}, {"TOKEN FILE"}, {"FLEET TOKEN FILE"}});
  for (const Context& one : contexts->all) {
    const bool current = one.name == contexts->current;
    table.Add({current ? "*" : "", Cell(one.name, current ? Style::kBold : Style::kPlain), one.controller,
               one.router, one.token_file, one.fleet_token_file});
  }
  session.out << (table.empty() ? absl::StrCat("no context in ", path, "\n") : table.Render(session.colour));
  return kExitOk;
}

struct Setting {
  const char* name;
  std::string value;
  std::string from;
};

// Where a value comes from that is no context's.
std::string FromOutside(const std::string& value, const char* variable) {
  const char* there = std::getenv(variable);
  return there != nullptr && value == there ? absl::StrCat("$", variable) : "command line";
}

std::vector<Setting> SettingsOf(const Session& before, const Session& session) {
  const std::string of_context = absl::StrCat("context ", session.context_in_use);
  const auto address = [&](const char* name, bool given, const std::string& was, const std::string& is,
                           const char* variable) {
    const std::string from = given ? FromOutside(is, variable) : is != was ? of_context : "built-in default";
    return Setting{name, is, from};
  };
  const auto token = [&](const char* name, const std::string& was, const std::string& is,
                         const char* variable) {
    const char* there = std::getenv(variable);
    if (!was.empty()) return Setting{name, is, "command line"};
    if (!is.empty()) return Setting{name, is, of_context};
    if (there != nullptr && *there != '\0')
      return Setting{name, "(the token itself)", absl::StrCat("$", variable)};
    return Setting{name, "", "none"};
  };
  return {
      address("controller", session.controller_given, before.controller, session.controller,
              "RINGWAY_CONTROLLER"),
      address("router", session.router_given, before.router, session.router, "RINGWAY_ROUTER"),
      token("token file", before.token_file, session.token_file, "RINGWAY_TOKEN"),
      token("fleet token file", before.fleet_token_file, session.fleet_token_file, "RINGWAY_FLEET_TOKEN")};
}

// What counts, and why.
int Show(Session& session, const std::string& name) {
  if (!name.empty()) session.context = name;
  const Session before = session;
  if (absl::Status used = UseContext(session); !used.ok()) return Fail(session, used);
  const std::vector<Setting> settings = SettingsOf(before, session);
  if (session.json) {
    JsonWriter json;
    json.BeginObject().Key("context").Text(session.context_in_use).Key("settings").BeginArray();
    for (const Setting& setting : settings) {
      json.BeginObject().Key("setting").Text(setting.name).Key("value").Text(setting.value);
      json.Key("from").Text(setting.from).End();
    }
    json.End().End();
    session.out << json.text() << "\n";
    return kExitOk;
  }
  TextTable table({{"SETTING"}, {"VALUE"}, {"FROM"}});
  table.Add({"context", session.context_in_use.empty() ? "none" : session.context_in_use,
             session.context_in_use.empty() ? "" : context::ContextsPath()});
  for (const Setting& setting : settings) table.Add({setting.name, setting.value, setting.from});
  session.out << table.Render(session.colour);
  return kExitOk;
}

// Reads, changes, writes, and tells it with one sentence.
template <class Change>
int Rewrite(Session& session, Change change) {
  const std::string path = context::ContextsPath();
  absl::StatusOr<Contexts> contexts = context::ReadContexts(path);
  if (!contexts.ok()) return Fail(session, contexts.status());
  const absl::StatusOr<std::string> done = change(*contexts, path);
  if (!done.ok()) return Fail(session, done.status());
  if (absl::Status written = context::WriteContexts(path, *contexts); !written.ok())
    return Fail(session, written);
  if (session.json) {
    JsonWriter json;
    json.BeginObject().Key("file").Text(path).Key("message").Text(*done).End();
    session.out << json.text() << "\n";
  } else {
    session.out << *done << "\n";
  }
  return kExitOk;
}

int Use(Session& session, const std::string& name) {
  return Rewrite(session, [&](Contexts& contexts, const std::string& path) -> absl::StatusOr<std::string> {
    if (contexts.Find(name) == nullptr) return context::UnknownContext(name, contexts, path);
    contexts.current = name;
    return absl::StrCat("commands now ask the fleet of context ", name);
  });
}

int Set(Session& session, const std::string& name, const Fields& fields) {
  return Rewrite(session, [&](Contexts& contexts, const std::string& path) -> absl::StatusOr<std::string> {
    Context* one = contexts.Find(name);
    const bool made = one == nullptr;
    if (made) one = &contexts.all.emplace_back(Context{.name = name});
    if (fields.controller) one->controller = *fields.controller;
    if (fields.router) one->router = *fields.router;
    if (fields.token_file) one->token_file = *fields.token_file;
    if (fields.fleet_token_file) one->fleet_token_file = *fields.fleet_token_file;
    return absl::StrCat("context ", name, made ? " is made in " : " is changed in ", path,
                        contexts.current == name
                            ? "; it is the current one"
                            : absl::StrCat("; `ringway context use ", name, "` makes it the current one"));
  });
}

int Remove(Session& session, const std::string& name) {
  return Rewrite(session, [&](Contexts& contexts, const std::string& path) -> absl::StatusOr<std::string> {
    if (contexts.Find(name) == nullptr) return context::UnknownContext(name, contexts, path);
    std::erase_if(contexts.all, [&](const Context& one) { return one.name == name; });
    const bool current = contexts.current == name;
    if (current) contexts.current.clear();
    return absl::StrCat("context ", name, " is removed", current ? "; none is the current one now" : "");
  });
}

flags::Option AddName(flags::Command command, std::string& name) {
  return command.Add("CONTEXT", name, "its name");
}

// What the file is read from any folder, so a relative path becomes an absolute one.
std::string TokenPath(const std::string& given) {
  if (given.empty() || absl::StartsWith(given, "~/")) return given;
  return std::filesystem::absolute(given).lexically_normal().string();
}

void AddSet(flags::Command context, Session& session) {
  flags::Command command = context.Subcommand("set", "make a context, or change what is given");
  const auto name = std::make_shared<std::string>();
  const auto fields = std::make_shared<Fields>();
  AddName(command, *name).Required().Check([](std::string& text) -> std::string {
    if (IsName(text)) return "";
    return absl::StrCat("found ", Quoted(text),
                        "; allowed: letters, digits and . _ : - after a letter or digit, 1 to 63 of them");
  });
  const auto address = [&](const char* option, std::optional<std::string>& field, const char* about) {
    command
        .AddText(
            option, [&field, fields](const std::string& text) { field = text; }, about)
        .Check([](std::string& text) { return context::WrongAddress(text); });
  };
  const auto file = [&](const char* option, std::optional<std::string>& field, const char* about) {
    command.AddText(
        option, [&field, fields](const std::string& text) { field = TokenPath(text); }, about);
  };
  address("--controller", fields->controller, "host:port of its controller's admin service; \"\": none");
  address("--router", fields->router, "host:port of one of its routers; \"\": none");
  file("--token-file", fields->token_file, "file with its admin token; \"\": none");
  file("--fleet-token-file", fields->fleet_token_file, "file with its fleet's token; \"\": none");
  command.OnChosen([&session, name, fields] {
    if (!fields->controller && !fields->router && !fields->token_file && !fields->fleet_token_file) {
      flags::Missing(
          "after the name at least one of --controller, --router, --token-file, --fleet-token-file");
    }
    session.run = [&session, name, fields] { return Set(session, *name, *fields); };
  });
}

}  // namespace

void AddContextCommand(flags::Command app, Session& session) {
  flags::Command command = app.Subcommand("context", "fleets by name: which one the commands ask");
  command.RequireSubcommand();
  flags::Command list = command.Subcommand("list", "the contexts of the file; * is the current one");
  list.OnChosen([&session] { session.run = [&session] { return List(session); }; });
  const auto add = [&](const char* word, const char* about, int (*run)(Session&, const std::string&)) {
    flags::Command verb = command.Subcommand(word, about);
    const auto name = std::make_shared<std::string>();
    flags::Option option = AddName(verb, *name);
    verb.OnChosen(
        [&session, run, name] { session.run = [&session, run, name] { return run(session, *name); }; });
    return option;
  };
  add("show", "whom a command would ask, and where each setting comes from", Show);
  add("use", "make it the current one", Use).Required();
  AddSet(command, session);
  add("remove", "forget it; the token files stay", Remove).Required();
}

}  // namespace ringway::cli
