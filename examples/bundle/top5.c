/* The five most likely classes of a photograph, PPM or JPEG:  ./top5 photograph.jpg classify.weights */
#include <stdio.h>
#include <stdlib.h>

#include "classify.h"
#include "image.h"

static int fail(const char *what) { return fprintf(stderr, "%s\n", what), 1; }

/* A photograph of the size that the program takes. */
static int read_photograph(const char *path, uint8_t *pixels) {
  classify_description about = {0};
  about.struct_size = sizeof about;
  if (classify_describe(&about)) return fail("another header than the library's");
  const int64_t *shape = about.inputs[0].shape;
  return read_image(path, (int)shape[1], (int)shape[0], pixels);
}

int main(int count, char **arguments) {
  static uint8_t image[CLASSIFY_IMAGE_COUNT];
  float probabilities[CLASSIFY_PROBABILITIES_COUNT];
  int64_t classes[CLASSIFY_CLASSES_COUNT];
  char message[320] = "";
  if (count != 3) return fail("usage: top5 photograph classify.weights");
  if (read_photograph(arguments[1], image)) return 1;

  classify_options options = CLASSIFY_OPTIONS;
  options.weights_size = CLASSIFY_WEIGHTS_SIZE;
  void *weights = aligned_alloc(64, (CLASSIFY_WEIGHTS_SIZE + 63) / 64 * 64);
  FILE *file = fopen(arguments[2], "rb");
  if (!file || !weights || fread(weights, 1, CLASSIFY_WEIGHTS_SIZE, file) != CLASSIFY_WEIGHTS_SIZE)
    return fail("cannot read the weights");
  fclose(file);
  options.weights = weights;
  options.message = message;
  options.message_size = sizeof message;

  classify *instance;
  classify_inputs inputs = {image};
  classify_outputs outputs = {probabilities, classes};
  if (classify_create(&options, &instance)) return fail(message);
  if (classify_run(instance, &inputs, &outputs)) return fail(classify_last_error(instance));
  for (int i = 0; i < 5; i++) printf("%2d  %.6f\n", (int)classes[i], probabilities[i]);
  classify_destroy(instance);
  free(weights);
  return 0;
}
