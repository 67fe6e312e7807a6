// What may stand in the head of an HTTP/1.1 message (RFC 9110, 5.5 and 5.6.2): the last check before the
// wire.
//
// Heads that this process has read itself were checked by its reader. Heads and words that came another way,
// as values in a message of a worker or of another router, were not: a line break in one of them would begin
// a field, or a message, of its own. So whoever writes a head asks here. Bytes from 0x80 on are let through
// in values, as the reader does: they are somebody's, and split nothing.
//
// Pure functions. Threads: any. Linear, without allocation.
#ifndef RINGWAY_RUNTIME_HTTP_FIELD_TEXT_H_
#define RINGWAY_RUNTIME_HTTP_FIELD_TEXT_H_

#include <string_view>

namespace ringway::http {

// A token: letters, digits and some signs; not empty.
bool IsFieldName(std::string_view name);
// No control character but the tab; may be empty.
bool IsFieldValue(std::string_view value);
// A request line of HTTP/1.1 and fields, each ended by CRLF, without the empty line behind them.
bool IsRequestHead(std::string_view head);

}  // namespace ringway::http

#endif  // RINGWAY_RUNTIME_HTTP_FIELD_TEXT_H_
