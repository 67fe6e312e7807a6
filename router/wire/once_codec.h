// What routers say to each other about keys, between the wire and values.
//
// Another router may be of another release or broken, so nothing it says is believed before it has been
// checked: keys and results are bounded, times are finite and not absurd, claims are stated, a taken key
// comes with its record. An ask or a reply that is not like this is an error, which the caller treats as no
// answer.
//
// Threads: pure functions. Errors: InvalidArgument, naming the field. Times become absolute at `now`.
#ifndef RINGWAY_ROUTER_WIRE_ONCE_CODEC_H_
#define RINGWAY_ROUTER_WIRE_ONCE_CODEC_H_

#include <cstddef>
#include <cstdint>

#include "absl/status/statusor.h"
#include "core/time.h"
#include "ringway/v1/fleet.pb.h"
#include "ringway/v1/once.pb.h"
#include "router/once/messages.h"

namespace ringway::router {

inline constexpr std::size_t kOnceKeyBytesMax = 520;
inline constexpr std::size_t kOnceEndBytesMax = 16 << 10;
// Of a result that is kept in a record.
inline constexpr std::size_t kOnceResultBytesMax = 256 << 10;
inline constexpr int kOnceRecordsMax = 512;  // of one reply
// Of claims. Each costs its router a message, so that none gets near it; beyond it their order would end.
inline constexpr std::uint32_t kOnceRoundMax = 1u << 30;
inline constexpr int kOnceViewsMax = 64;               // so
inline constexpr std::size_t kOnceNameBytesMax = 256;  // of a router

v1::OnceRequest EncodeAsk(const once::Request& ask, Time now);
v1::OnceReply EncodeReply(const once::Reply& reply, Time now);
absl::StatusOr<once::Request> DecodeAsk(const v1::OnceRequest& message, Time now);
absl::StatusOr<once::Reply> DecodeReply(const v1::OnceReply& message, Time now);
// Of a controller's directory; null: it names none.
once::ViewPtr ReadView(const v1::Directory& directory, Time now);

}  // namespace ringway::router

#endif  // RINGWAY_ROUTER_WIRE_ONCE_CODEC_H_
