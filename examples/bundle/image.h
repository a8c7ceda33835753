/* Reads photographs: PPM, and JPEG where it is built with libjpeg (-DHAVE_JPEG). */
#include <stdint.h>

/* Fills rows of RGB pixels, width * height * 3 bytes, from a file of just that size. Returns 0,
   or 1 after it has printed what is wrong. */
int read_image(const char *path, int width, int height, uint8_t *pixels);
