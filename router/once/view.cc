#include "router/once/view.h"

#include <algorithm>
#include <utility>

#include "router/once/rendezvous.h"

namespace ringway::router::once {

ViewPtr MakeView(TableVersion number, std::vector<std::string> names, std::vector<KnownView> before) {
  auto view = std::make_shared<View>();
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  view->names = std::move(names);
  view->id = {.epoch = number.epoch, .version = number.version, .digest = 0};
  for (const std::string& name : view->names) {
    view->marks.push_back(StableHash(name));
    view->id.digest = StableHash(name, view->id.digest);
  }
  if (before.size() > kViewsBeforeMax) before.resize(kViewsBeforeMax);
  view->before = std::move(before);
  return view;
}

}  // namespace ringway::router::once
