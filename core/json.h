// Writes JSON text, one value after the other, with the commas and quotes in the right places.
//
// For what people and their programs read: --json on the command line, the dashboard's documents. Numbers
// that JSON cannot say (NaN, infinities) become null, others have six significant digits; text is taken as
// UTF-8 and control bytes are escaped. The caller opens and closes in pairs; text() is the document once
// everything is closed.
//
// Pure. Threads: one owner. Cost: linear in the output.
#ifndef RINGWAY_CORE_JSON_H_
#define RINGWAY_CORE_JSON_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace ringway {

class JsonWriter {
 public:
  enum class Layout {
    kIndented,  // for people: a line for each value
    kDense,     // for the wire: no blanks
  };
  explicit JsonWriter(Layout layout = Layout::kIndented) : indented_(layout == Layout::kIndented) {}

  JsonWriter& BeginObject() { return Open('{', '}'); }
  JsonWriter& BeginArray() { return Open('[', ']'); }
  JsonWriter& End();
  // Before each value inside an object.
  JsonWriter& Key(std::string_view key);

  JsonWriter& Text(std::string_view value);
  JsonWriter& Number(double value);
  JsonWriter& Integer(std::int64_t value);
  JsonWriter& Flag(bool value);
  // JSON text of another writer, taken as it is.
  JsonWriter& Raw(std::string_view json);
  JsonWriter& Texts(const std::vector<std::string>& values);

  const std::string& text() const { return text_; }

 private:
  struct Level {
    char close;
    bool empty = true;
  };
  JsonWriter& Open(char open, char close);
  // The comma and the line break that stand before the next element.
  void Separate();
  void BreakLine();
  void Quote(std::string_view value);

  bool indented_;
  std::string text_;
  std::vector<Level> levels_;
  bool after_key_ = false;
};

}  // namespace ringway

#endif  // RINGWAY_CORE_JSON_H_
