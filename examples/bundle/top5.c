/* The five most likely classes of a photograph:  ./top5 photograph.ppm classify.weights */
#include <stdio.h>
#include <stdlib.h>

#include "classify.h"

/* Reads the next number of a PPM's header, after white space and comments. */
static int number(FILE *file) {
  int c = fgetc(file), value = 0;
  while (c == ' ' || c == '\n' || c == '\r' || c == '\t' || c == '#') {
    if (c == '#')
      while (c != '\n' && c != EOF) c = fgetc(file);
    c = fgetc(file);
  }
  if (c < '0' || c > '9') return -1;
  for (; c >= '0' && c <= '9' && value < 100000; c = fgetc(file)) value = 10 * value + c - '0';
  return value; /* The character after the number has been read, as the format wants. */
}

static int fail(const char *what) { return fprintf(stderr, "%s\n", what), 1; }

/* The pixels of a photograph of the size that the program takes. */
static int read_image(const char *path, uint8_t *pixels) {
  classify_description about = {0};
  about.struct_size = sizeof about;
  FILE *file = fopen(path, "rb");
  if (!file || fgetc(file) != 'P' || fgetc(file) != '6') return fail("not a PPM file (P6)");
  int width = number(file), height = number(file), most = number(file);
  if (classify_describe(&about)) return fail("another header than the library's");
  const int64_t *shape = about.inputs[0].shape;
  if (height != shape[0] || width != shape[1] || most != 255) {
    fprintf(stderr, "%s is %d x %d, the program takes %d x %d with 255 levels\n", path, width,
            height, (int)shape[1], (int)shape[0]);
    return 1;
  }
  size_t got = fread(pixels, 1, CLASSIFY_IMAGE_COUNT, file);
  fclose(file);
  return got == CLASSIFY_IMAGE_COUNT ? 0 : fail("the file is truncated");
}

int main(int count, char **arguments) {
  static uint8_t image[CLASSIFY_IMAGE_COUNT];
  float probabilities[CLASSIFY_PROBABILITIES_COUNT];
  int64_t classes[CLASSIFY_CLASSES_COUNT];
  char message[320] = "";
  if (count != 3) return fail("usage: top5 photograph.ppm classify.weights");
  if (read_image(arguments[1], image)) return 1;

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
