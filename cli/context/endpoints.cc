#include "cli/context/endpoints.h"

#include <cstdlib>
#include <string>

#include "cli/context/context_file.h"

namespace ringway::cli {
namespace {

bool IsSet(const char* variable) {
  const char* value = std::getenv(variable);
  return value != nullptr && *value != '\0';
}

// Fills a file that was not named in place of a token in the environment.
void FillToken(const std::string& from, const char* variable, std::string& file) {
  if (file.empty() && !IsSet(variable)) file = context::WithHome(from);
}

}  // namespace

absl::Status UseContext(Session& session) {
  const bool named = !session.context.empty();
  // Both addresses are known, and the tokens of another fleet are not for them.
  if (!named && session.controller_given && session.router_given) return absl::OkStatus();
  const std::string path = context::ContextsPath();
  const absl::StatusOr<context::Contexts> contexts = context::ReadContexts(path);
  if (!contexts.ok()) return contexts.status();
  const std::string& name = named ? session.context : contexts->current;
  if (name.empty()) return absl::OkStatus();
  const context::Context* chosen = contexts->Find(name);
  if (chosen == nullptr) return context::UnknownContext(name, *contexts, path);
  session.context_in_use = name;
  if (!session.controller_given && !chosen->controller.empty()) session.controller = chosen->controller;
  if (!session.router_given && !chosen->router.empty()) session.router = chosen->router;
  if (named || !session.controller_given) FillToken(chosen->token_file, "RINGWAY_TOKEN", session.token_file);
  if (named || (!session.controller_given && !session.router_given))
    FillToken(chosen->fleet_token_file, "RINGWAY_FLEET_TOKEN", session.fleet_token_file);
  return absl::OkStatus();
}

}  // namespace ringway::cli
