// Feeds bytes to a message reader in cuts of the caller's choice and writes down what comes out.
//
// Two cuts of the same bytes must tell the same trace: that is the property which tests and fuzzer check.
// Bounded by kMessagesMax messages. Threads: one owner.
#ifndef RINGWAY_TESTS_RUNTIME_HTTP_MESSAGE_SCRIPT_H_
#define RINGWAY_TESTS_RUNTIME_HTTP_MESSAGE_SCRIPT_H_

#include <algorithm>
#include <cstring>
#include <string>
#include <string_view>

#include "runtime/http/message_reader.h"

namespace ringway::http {

inline constexpr int kMessagesMax = 64;

struct Script final : MessageSink {
  void OnHead(const Head& head) override {
    text += "[" + std::string(head.method) + std::to_string(head.status) + " " + std::string(head.target) +
            " f" + std::to_string(static_cast<int>(head.framing)) + " l" + std::to_string(head.length) +
            (head.keep_alive ? " k" : " c");
    for (const Field& field : head.fields) {
      text += "|" + std::string(field.name) + "=" + std::string(field.value);
    }
    text += "]";
  }
  void OnBody(std::string_view bytes) override { text += bytes; }
  void OnMessageEnd() override { text += "."; }
  std::string text;
};

// `cut` bytes at a time. Ends with "!STATUS" at a fault, and tells whether the end of the stream was in
// order.
template <bool is_request>
std::string ReadAll(std::string_view bytes, std::size_t cut, std::size_t buffer_bytes = 4096) {
  Script trace;
  MessageReader<is_request> reader(buffer_bytes, trace);
  int messages = 0;
  while (messages < kMessagesMax) {
    const auto room = reader.Room();
    const std::size_t count = std::min({room.size(), cut, bytes.size()});
    std::memcpy(room.data(), bytes.data(), count);
    bytes.remove_prefix(count);
    reader.Commit(count);
    const ReadFault fault = reader.Parse();
    if (fault) return trace.text + "!" + std::to_string(fault.status);
    const bool ended = reader.message_ended();
    if (ended) {
      reader.Next();
      ++messages;
    }
    if (count > 0 || (ended && reader.message_begun())) continue;
    if (!reader.message_begun()) return trace.text;
    return trace.text + (reader.ParseEnd() ? "!cut" : "");
  }
  return trace.text;
}

// The trace without the fault's number: the parser may see earlier or later that a broken message is broken,
// but not make more or less of it.
inline std::string Gist(const std::string& trace) {
  const std::size_t fault = trace.rfind('!');
  return fault == std::string::npos ? trace : trace.substr(0, fault + 1);
}

}  // namespace ringway::http

#endif  // RINGWAY_TESTS_RUNTIME_HTTP_MESSAGE_SCRIPT_H_
