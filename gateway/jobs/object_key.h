// The names that a video has in a store of objects that all routers share.
//
//   films/ID               its bytes
//   records/INVERSE_ID     its record; INVERSE is the time and draw of the id, each digit turned around, so
//   that
//                          a list of keys, which is always ascending, begins with the newest
//   oldest/ID              nothing, or that it is being removed; a list of these begins with the oldest
//   deleted/OWNER/ID       nothing; another router has deleted it, and its owner does not know yet
//
// The record is put last and removed first: who finds it, finds the film. Before that, oldest/ID says that it
// is being removed, so that somebody else ends the work of a router that dies on the way; without it, a film
// that has no record may still be on its way up. All keys can be told from the id, and the id from each.
// OWNER is as the id has it.
//
// Pure. Threads: values. Complexity: linear in the id.
#ifndef RINGWAY_GATEWAY_JOBS_OBJECT_KEY_H_
#define RINGWAY_GATEWAY_JOBS_OBJECT_KEY_H_

#include <string>
#include <string_view>

namespace ringway::gateway {

inline constexpr std::string_view kRecordsPrefix = "records/", kOldestPrefix = "oldest/",
                                  kDeletedPrefix = "deleted/";

// Of an id that is one.
std::string FilmKey(std::string_view id);
std::string RecordKey(std::string_view id);
std::string OldestKey(std::string_view id);
// What the ones of an owner begin with.
std::string DeletedPrefixOf(std::string_view id);
std::string DeletedKey(std::string_view id);

// The id in a key of any of these kinds; empty: it is none of a video.
std::string IdOfKey(std::string_view key);

}  // namespace ringway::gateway

#endif  // RINGWAY_GATEWAY_JOBS_OBJECT_KEY_H_
