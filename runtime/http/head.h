// The head of an HTTP/1.1 message as it was read: start line, fields, and what they say about the body.
//
// Everything is a view into the buffer of the connection that read it, so a head costs no allocation once its
// vector has grown; it is valid during the call that hands it over and no longer. What a reader lets through
// is unambiguous (message_reader.h): at most one framing, no folded lines, a method and target without
// blanks.
//
// Bounds: kFieldsMax fields. Threads: values.
#ifndef RINGWAY_RUNTIME_HTTP_HEAD_H_
#define RINGWAY_RUNTIME_HTTP_HEAD_H_

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace ringway::http {

inline constexpr std::size_t kFieldsMax = 128;

struct Field {
  std::string_view name;
  std::string_view value;
};

// How the end of a body is known.
enum class Framing : std::uint8_t {
  kNone,     // no body
  kLength,   // Content-Length
  kChunked,  // Transfer-Encoding: chunked
  kToClose,  // ends with the connection; responses only
};

struct Head {
  std::string_view method;  // of a request
  std::string_view target;
  int status = 0;  // of a response
  std::string_view reason;
  int minor_version = 1;  // HTTP/1.x
  Framing framing = Framing::kNone;
  std::uint64_t length = 0;  // bytes of the body, with kLength
  bool keep_alive = true;    // what the sender wants
  bool expects_continue = false;
  std::vector<Field> fields;

  // The first of that name, whatever its case; null: none.
  const Field* Find(std::string_view name) const;
  // Its value; empty when there is none.
  std::string_view Value(std::string_view name) const;
  void Clear();
};

// Names of fields and most of their values do not mind case. ASCII only.
bool SameName(std::string_view a, std::string_view b);
// A comma-separated list has this member.
bool ListHas(std::string_view list, std::string_view member);
// Safe methods may be repeated: they ask for nothing to be done (RFC 9110, 9.2.1).
bool IsSafe(std::string_view method);
// What stands behind a status of our own; empty for one that we do not send.
std::string_view ReasonOf(int status);

}  // namespace ringway::http

#endif  // RINGWAY_RUNTIME_HTTP_HEAD_H_
