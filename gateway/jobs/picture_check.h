// Whether the pictures of an order are ones that the workers of its tier take, before any of them is asked.
//
// Decided by the terms that the workers announced and by the headers of the pictures; what nobody said is
// left to the worker. Errors name the field and what is allowed.
//
// Pure. Threads: values. Complexity: linear in the pictures.
#ifndef RINGWAY_GATEWAY_JOBS_PICTURE_CHECK_H_
#define RINGWAY_GATEWAY_JOBS_PICTURE_CHECK_H_

#include "absl/status/status.h"
#include "core/picture_terms.h"
#include "gateway/jobs/video_order.h"

namespace ringway::gateway {

// Errors: InvalidArgument with the field (field_error.h).
absl::Status CheckPictures(const VideoOrder& order, const PictureTerms& terms);

}  // namespace ringway::gateway

#endif  // RINGWAY_GATEWAY_JOBS_PICTURE_CHECK_H_
