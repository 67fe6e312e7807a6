#include "cli/bundled_list.h"

#include <map>
#include <string>

#include "cli/text_table.h"
#include "core/json.h"
#include "engine/bundled_pictures.h"

namespace ringway::cli {
namespace {

struct Kind {
  const char* flag;  // that takes the name
  const char* key;   // of the JSON
  std::map<std::string, std::string> files;
};

}  // namespace

int ListBundled(Session& session) {
  if (const auto folder = engine::FindScenes(); !folder.ok()) return Fail(session, folder.status());
  const auto about = engine::AboutBundledPictures();
  if (!about.ok()) return Fail(session, about.status());
  const auto about_of = [&](const std::string& name) {
    const auto found = about->find(name);
    return found == about->end() ? std::string() : found->second;
  };
  const Kind kinds[] = {{"--model", "models", engine::BundledModels()},
                        {"--lora", "loras", engine::BundledAdapters()},
                        {"--control", "controls", engine::BundledControls()}};
  JsonWriter json;
  TextTable table({{"FOR"}, {"VALUE"}, {"WHAT"}, {"PLACE"}});
  json.BeginObject();
  for (const Kind& kind : kinds) {
    json.Key(kind.key).BeginArray();
    for (const auto& [name, path] : kind.files) {
      table.Add({kind.flag, name, about_of(name), path});
      json.BeginObject()
          .Key("name")
          .Text(name)
          .Key("about")
          .Text(about_of(name))
          .Key("path")
          .Text(path)
          .End();
    }
    json.End();
  }
  session.out << (session.json ? json.End().text() + "\n" : table.Render(session.colour));
  return kExitOk;
}

}  // namespace ringway::cli
