// All that a machine has become, as bytes, so that a journal need not begin at its birth.
//
// The bytes depend on the state alone: two machines in the same state give the same ones. A machine made from
// the same settings, and loaded with them, decides as the first one goes on to; the random numbers to come
// are part of the state. Another release's shapes (shape.h) are given where it wrote them, or would have.
//
// A machine's class names its state with RINGWAY_STATE (core/state.h). Time: linear in the state. Pure.
#ifndef RINGWAY_JOURNAL_STATE_H_
#define RINGWAY_JOURNAL_STATE_H_

#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "journal/bytes.h"
#include "journal/shape.h"

namespace ringway::journal {

template <class Machine>
std::string SaveState(const Machine& machine, const Shapes* shapes) {
  WritePool pool;
  std::string body;
  Writer(body, &pool, shapes).Put(machine);
  std::string bytes;
  Writer writer(bytes);
  writer.Put(pool.values);
  writer.Put(body);
  return bytes;
}

// Into a machine that is as new. `words` keeps what its names point at, and outlives it. False: the bytes are
// damaged, or of other settings; the machine is of no use then.
template <class Machine>
bool LoadState(std::string_view bytes, std::deque<std::string>& words, Machine& machine,
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

}  // namespace ringway::journal

#endif  // RINGWAY_JOURNAL_STATE_H_
