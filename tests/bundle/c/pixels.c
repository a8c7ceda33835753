/* The pixels that examples/bundle/image.c reads, on stdout:  ./pixels image width height */
#include <stdio.h>
#include <stdlib.h>

#include "image.h"

int main(int count, char **arguments) {
  if (count != 4) return 2;
  int width = atoi(arguments[2]), height = atoi(arguments[3]);
  size_t bytes = 3 * (size_t)width * (size_t)height;
  uint8_t *pixels = malloc(bytes);
  int status = read_image(arguments[1], width, height, pixels);
  if (!status && fwrite(pixels, 1, bytes, stdout) != bytes) status = 3;
  free(pixels);
  return status;
}
