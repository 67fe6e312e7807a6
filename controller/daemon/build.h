// The name of this build, for status screens and the log.
//
// One place, so that the status reply, the log and --version agree. The number is the project's version,
// which the build file tells (RINGWAY_BUILD); it says nothing about the versions of the wire, the state file
// and the journal, which count on their own.
#ifndef RINGWAY_CONTROLLER_DAEMON_BUILD_H_
#define RINGWAY_CONTROLLER_DAEMON_BUILD_H_

namespace ringway::controller {

inline constexpr char kBuild[] = "ringway-controller " RINGWAY_BUILD;

}  // namespace ringway::controller

#endif  // RINGWAY_CONTROLLER_DAEMON_BUILD_H_
