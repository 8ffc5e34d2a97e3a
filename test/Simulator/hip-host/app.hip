// An ordinary HIP program: nothing in it knows of the simulator. It exercises
// registration, launches, memory of every kind, streams, events, symbols,
// attributes, occupancy and errors, and ends with the line "all passed".
#include <hip/hip_runtime.h>

#include <cmath>
#include <cstdio>
#include <cstring>
#include <vector>

static int failures = 0;
#define CHECK(condition)                                                       \
  do {                                                                         \
    if (!(condition)) {                                                        \
      std::printf("line %d: %s\n", __LINE__, #condition);                      \
      ++failures;                                                              \
    }                                                                          \
  } while (0)
#define OK(call) CHECK((call) == hipSuccess)

__constant__ float factors[4];
__device__ int counter;
__managed__ int shared_total = 5;

__global__ void saxpy(float a, const float *x, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    y[i] = a * x[i] + y[i] * factors[i % 4];
}
__global__ void sums(const int *in, int *out) {
  extern __shared__ int tile[];
  tile[threadIdx.x] = in[blockIdx.x * blockDim.x + threadIdx.x];
  __syncthreads();
  for (int s = blockDim.x / 2; s; s /= 2) {
    if (threadIdx.x < s)
      tile[threadIdx.x] += tile[threadIdx.x + s];
    __syncthreads();
  }
  if (threadIdx.x == 0) {
    out[blockIdx.x] = tile[0];
    atomicAdd(&counter, tile[0]);
    atomicAdd(&shared_total, 1);
  }
}
__global__ void coordinates(int *out) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  out[y * gridDim.x * blockDim.x + x] =
      x + 1000 * y + 1000000 * int(gridDim.y * blockDim.y);
}
__global__ void maths(float *v) {
  int i = threadIdx.x;
  v[i] = sinf(v[i]) + expf(-v[i]) + __shfl_xor(v[i], 1);
}
__global__ void wild(int *p) { p[threadIdx.x] = 1; }

