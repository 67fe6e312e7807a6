// Who may see the dashboard, and who may change something through it.
//
// The dangers and what stands against them. A page of another site that talks to a controller on the
// visitor's machine or network: a foreign Origin or Sec-Fetch-Site is refused, and orders must be JSON, which
// a form cannot send. A name that suddenly points here (DNS rebinding): Host must be an address, localhost,
// or a name that the operator has given. Anybody on the network: off loopback every document needs the token,
// and without a token configured there are none. An accident: orders need --dashboard-writes.
//
// The page's own files need no token, because they hold nothing and must ask for it. Pure functions.
#ifndef RINGWAY_CONTROLLER_DAEMON_WEB_ACCESS_H_
#define RINGWAY_CONTROLLER_DAEMON_WEB_ACCESS_H_

#include <string>
#include <string_view>
#include <vector>

#include "runtime/http/head.h"

namespace ringway::controller {

struct WebAccess {
  bool loopback = true;            // only this machine can connect
  bool writes = false;             // orders are taken
  std::string token;               // empty: none is configured
  std::vector<std::string> hosts;  // names that Host may have, beside addresses and localhost
};

struct WebVerdict {
  int status = 200;  // anything else is the answer
  std::string why;
  explicit operator bool() const { return status == 200; }
};

// Any file or document.
WebVerdict MayAsk(const WebAccess& access, const http::Head& request);
// A document: as above, and the token.
WebVerdict MaySee(const WebAccess& access, const http::Head& request);
// A body is sent, for an answer only: as above, as JSON, from our own page.
WebVerdict MayPost(const WebAccess& access, const http::Head& request);
// Something changes.
WebVerdict MayOrder(const WebAccess& access, const http::Head& request);

}  // namespace ringway::controller

#endif  // RINGWAY_CONTROLLER_DAEMON_WEB_ACCESS_H_
