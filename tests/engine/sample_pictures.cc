#include "tests/engine/sample_pictures.h"

#include <png.h>
#include <webp/encode.h>

#include <cstdio>
#include <cstdlib>
// libjpeg's header needs FILE before it.
#include <jpeglib.h>

namespace ringway::engine {

Picture Ramp(int width, int height) {
  Picture picture = Picture::Blank(width, height);
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      std::uint8_t* p = picture.At(x, y);
      p[0] = static_cast<std::uint8_t>(x * 255 / width);
      p[1] = static_cast<std::uint8_t>(y * 255 / height);
      p[2] = static_cast<std::uint8_t>(x < width / 2 && y < height / 3 ? 220 : 30);
    }
  }
  return picture;
}

Animation MovingDisc(int width, int height, int frames) {
  Animation animation;
  for (int f = 0; f < frames; ++f) {
    Picture frame = Ramp(width, height);
    const int cx = width / 4 + f * 2, cy = height / 2;
    for (int y = 0; y < height; ++y)
      for (int x = 0; x < width; ++x)
        if ((x - cx) * (x - cx) + (y - cy) * (y - cy) < 36) frame.At(x, y)[2] = 255;
    animation.frames.push_back(std::move(frame));
  }
  return animation;
}

std::string PngFile(const Picture& picture) {
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  image.width = static_cast<png_uint_32>(picture.width);
  image.height = static_cast<png_uint_32>(picture.height);
  image.format = PNG_FORMAT_RGB;
  png_alloc_size_t size = PNG_IMAGE_PNG_SIZE_MAX(image);
  std::string file(size, '\0');
  RINGWAY_CHECK(png_image_write_to_memory(&image, file.data(), &size, 0, picture.rgb.data(), 0, nullptr) !=
                0);
  file.resize(size);
  return file;
}

std::string Png16File(const Picture& picture) {
  std::string file;
  png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, nullptr, nullptr, nullptr);
  png_infop info = png_create_info_struct(png);
  RINGWAY_CHECK(png != nullptr && info != nullptr);
  png_set_write_fn(
      png, &file,
      [](png_structp writer, png_bytep bytes, png_size_t count) {
        static_cast<std::string*>(png_get_io_ptr(writer))
            ->append(reinterpret_cast<const char*>(bytes), count);
      },
      nullptr);
  const auto width = static_cast<png_uint_32>(picture.width),
             height = static_cast<png_uint_32>(picture.height);
  png_set_IHDR(png, info, width, height, 16, PNG_COLOR_TYPE_RGB, PNG_INTERLACE_NONE,
               PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
  png_write_info(png, info);
  std::vector<png_byte> row(static_cast<std::size_t>(picture.width) * 6);
  for (int y = 0; y < picture.height; ++y) {
    // 257 x value: the byte twice.
    for (std::size_t i = 0; i < row.size(); ++i) row[i] = picture.At(0, y)[i / 2];
    png_write_row(png, row.data());
  }
  png_write_end(png, info);
  png_destroy_write_struct(&png, &info);
  return file;
}

std::string JpegFile(const Picture& picture, int quality, const std::string& app1, bool progressive) {
  jpeg_compress_struct jpeg{};
  jpeg_error_mgr errors{};
  jpeg.err = jpeg_std_error(&errors);
  jpeg_create_compress(&jpeg);
  unsigned char* memory = nullptr;
  unsigned long size = 0;
  jpeg_mem_dest(&jpeg, &memory, &size);
  jpeg.image_width = static_cast<JDIMENSION>(picture.width);
  jpeg.image_height = static_cast<JDIMENSION>(picture.height);
  jpeg.input_components = 3;
  jpeg.in_color_space = JCS_RGB;
  jpeg_set_defaults(&jpeg);
  jpeg_set_quality(&jpeg, quality, TRUE);
  if (progressive) jpeg_simple_progression(&jpeg);
  jpeg_start_compress(&jpeg, TRUE);
  if (!app1.empty())
    jpeg_write_marker(&jpeg, JPEG_APP0 + 1, reinterpret_cast<const JOCTET*>(app1.data()),
                      static_cast<unsigned int>(app1.size()));
  for (int y = 0; y < picture.height; ++y) {
    JSAMPROW row = const_cast<std::uint8_t*>(picture.At(0, y));
    jpeg_write_scanlines(&jpeg, &row, 1);
  }
  jpeg_finish_compress(&jpeg);
  jpeg_destroy_compress(&jpeg);
  std::string file(reinterpret_cast<const char*>(memory), size);
  std::free(memory);
  return file;
}

std::string WebpFile(const Picture& picture) {
  std::uint8_t* memory = nullptr;
  const std::size_t size =
      WebPEncodeLosslessRGB(picture.rgb.data(), picture.width, picture.height, picture.width * 3, &memory);
  std::string file(reinterpret_cast<const char*>(memory), size);
  WebPFree(memory);
  return file;
}

std::string ExifSegment(int orientation, bool big_endian) {
  std::string s("Exif\0\0", 6);
  const auto number = [&](std::uint32_t n, int width) {
    for (int i = 0; i < width; ++i) s += static_cast<char>(n >> 8 * (big_endian ? width - 1 - i : i));
  };
  s += big_endian ? "MM" : "II";
  number(42, 2);
  number(8, 4);
  number(1, 2);
  number(0x0112, 2);
  number(3, 2);
  number(1, 4);
  number(static_cast<std::uint32_t>(orientation), 2);
  number(0, 2);
  number(0, 4);
  return s;
}

double MeanDifference(const Picture& a, const Picture& b) {
  RINGWAY_CHECK(a.rgb.size() == b.rgb.size());
  double sum = 0;
  for (std::size_t i = 0; i < a.rgb.size(); ++i) sum += std::abs(a.rgb[i] - b.rgb[i]);
  return sum / static_cast<double>(a.rgb.size());
}

}  // namespace ringway::engine
