// Whether bytes are well-formed UTF-8.
//
// What comes from outside and goes on in messages, records or JSON has to be: protobuf refuses the whole
// message otherwise, and a caller is then told of anything but the text that was wrong. After RFC 3629,
// section 4: overlong forms, surrogates and what lies beyond U+10FFFF are not well-formed.
//
// Pure; linear in the bytes.
#ifndef RINGWAY_CORE_UTF8_H_
#define RINGWAY_CORE_UTF8_H_

#include <string_view>

namespace ringway {

bool IsUtf8(std::string_view text);

}  // namespace ringway

#endif  // RINGWAY_CORE_UTF8_H_
