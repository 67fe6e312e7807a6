// What a state machine consists of, said once by each of its classes, for whoever saves and restores it.
//
// RINGWAY_STATE(a_, b_, c_) in the public part of a class gives it a member VisitState(f), const and not,
// that calls f once with these fields; of a const object it returns what f does. It names everything that
// changes in the machine's life and cannot be made again from its settings, so that a machine made from the
// same settings, given these values, decides as the first one would have (router/journal/checkpoint.h;
// tests/router/checkpoint_test.cc holds it to that).
//
// Scratch space that is empty between two steps may be left out. Costs nothing unless it is called.
#ifndef RINGWAY_CORE_STATE_H_
#define RINGWAY_CORE_STATE_H_

#define RINGWAY_STATE(...)       \
  template <class F>             \
  void VisitState(F&& f) {       \
    f(__VA_ARGS__);              \
  }                              \
  template <class F>             \
  auto VisitState(F&& f) const { \
    return f(__VA_ARGS__);       \
  }

#endif  // RINGWAY_CORE_STATE_H_
