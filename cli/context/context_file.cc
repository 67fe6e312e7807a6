#include "cli/context/context_file.h"

#include <cstdlib>
#include <filesystem>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "runtime/address.h"
#include "runtime/whole_file.h"
#include "topology/envelope.h"
#include "topology/spelling.h"
#include "topology/topology.h"

namespace ringway::context {
namespace {

namespace fs = std::filesystem;

constexpr char kAddressForm[] = "HOST:PORT, for example 10.0.0.5:7400";
constexpr char kPathForm[] = "an absolute path, or one that begins with ~/";
constexpr char kHomePrefix[] = "~/";

std::string FromEnvironment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

std::string ReadAddress(Mapping& fields, std::string_view key) {
  std::string address = fields.Text(key, "");
  if (!WrongAddress(address).empty()) fields.Report(key, kAddressForm);
  return address;
}

std::string ReadPath(Mapping& fields, std::string_view key) {
  std::string path = fields.Text(key, "");
  if (!WrongTokenFile(path).empty()) fields.Report(key, kPathForm);
  return path;
}

Context ReadContext(Mapping& fields) {
  return {.name = fields.Name("name"),
          .controller = ReadAddress(fields, "controller"),
          .router = ReadAddress(fields, "router"),
          .token_file = ReadPath(fields, "tokenFile"),
          .fleet_token_file = ReadPath(fields, "fleetTokenFile")};
}

std::vector<std::string_view> NamesOf(const Contexts& contexts) {
  std::vector<std::string_view> names;
  for (const Context& one : contexts.all) names.push_back(one.name);
  return names;
}

Contexts ReadSpec(Mapping& spec, Problems& problems) {
  Contexts contexts;
  contexts.current = spec.Text("current", "");
  for (const Place& place : spec.List("contexts", kContextsMax)) {
    Mapping fields(place, problems);
    Context one = ReadContext(fields);
    fields.Finish();
    if (contexts.Find(one.name) != nullptr) fields.Report("name", "each name once");
    contexts.all.push_back(std::move(one));
  }
  if (!contexts.current.empty() && contexts.Find(contexts.current) == nullptr) {
    spec.Report("current", "the name of one of spec.contexts, or nothing",
                DidYouMean(contexts.current, NamesOf(contexts)));
  }
  spec.Finish();
  return contexts;
}

std::string YamlText(std::string_view text) {
  return absl::StrCat(
      "\"",
      absl::StrReplaceAll(absl::string_view(text.data(), text.size()), {{"\\", "\\\\"}, {"\"", "\\\""}}),
      "\"");
}

}  // namespace

const Context* Contexts::Find(std::string_view name) const {
  for (const Context& one : all) {
    if (one.name == name) return &one;
  }
  return nullptr;
}

Context* Contexts::Find(std::string_view name) {
  return const_cast<Context*>(std::as_const(*this).Find(name));
}

std::string WrongAddress(const std::string& address) {
  if (address.empty() || runtime::ParseAddress(address).ok()) return "";
  return absl::StrCat("found ", Quoted(address), "; allowed: ", kAddressForm);
}

std::string WrongTokenFile(const std::string& path) {
  if (path.empty() || path[0] == '/' || absl::StartsWith(path, kHomePrefix)) return "";
  return absl::StrCat("found ", Quoted(path), "; allowed: ", kPathForm);
}

absl::StatusOr<Contexts> ParseContexts(std::string_view text, std::string_view file_name) {
  Problems problems(file_name);
  const YamlFile file = YamlFile::Parse(text, problems);
  std::vector<Envelope> envelopes = ReadEnvelopes(file, {"Contexts"}, problems);
  if (envelopes.size() != 1 && problems.empty()) {
    problems.Add(
        {{}, "kind", std::to_string(envelopes.size()) + " documents", "one document of kind Contexts", ""});
  }
  if (envelopes.empty()) return problems.ToStatus();
  Contexts contexts = ReadSpec(envelopes.front().spec, problems);
  if (!problems.empty()) return problems.ToStatus();
  return contexts;
}

std::string ContextsText(const Contexts& contexts) {
  std::string text = absl::StrCat(
      "# Fleets that `ringway` knows by name; `ringway context set` and `use` write this file anew.\n",
      "apiVersion: ringway/v1\nkind: Contexts\nmetadata: {name: contexts}\nspec:\n");
  if (!contexts.current.empty()) absl::StrAppend(&text, "  current: ", YamlText(contexts.current), "\n");
  absl::StrAppend(&text, "  contexts:", contexts.all.empty() ? " []" : "", "\n");
  const auto field = [&](const char* key, const std::string& value) {
    if (!value.empty()) absl::StrAppend(&text, "      ", key, ": ", YamlText(value), "\n");
  };
  for (const Context& one : contexts.all) {
    absl::StrAppend(&text, "    - name: ", YamlText(one.name), "\n");
    field("controller", one.controller);
    field("router", one.router);
    field("tokenFile", one.token_file);
    field("fleetTokenFile", one.fleet_token_file);
  }
  return text;
}

std::string ContextsPath() {
  if (std::string named = FromEnvironment("RINGWAY_CONTEXTS"); !named.empty()) return named;
  std::string folder = FromEnvironment("XDG_CONFIG_HOME");
  if (folder.empty() || folder[0] != '/') {  // a relative one is to be ignored, says the XDG specification
    const std::string home = FromEnvironment("HOME");
    if (home.empty()) return "";
    folder = home + "/.config";
  }
  return folder + "/ringway/contexts.yaml";
}

absl::StatusOr<Contexts> ReadContexts(const std::string& path) {
  std::error_code error;
  if (path.empty() || !fs::exists(fs::status(path, error))) return Contexts();
  const absl::StatusOr<std::string> text = ReadTextFile(path);
  if (!text.ok()) return text.status();
  return ParseContexts(*text, path);
}

absl::Status WriteContexts(const std::string& path, const Contexts& contexts) {
  if (path.empty()) {
    return absl::FailedPreconditionError(
        "no file for contexts: neither RINGWAY_CONTEXTS nor XDG_CONFIG_HOME nor HOME is set");
  }
  const std::string text = ContextsText(contexts);
  const absl::StatusOr<Contexts> again = ParseContexts(text, path);
  if (!again.ok()) return again.status();
  if (*again != contexts) {
    return absl::InvalidArgumentError(absl::StrCat(
        path, ": not written: a value would not be read back as it is; allowed: one line of text"));
  }
  std::error_code error;
  const fs::path resolved = fs::weakly_canonical(path, error);
  const std::string target = error ? path : resolved.string();
  fs::create_directories(fs::path(target).parent_path(), error);
  return runtime::WriteWholeFile(target, {text});
}

absl::Status UnknownContext(std::string_view name, const Contexts& contexts, const std::string& path) {
  const std::vector<std::string_view> names = NamesOf(contexts);
  std::string message = absl::StrCat("no context ", Quoted(name), " in ", path);
  if (names.empty()) {
    absl::StrAppend(&message, ", which has none yet; `ringway context set` makes one");
  } else {
    absl::StrAppend(&message, "; there are: ",
                    absl::StrJoin(names, ", ", [](std::string* out, std::string_view one) { *out += one; }));
  }
  const std::string suggestion = DidYouMean(name, names);
  return absl::NotFoundError(suggestion.empty() ? message : absl::StrCat(message, "\n", suggestion));
}

std::string WithHome(const std::string& path) {
  const std::string home = FromEnvironment("HOME");
  if (!absl::StartsWith(path, kHomePrefix) || home.empty()) return path;
  return absl::StrCat(home, "/", path.substr(sizeof kHomePrefix - 1));
}

}  // namespace ringway::context
