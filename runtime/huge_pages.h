// Asks the kernel to back what this process has allocated with pages of 2 MiB.
//
// For programs whose memory is large and read all over, as a simulation of many workers is: with pages of 4
// KiB a good part of the time goes into finding them. Collapses what is there now (MADV_COLLAPSE, Linux 6.1)
// and marks it for later; call it when most of the memory has been touched. A hint: where the kernel cannot
// or does not want to, nothing changes.
//
// Threads: any; costs some milliseconds a hundred megabytes.
#ifndef RINGWAY_RUNTIME_HUGE_PAGES_H_
#define RINGWAY_RUNTIME_HUGE_PAGES_H_

namespace ringway::runtime {

void UseHugePages();

}  // namespace ringway::runtime

#endif  // RINGWAY_RUNTIME_HUGE_PAGES_H_
