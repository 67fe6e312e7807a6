// What a server on loopback or in a private network asks of a request before it believes that its own users
// sent it.
//
// A browser sends requests for any page that it shows. Two dangers: a page of another site posts here (the
// browser then says so in Origin or Sec-Fetch-Site), and a name of another site suddenly points here (DNS
// rebinding: then Host is that name). So Host must be an address, localhost, or a name that the operator has
// given, and a stated origin must be the host that was asked. A request that carries a token needs neither
// check: no page of another site knows it, and browsers do not add it by themselves.
//
// Pure functions. Threads: any.
#ifndef RINGWAY_RUNTIME_HTTP_SITE_CHECK_H_
#define RINGWAY_RUNTIME_HTTP_SITE_CHECK_H_

#include <string>
#include <string_view>
#include <vector>

#include "runtime/http/head.h"

namespace ringway::http {

// `names`: those that Host may have beside addresses and localhost. A port behind it does not matter.
bool IsKnownHost(const Head& request, const std::vector<std::string>& names);
// Empty: from our own page, or not from a page at all. Else what says that it is not.
std::string_view ForeignSite(const Head& request);
// It carries `token` as Authorization: Bearer. An empty token is never carried.
bool CarriesToken(const Head& request, std::string_view token);

}  // namespace ringway::http

#endif  // RINGWAY_RUNTIME_HTTP_SITE_CHECK_H_
