// Where the picture model that ships with Ringway lies, and what goes with it, by names.
//
// The folder is looked for like the motion model's (bundled_model.h): the one that RINGWAY_SCENES names;
// then, beside the installed program, ../share/ringway/scenes; then engine/weights/scenes of the source tree.
// In it are the diffusers directories student/ and teacher/, LoRA files lora/NAME.safetensors and control
// networks control/NAME/; about.json says by name what each is, for people. Names stand for them on the
// command line wherever no model of that name lies there: a file, or a directory with a model's index or
// configuration, wins; any other folder does not. Nothing is loaded here. Threads: any.
#ifndef RINGWAY_ENGINE_BUNDLED_PICTURES_H_
#define RINGWAY_ENGINE_BUNDLED_PICTURES_H_

#include <filesystem>
#include <map>
#include <string>

#include "absl/status/statusor.h"

namespace ringway::engine {

inline constexpr char kScenes[] = "scenes";                 // the student, or the teacher where there is none
inline constexpr char kScenesTeacher[] = "scenes-teacher";  // slower, and what adapters were trained on

// The folder of all of them. NotFound lists the folders that were tried.
absl::StatusOr<std::filesystem::path> FindScenes();

// Whether the name stands for a bundled model; nothing does where a model has the name.
bool IsBundledPictureModel(const std::string& name);
// The directory that it stands for, or `name` itself where it is a path. NotFound where the weights are
// absent.
absl::StatusOr<std::filesystem::path> FindPictureModel(const std::string& name);

// "sketch" becomes the bundled LoRA's file, "edges" the bundled control network's directory. What is a model
// already, or is the name of none of them, stays.
std::string BundledAdapterOr(const std::string& name);
std::string BundledControlOr(const std::string& name);

// All of them by their names; none where the weights are absent.
std::map<std::string, std::string> BundledModels();
std::map<std::string, std::string> BundledAdapters();
std::map<std::string, std::string> BundledControls();
// What about.json of the folder says, by the same names; nothing where there is none. InvalidArgument where
// it is no object of strings.
absl::StatusOr<std::map<std::string, std::string>> AboutBundledPictures();

}  // namespace ringway::engine

#endif  // RINGWAY_ENGINE_BUNDLED_PICTURES_H_
