// What app.hip loads as a module.
#include <hip/hip_runtime.h>

__device__ int offset = 5;

extern "C" __global__ void add_offset(int *values, int scale, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    values[i] = values[i] * scale + offset;
}
