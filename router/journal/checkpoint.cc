#include "router/journal/checkpoint.h"

#include <cstdint>
#include <utility>

#include "router/journal/bytes.h"

namespace ringway::router::journal {

std::string Save(const RouterMachine& machine, const Shapes* shapes) {
  WritePool pool;
  std::string body;
  Writer(body, &pool, shapes).Put(machine);
  std::string bytes;
  Writer writer(bytes);
  writer.Put(pool.values);
  writer.Put(body);
  return bytes;
}

bool Load(std::string_view bytes, std::deque<std::string>& words, RouterMachine& machine,
          const Shapes* shapes) {
  Reader reader(bytes, words);
  std::vector<std::string> values;
  std::string body;
  reader.Take(values);
  reader.Take(body);
  if (!reader.ok() || !reader.empty()) return false;
  ReadPool pool;
  for (const std::string& value : values) pool.values.push_back({.bytes = value, .made = nullptr});
  Reader state(body, words, shapes, &pool, values.size() + 1);
  state.Take(machine);
  return state.ok() && state.empty();
}

}  // namespace ringway::router::journal
