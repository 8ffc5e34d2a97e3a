// Maths functions of the device library in f64, shown in f32. BOUND: 1 ulp
#include "Program.h"
#ifdef DEVICE
#define M(name) __ocml_##name##_f64
#define OCML extern "C" __attribute__((device))
OCML double M(sin)(double);
OCML double M(exp)(double);
OCML double M(log)(double);
OCML double M(pow)(double, double);
OCML double M(tanh)(double);
OCML double M(atan)(double);
#else
#include <math.h>
#define M(name) name
#endif
OUTPUTS(6)
FN void body(u32 i, const u32 *in, u32 *out, u32 n) {
  double x = small(in[i]) * 0.01, p = (x < 0 ? -x : x) + 0.001;
  u32 *o = out + 6 * i;
  o[0] = bitsOf(float(M(sin)(x)));
  o[1] = bitsOf(float(M(exp)(x)));
  o[2] = bitsOf(float(M(log)(p)));
  o[3] = bitsOf(float(M(pow)(p, x * 0.1)));
  o[4] = bitsOf(float(M(tanh)(x)));
  o[5] = bitsOf(float(M(atan)(x)));
}
PER_ELEMENT(body)
