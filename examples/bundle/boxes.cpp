// The boxes in each frame of a camera:  ./boxes camera.weights < frames.nv12
// A camera's frames come, for example, from: ffmpeg -f v4l2 -i /dev/video0 -pix_fmt nv12 -f rawvideo -
#include <cstdio>
#include <fstream>
#include <iostream>
#include <stdexcept>
#include <vector>

#include "camera.hpp"

namespace {

struct alignas(64) Line {
  char bytes[64];
};

std::vector<Line> read_weights(const char *path) {
  std::vector<Line> data((CAMERA_WEIGHTS_SIZE + 63) / 64);
  std::ifstream file(path, std::ios::binary);
  if (!file.read(data[0].bytes, CAMERA_WEIGHTS_SIZE)) throw std::runtime_error("cannot read the weights");
  return data;
}

}  // namespace

int main(int count, char **arguments) try {
  if (count != 2) throw std::runtime_error("usage: boxes camera.weights < frames.nv12");
  const std::vector<Line> weights = read_weights(arguments[1]);
  camera_options options = CAMERA_OPTIONS;
  options.weights = weights.data();
  options.weights_size = CAMERA_WEIGHTS_SIZE;
  camera_bundle::Program program(options);

  std::vector<uint8_t> frame(CAMERA_FRAME_COUNT);
  std::vector<float> boxes(CAMERA_FOUND_BOXES_COUNT), scores(CAMERA_FOUND_SCORES_COUNT);
  std::vector<int64_t> classes(CAMERA_FOUND_CLASSES_COUNT), rows(CAMERA_FOUND_ROWS_COUNT);
  int64_t found = 0;
  camera_outputs outputs{};
  outputs.found_boxes = boxes.data();
  outputs.found_scores = scores.data();
  outputs.found_classes = classes.data();
  outputs.found_rows = rows.data();
  outputs.found_count = &found;
  for (int number = 0; std::fread(frame.data(), 1, frame.size(), stdin) == frame.size(); number++) {
    program.run({frame.data()}, outputs);
    std::printf("frame %d: %d boxes\n", number, static_cast<int>(found));
    for (std::size_t i = 0; i < static_cast<std::size_t>(found); i++) {
      const float *box = &boxes[4 * i];
      std::printf("  class %d, score %.4f, from (%.1f, %.1f) to (%.1f, %.1f)\n",
                  static_cast<int>(classes[i]), scores[i], box[0], box[1], box[2], box[3]);
    }
  }
} catch (const std::exception &error) {
  std::cerr << error.what() << "\n";
  return 1;
}
