// Checks a job's header, the one message that strangers write, and the name of an attempt that is withdrawn.
//
// Every hop asks this before it looks at a field: the wire version is one this release reads, times are
// finite and not negative, strings and maps are bounded, what becomes a header is printable ASCII. Whether
// the tier, the priority or the model exist is the hop's own question. The errors are shown to whoever sent
// the job, so they name the field, what was found, and what is allowed.
//
// Threads: pure functions. Complexity: linear in the header's size, which the 1 MiB message bound limits.
#ifndef RINGWAY_PROTO_JOB_CODEC_H_
#define RINGWAY_PROTO_JOB_CODEC_H_

#include <cstddef>
#include <cstdint>

#include "absl/status/status.h"
#include "core/job.h"
#include "ringway/v1/job.pb.h"

namespace ringway::wire {

inline constexpr std::size_t kNameBytesMax = 256;  // ids, tenant, model, content type
inline constexpr std::size_t kPromptBytesMax = 64 << 10;
inline constexpr int kParametersMax = 64;
inline constexpr std::size_t kParameterBytesMax = 4 << 10;  // each name and each value
inline constexpr double kDeadlineSecondsMax = 7 * 24 * 3600;
inline constexpr std::uint32_t kHopsMax = 16;
inline constexpr std::size_t kHttpHeadBytesMax = 256 << 10;
// Payload and result travel in chunks of at most this size.
inline constexpr std::size_t kChunkBytesMax = 256 << 10;

// Errors: InvalidArgument.
absl::Status CheckJobHeader(const v1::JobHeader& header);
absl::Status CheckWithdraw(const v1::WithdrawRequest& request);

}  // namespace ringway::wire

#endif  // RINGWAY_PROTO_JOB_CODEC_H_
