// What a simulation brings near before it is needed.
//
// Most of a large run would be waiting for memory: a job, its lease, its slot and its worker lie in some
// forty cache lines that were last touched a service time ago, and each costs as much as an event. But events
// of the near future are known. What they will touch is fetched step by step while others run: three buckets
// of the queue ahead the worker's site, then what that one names, then what these name in turn. A job that
// arrives gets the id that its router freed last. Messages need no such care, because who sends one has just
// touched it. Nothing here changes a result.
#include "sim/simulation.h"

namespace ringway::sim {

void Simulation::LookAhead() {
  bucket_ = stage_.queue.bucket();
  // As far as a message within a region mostly goes.
  stage_.queue.ForeseeBucket(10);
  stage_.queue.ForeseeChain(6);
  stage_.queue.Foresee(3, [&](const SimEvent& event) {
    if (static_cast<Happening>(event.kind()) == Happening::kServiceEnds) {
      workers_.Foresee(WorkerId(event.subject));
    }
  });
  stage_.queue.Foresee(2, [&](const SimEvent& event) { ForeseeSoon(event); });
  stage_.queue.Foresee(1, [&](const SimEvent& event) { ForeseeNext(event); });
}

void Simulation::ForeseeSoon(const SimEvent& event) {
  switch (static_cast<Happening>(event.kind())) {
    case Happening::kServiceEnds:
      return ForeseeEnd(WorkerId(event.subject));
    case Happening::kMessageReaches: {
      const RouterMessage& message = stage_.messages[event.detail];
      if (message.from.valid()) routers_.Foresee(message.router, message.job);
      if (message.watch != 0) registries_.Foresee(message.router, message.worker);
      return;
    }
    case Happening::kJobReaches: {
      const RouterId router(event.subject);
      const JobId job = routers_.NextJob(router);
      if (!job.valid()) return;
      routers_.Foresee(router, job);
      routers_.ForeseeAsk(router, job, stage_.jobs[event.detail].facts.tier);
      leaders_.Foresee(router, job);
      return leaders_.ForeseeAsk(router);
    }
    case Happening::kLeaderHears:
      return leaders_.ForeseeHeard(event.subject, event.detail);
    default:
      return;
  }
}

void Simulation::ForeseeNext(const SimEvent& event) {
  switch (static_cast<Happening>(event.kind())) {
    case Happening::kServiceEnds:
      return ForeseeEndFurther(WorkerId(event.subject));
    case Happening::kMessageReaches: {
      const RouterMessage& message = stage_.messages[event.detail];
      if (message.from.valid()) routers_.ForeseeFurther(message.router, message.job);
      if (message.watch != 0) {
        routers_.ForeseeKnown(message.router, message.worker);
        registries_.ForeseeFurther(message.router, message.worker);
      }
      return;
    }
    case Happening::kJobReaches:
      return leaders_.ForeseeAskFurther(RouterId(event.subject));
    case Happening::kLeaderHears:
      return leaders_.ForeseeHeardFurther(event.subject, event.detail);
    case Happening::kOfferReaches: {
      const WorkerId worker(event.subject);
      const JobSerial serial = stage_.to_worker[event.detail].payload.serial;
      workers_.Foresee(worker);
      for (const Observer* observer : stage_.observers) observer->Foresee(worker, serial);
      return;
    }
    default:
      return;
  }
}

void Simulation::ForeseeEnd(WorkerId worker) const {
  const OfferNote& note = workers_.NoteOf(worker);
  if (!note.caller.router.valid()) return;
  const WorkerPlace& place = workers_.places()[worker];
  for (const Observer* observer : stage_.observers) observer->Foresee(worker, note.payload.serial);
  routers_.Foresee(note.caller.router, note.caller.job);
  routers_.Foresee(note.caller.router, worker);
  if (place.local != note.caller.router) routers_.Foresee(place.local, worker);
  leaders_.Foresee(worker);
}

void Simulation::ForeseeEndFurther(WorkerId worker) const {
  const OfferNote& note = workers_.NoteOf(worker);
  if (!note.caller.router.valid()) return;
  const RouterId local = workers_.places()[worker].local;
  routers_.ForeseeFurther(note.caller.router, note.caller.job);
  routers_.ForeseeFurther(note.caller.router, worker);
  if (local != note.caller.router) routers_.ForeseeFurther(local, worker);
  leaders_.ForeseeFurther(worker);
}

void Simulation::ForeseeLast(WorkerId worker) const {
  const Caller& caller = workers_.NoteOf(worker).caller;
  if (caller.router.valid()) routers_.ForeseeLast(caller.router, caller.job);
}

}  // namespace ringway::sim
