// The request target in absolute form, "http://host/path", made the two things that it says (RFC
// 9112, 3.2.2).
//
// Clients that think of a proxy send it, and every server has to take it. Its authority replaces the Host
// field, whatever that says: whoever looked at one of them and acted on the other could be led past a check.
// Behind this the target is in origin form everywhere in this house, and Host is the host that was asked for.
//
// Pure. Threads: values. The views stay views into the same buffer.
#ifndef RINGWAY_RUNTIME_HTTP_TARGET_H_
#define RINGWAY_RUNTIME_HTTP_TARGET_H_

#include "runtime/http/head.h"

namespace ringway::http {

// False: the target is in absolute form and wrong: no host, or user and password before it.
bool ResolveTarget(Head& request);

}  // namespace ringway::http

#endif  // RINGWAY_RUNTIME_HTTP_TARGET_H_
