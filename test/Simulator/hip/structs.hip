// Aggregates by value through calls.
#include "Program.h"
OUTPUTS(2)
struct Matrix {
  float m[3][3];
};
NOINLINE Matrix multiply(Matrix a, Matrix b) {
  Matrix r;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) {
      float s = 0;
      for (int k = 0; k < 3; ++k)
        s = __builtin_fmaf(a.m[i][k], b.m[k][j], s);
      r.m[i][j] = s;
    }
  return r;
}
FN void body(u32 i, const u32 *in, u32 *out, u32 n) {
  Matrix a, b;
  for (u32 k = 0; k < 9; ++k) {
    a.m[k / 3][k % 3] = small(in[(i + k) % n]);
    b.m[k % 3][k / 3] = small(in[(i + 2 * k) % n]);
  }
  Matrix c = multiply(multiply(a, b), a);
  out[2 * i] = result(c.m[0][2]);
  out[2 * i + 1] = result(c.m[2][1]);
}
PER_ELEMENT(body)
