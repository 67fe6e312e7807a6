#include "router/journal/checkpoint.h"

#include "journal/state.h"
#include "router/journal/fields.h"

namespace ringway::router {

std::string Save(const RouterMachine& machine, const journal::Shapes* shapes) {
  return journal::SaveState(machine, shapes);
}

bool Load(std::string_view bytes, std::deque<std::string>& words, RouterMachine& machine,
          const journal::Shapes* shapes) {
  return journal::LoadState(bytes, words, machine, shapes);
}

}  // namespace ringway::router
