// Virtual functions: tables of pointers, calls through them, objects on the
// stack.
#include "Program.h"
OUTPUTS(2)
#ifdef DEVICE
#define METHOD __attribute__((device, noinline))
#else
#define METHOD __attribute__((noinline))
#endif
struct Shape {
  u32 a, b;
  METHOD Shape(u32 a, u32 b) : a(a), b(b) {}
  METHOD virtual u32 area(u32 scale) const { return scale; }
  METHOD virtual u32 edges() const { return 0; }
};
struct Square : Shape {
  METHOD Square(u32 a) : Shape(a, a) {}
  METHOD u32 area(u32 scale) const override { return a * a * scale; }
  METHOD u32 edges() const override { return 4; }
};
struct Rectangle : Square {
  METHOD Rectangle(u32 a, u32 b) : Square(a) { this->b = b; }
  METHOD u32 area(u32 scale) const override { return a * b * scale + edges(); }
};
struct Triangle : Shape {
  METHOD Triangle(u32 a, u32 b) : Shape(a, b) {}
  METHOD u32 edges() const override { return 3 + (a == b); }
};
NOINLINE u32 measure(const Shape &shape, u32 scale) {
  return shape.area(scale) * 8 + shape.edges();
}
FN void element(u32 i, const u32 *in, u32 *out, u32 n) {
  u32 v = in[i];
  Square square(v % 100);
  Rectangle rectangle(v % 90, v / 7 % 80);
  Triangle triangle(v % 6, v / 3 % 6);
  const Shape *shapes[3] = {&square, &rectangle, &triangle};
  u32 sum = 0;
  for (u32 k = 0; k < 1 + v % 5; ++k)
    sum = sum * 17 + measure(*shapes[(v >> k) % 3], k + 1);
  out[2 * i] = sum;
  out[2 * i + 1] = shapes[v / 11 % 3]->edges();
}
PER_ELEMENT(element)
