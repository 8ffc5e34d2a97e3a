// Maths functions of the device library in f32. BOUND: 4 ulp
#include "Program.h"
#ifdef DEVICE
#define M(name) __ocml_##name##_f32
#define OCML extern "C" __attribute__((device))
OCML float M(sin)(float);
OCML float M(cos)(float);
OCML float M(tan)(float);
OCML float M(exp)(float);
OCML float M(log)(float);
OCML float M(pow)(float, float);
OCML float M(tanh)(float);
OCML float M(erf)(float);
OCML float M(atan2)(float, float);
OCML float M(cbrt)(float);
#else
#include <math.h>
#define M(name) name##f
#endif
OUTPUTS(10)
FN void body(u32 i, const u32 *in, u32 *out, u32 n) {
  float x = small(in[i]) * 0.01f, y = small(in[(i + 1) % n]) * 0.01f;
  float p = (x < 0 ? -x : x) + 0.001f;
  u32 *o = out + 10 * i;
  o[0] = bitsOf(M(sin)(x));
  o[1] = bitsOf(M(cos)(x));
  o[2] = bitsOf(M(tan)(x));
  o[3] = bitsOf(M(exp)(x));
  o[4] = bitsOf(M(log)(p));
  o[5] = bitsOf(M(pow)(p, y));
  o[6] = bitsOf(M(tanh)(x));
  o[7] = bitsOf(M(erf)(x));
  o[8] = bitsOf(M(atan2)(x, y));
  o[9] = bitsOf(M(cbrt)(x));
}
PER_ELEMENT(body)