int main() {
  int count = 0;
  OK(hipGetDeviceCount(&count));
  CHECK(count >= 1);
  hipDeviceProp_t properties;
  OK(hipGetDeviceProperties(&properties, 0));
  CHECK(std::strncmp(properties.gcnArchName, "gfx942", 6) == 0);
  CHECK(properties.warpSize == 64 && properties.multiProcessorCount == 304);
  CHECK(properties.sharedMemPerBlock == 65536);
  int value = 0;
  OK(hipDeviceGetAttribute(&value, hipDeviceAttributeWarpSize, 0));
  CHECK(value == 64);

  // Launches by <<<>>>, constants, async copies, events.
  const int n = 1000;
  std::vector<float> x(n), y(n), expected(n);
  const float host[4] = {1, 2, 3, 4};
  OK(hipMemcpyToSymbol(HIP_SYMBOL(factors), host, sizeof(host)));
  for (int i = 0; i < n; ++i) {
    x[i] = float(i) / 7;
    y[i] = float(n - i);
    expected[i] = std::fma(2.5f, x[i], y[i] * host[i % 4]);
  }
  float *dx, *dy;
  OK(hipMalloc(&dx, n * sizeof(float)));
  OK(hipMalloc(&dy, n * sizeof(float)));
  hipStream_t stream;
  hipEvent_t start, stop;
  OK(hipStreamCreate(&stream));
  OK(hipEventCreate(&start));
  OK(hipEventCreate(&stop));
  OK(hipMemcpyAsync(dx, x.data(), n * 4, hipMemcpyHostToDevice, stream));
  OK(hipMemcpyAsync(dy, y.data(), n * 4, hipMemcpyHostToDevice, stream));
  OK(hipEventRecord(start, stream));
  saxpy<<<(n + 127) / 128, 128, 0, stream>>>(2.5f, dx, dy, n);
  OK(hipGetLastError());
  OK(hipEventRecord(stop, stream));
  OK(hipStreamSynchronize(stream));
  OK(hipMemcpy(y.data(), dy, n * 4, hipMemcpyDeviceToHost));
  for (int i = 0; i < n; ++i)
    CHECK(std::fabs(y[i] - expected[i]) <= 1e-4f * std::fabs(expected[i]));
  float elapsed = -1;
  OK(hipEventElapsedTime(&elapsed, start, stop));
  CHECK(elapsed >= 0);

  // Dynamic LDS, device and managed variables.
  std::vector<int> numbers(4 * 256);
  int total = 0;
  for (int i = 0; i < 4 * 256; ++i)
    total += numbers[i] = i * i % 97;
  int *in, *out;
  OK(hipMalloc(&in, sizeof(int) * numbers.size()));
  OK(hipMallocManaged(&out, 4 * sizeof(int)));
  OK(hipMemcpy(in, numbers.data(), sizeof(int) * numbers.size(),
               hipMemcpyDefault));
  sums<<<4, 256, 256 * sizeof(int)>>>(in, out);
  OK(hipDeviceSynchronize());
  CHECK(out[0] + out[1] + out[2] + out[3] == total);
  int got = 0;
  OK(hipMemcpyFromSymbol(&got, HIP_SYMBOL(counter), sizeof(int)));
  CHECK(got == total);
  CHECK(shared_total == 9);

  // Two dimensions; host-registered memory; maths and shuffles.
  std::vector<int> grid(16 * 12);
  OK(hipHostRegister(grid.data(), grid.size() * sizeof(int), 0));
  void *mapped;
  OK(hipHostGetDevicePointer(&mapped, grid.data(), 0));
  coordinates<<<dim3(2, 3), dim3(8, 4)>>>(static_cast<int *>(mapped));
  OK(hipDeviceSynchronize());
  for (int r = 0; r < 12; ++r)
    for (int c = 0; c < 16; ++c)
      CHECK(grid[r * 16 + c] == c + 1000 * r + 12000000);
  OK(hipHostUnregister(grid.data()));
  std::vector<float> angles(64);
  for (int i = 0; i < 64; ++i)
    angles[i] = 0.1f * float(i);
  float *da;
  OK(hipMalloc(&da, 256));
  OK(hipMemcpy(da, angles.data(), 256, hipMemcpyHostToDevice));
  maths<<<1, 64>>>(da);
  std::vector<float> results(64);
  OK(hipMemcpy(results.data(), da, 256, hipMemcpyDeviceToHost));
  for (int i = 0; i < 64; ++i)
    CHECK(std::fabs(results[i] - (std::sin(angles[i]) + std::exp(-angles[i]) +
                                  angles[i ^ 1])) < 1e-5f);

  // Fills, pointer attributes, occupancy.
  OK(hipMemset(in, 0x5a, 64));
  OK(hipMemcpy(&got, in, 4, hipMemcpyDeviceToHost));
  CHECK(got == 0x5a5a5a5a);
  hipPointerAttribute_t attributes;
  OK(hipPointerGetAttributes(&attributes, in));
  CHECK(attributes.device == 0 && attributes.devicePointer == in);
  int blocks = 0;
  OK(hipOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, saxpy, 256, 0));
  CHECK(blocks >= 1 && blocks <= 8);
  hipFuncAttributes functionAttributes;
  OK(hipFuncGetAttributes(&functionAttributes,
                          reinterpret_cast<const void *>(saxpy)));
  CHECK(functionAttributes.maxThreadsPerBlock >= 256);

  // Errors.
  CHECK(hipMalloc(&dx, size_t(1) << 60) == hipErrorOutOfMemory);
  CHECK(hipGetLastError() == hipErrorOutOfMemory);
  CHECK(hipGetLastError() == hipSuccess);
  CHECK(std::strcmp(hipGetErrorName(hipErrorInvalidValue),
                    "hipErrorInvalidValue") == 0);
  CHECK(hipSetDevice(99) == hipErrorInvalidDevice);
  (void)hipGetLastError();
  saxpy<<<1, 4096>>>(1, dx, dy, 1);
  CHECK(hipGetLastError() != hipSuccess);
  wild<<<1, 64>>>(reinterpret_cast<int *>(8));
  CHECK(hipDeviceSynchronize() != hipSuccess || hipGetLastError() != hipSuccess);
  OK(hipFree(in));
  OK(hipFree(out));
  OK(hipEventDestroy(start));
  OK(hipStreamDestroy(stream));
  std::puts(failures ? "failed" : "all passed");
  return failures != 0;
}
