// Runs a program by ExecuTorch:  ./host m.pte inputs threads {type,dimension,...}
// A type is a number of ExecuTorch's ScalarType: 6 is float32, 4 is int64.
#include "host.h"

#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include <executorch/extension/module/module.h>
#include <executorch/extension/tensor/tensor.h>

using executorch::aten::ScalarType;
using executorch::extension::Module;

// The wheel has no threadpool.h; these functions are exported by libexecutorch_threadpool.so.
namespace executorch::extension::threadpool {
class ThreadPool {
 public:
  bool _unsafe_reset_threadpool(uint32_t count);
};
ThreadPool *get_threadpool();
}  // namespace executorch::extension::threadpool

static std::unique_ptr<Module> program;
static std::vector<executorch::runtime::EValue> values;
static std::vector<executorch::runtime::EValue> results;

static void run() {
  auto found = program->forward(values);
  require(found.ok(), "cannot run");
  results = std::move(found.get());
}

int main(int count, char **arguments) {
  require(count >= 5, "usage: host program inputs threads {type,dimension,...}");
  uint64_t size;
  char *data = mapped(arguments[2], &size);
  long bare = peak();
  double begin = now();
  auto *pool = executorch::extension::threadpool::get_threadpool();
  require(pool && pool->_unsafe_reset_threadpool(std::atoi(arguments[3])), "no thread pool");
  program = std::make_unique<Module>(arguments[1], Module::LoadMode::Mmap);
  require(program->load_forward() == executorch::runtime::Error::Ok, "cannot load the program");
  std::vector<executorch::extension::TensorPtr> tensors;
  for (int i = 4; i < count; i++) {
    std::istringstream words(arguments[i]);
    std::string word;
    std::getline(words, word, ',');
    const auto type = static_cast<ScalarType>(std::stoi(word));
    std::vector<executorch::aten::SizesType> shape;
    while (std::getline(words, word, ',')) shape.push_back(std::stoi(word));
    tensors.push_back(executorch::extension::from_blob(data, shape, type));
    values.emplace_back(*tensors.back());
    data += (tensors.back()->nbytes() + 63) / 64 * 64;
  }
  double made = now();
  run();
  report(made - begin, now() - made, bare);
  FILE *file = std::fopen("outputs", "wb");
  const auto result = results[0].toTensor();
  std::fwrite(result.const_data_ptr(), 1, result.nbytes(), file);
  std::fclose(file);
  serve_turns(run);
}
