// An address on loopback for one server: 127.a.b.c, a and b by this process, c counted.
//
// Tests kill servers and start them again on their ports. On an address that all share, the port may be taken
// meanwhile, by a server that asked for any port or by somebody's outgoing connection; nobody else binds
// here. Two processes share addresses only if their ids are a multiple of 64516 apart, and one process after
// 254 calls.
//
// Threads: safe.
#ifndef RINGWAY_TESTS_LIVE_OWN_HOST_H_
#define RINGWAY_TESTS_LIVE_OWN_HOST_H_

#include <unistd.h>

#include <atomic>
#include <string>

namespace ringway::live {

inline std::string OwnHost() {
  // 0 and 255 are left out: 127.0.0.1 is everybody's.
  constexpr int kValues = 254;
  static std::atomic<int> calls{0};
  const auto part = [](int n) { return "." + std::to_string(1 + n % kValues); };
  const int process = getpid();
  return "127" + part(process / kValues) + part(process) + part(calls++);
}

}  // namespace ringway::live

#endif  // RINGWAY_TESTS_LIVE_OWN_HOST_H_
