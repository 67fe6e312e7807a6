#include "bench/engine/onednn.h"

#include <algorithm>
#include <chrono>
#include <dnnl.hpp>

extern "C" void omp_set_num_threads(int threads);  // oneDNN on Debian runs on libgomp's pool

namespace ringway::bench {
namespace {

using dnnl::memory;

template <typename Primitive>
double Fastest(const typename Primitive::primitive_desc& description, const dnnl::engine& engine,
               int rounds) {
  const Primitive primitive(description);
  dnnl::stream stream(engine);
  memory x(description.src_desc(), engine), w(description.weights_desc(), engine),
      y(description.dst_desc(), engine);
  memory bias(description.query_md(dnnl::query::weights_md, 1), engine);
  for (memory* m : {&x, &w, &y, &bias})
    std::fill_n(static_cast<std::uint8_t*>(m->get_data_handle()), m->get_desc().get_size(),
                std::uint8_t{0x3c});
  double best = 1e9;
  for (int i = 0; i < rounds; ++i) {
    const auto begin = std::chrono::steady_clock::now();
    primitive.execute(stream,
                      {{DNNL_ARG_SRC, x}, {DNNL_ARG_WEIGHTS, w}, {DNNL_ARG_BIAS, bias}, {DNNL_ARG_DST, y}});
    stream.wait();
    best = std::min(best, std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
  }
  return best;
}

double LinearSeconds(const ProductShape& s, const dnnl::engine& engine, memory::data_type type, int rounds) {
  using tag = memory::format_tag;
  const memory::dim rows = s.pictures * s.side * s.side;
  const dnnl::matmul::desc wanted({{rows, s.in}, type, tag::ab}, {{s.in, s.out}, type, tag::any},
                                  {{1, s.out}, memory::data_type::f32, tag::ab},
                                  {{rows, s.out}, type, tag::ab});
  return Fastest<dnnl::matmul>({wanted, engine}, engine, rounds);
}

double ConvSeconds(const ProductShape& s, const dnnl::engine& engine, memory::data_type type, int rounds) {
  using tag = memory::format_tag;
  const memory::dim pad = s.kernel / 2;
  const dnnl::convolution_forward::desc wanted(
      dnnl::prop_kind::forward_inference, dnnl::algorithm::convolution_direct,
      {{s.pictures, s.in, s.side, s.side}, type, tag::nhwc},
      {{s.out, s.in, s.kernel, s.kernel}, type, tag::any}, {{s.out}, memory::data_type::f32, tag::x},
      {{s.pictures, s.out, s.side, s.side}, type, tag::nhwc}, {1, 1}, {pad, pad}, {pad, pad});
  return Fastest<dnnl::convolution_forward>({wanted, engine}, engine, rounds);
}

}  // namespace

double OneDnnSeconds(const ProductShape& shape, bool bf16, int threads, int rounds) {
  omp_set_num_threads(threads);
  const dnnl::engine engine(dnnl::engine::kind::cpu, 0);
  const memory::data_type type = bf16 ? memory::data_type::bf16 : memory::data_type::f32;
  return shape.kernel == 1 ? LinearSeconds(shape, engine, type, rounds)
                           : ConvSeconds(shape, engine, type, rounds);
}

}  // namespace ringway::bench
