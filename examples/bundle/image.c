#include "image.h"

#include <stdio.h>
#ifdef HAVE_JPEG
#include <setjmp.h>

#include <jpeglib.h>
#endif

static int fail(const char *path, const char *what) { return fprintf(stderr, "%s: %s\n", path, what), 1; }

static int wrong_size(const char *path, int width, int height, int wanted_width, int wanted_height) {
  fprintf(stderr, "%s is %d x %d, the program takes %d x %d\n", path, width, height, wanted_width, wanted_height);
  return 1;
}

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

static int read_ppm(FILE *file, const char *path, int width, int height, uint8_t *pixels) {
  int found_width = number(file), found_height = number(file), most = number(file);
  if (found_width != width || found_height != height) return wrong_size(path, found_width, found_height, width, height);
  if (most != 255) return fail(path, "a PPM file with 255 levels is expected");
  size_t count = 3 * (size_t)width * (size_t)height;
  return fread(pixels, 1, count, file) == count ? 0 : fail(path, "the file is truncated");
}

#ifdef HAVE_JPEG
typedef struct {
  struct jpeg_error_mgr base;
  jmp_buf on_error;
} Errors;

/* libjpeg's own ends the process. */
static void stop(j_common_ptr decoder) { longjmp(((Errors *)decoder->err)->on_error, 1); }

/* What a decoder repairs, such as an end that is missing, is an error here. */
static void warn(j_common_ptr decoder, int level) {
  if (level < 0) stop(decoder);
}

static int read_jpeg(FILE *file, const char *path, int width, int height, uint8_t *pixels) {
  struct jpeg_decompress_struct decoder;
  Errors errors;
  decoder.err = jpeg_std_error(&errors.base);
  errors.base.error_exit = stop;
  errors.base.emit_message = warn;
  if (setjmp(errors.on_error)) {
    char text[JMSG_LENGTH_MAX];
    decoder.err->format_message((j_common_ptr)&decoder, text);
    jpeg_destroy_decompress(&decoder);
    return fail(path, text);
  }
  jpeg_create_decompress(&decoder);
  jpeg_stdio_src(&decoder, file);
  jpeg_read_header(&decoder, TRUE);
  decoder.out_color_space = JCS_RGB;
  jpeg_start_decompress(&decoder);
  int wrong = (int)decoder.output_width != width || (int)decoder.output_height != height;
  if (wrong) {
    wrong_size(path, (int)decoder.output_width, (int)decoder.output_height, width, height);
    jpeg_abort_decompress(&decoder);
  } else {
    while (decoder.output_scanline < decoder.output_height) {
      JSAMPROW row = pixels + 3 * (size_t)width * decoder.output_scanline;
      jpeg_read_scanlines(&decoder, &row, 1);
    }
    jpeg_finish_decompress(&decoder);
  }
  jpeg_destroy_decompress(&decoder);
  return wrong;
}
#else
static int read_jpeg(FILE *file, const char *path, int width, int height, uint8_t *pixels) {
  (void)file, (void)width, (void)height, (void)pixels;
  return fail(path, "a JPEG file, but libjpeg's headers were missing when this was built (Debian: libjpeg-dev)");
}
#endif

int read_image(const char *path, int width, int height, uint8_t *pixels) {
  FILE *file = fopen(path, "rb");
  if (!file) return fail(path, "cannot be opened");
  int first = fgetc(file), second = fgetc(file), status;
  if (first == 'P' && second == '6') {
    status = read_ppm(file, path, width, height, pixels);
  } else if (first == 0xff && second == 0xd8) {
    rewind(file);
    status = read_jpeg(file, path, width, height, pixels);
  } else {
    status = fail(path, "neither a PPM (P6) nor a JPEG file");
  }
  fclose(file);
  return status;
}
