// An ordinary HIP program: nothing in it knows of the simulator. It exercises
// registration, launches, memory of every kind, streams, events, symbols,
// attributes, occupancy, modules and errors, and ends with the line "all
// passed". MAJOR is the release of the library; where the headers are older,
// what differs is declared here.
#include <hip/hip_runtime.h>

#include <hip/hip_cooperative_groups.h>

#include <cmath>
#include <cstddef>
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

#if HIP_VERSION_MAJOR >= 6
static_assert(sizeof(hipDeviceProp_t) == 1472);
static_assert(offsetof(hipDeviceProp_t, gcnArchName) == 1160);
static_assert(sizeof(hipFuncAttributes) == 56);
static_assert(sizeof(hipPointerAttribute_t) == 32);
static_assert(sizeof(hipMemcpy3DParms) == 160 && sizeof(hip_Memcpy2D) == 128);
#endif
#if MAJOR >= 6 && HIP_VERSION_MAJOR < 6
// hipDeviceProp_t as HIP 6 has it, up to what is asked for here.
struct PropertiesR0600 {
  char name[256], uuid[16], luid[8];
  unsigned luidDeviceNodeMask;
  size_t totalGlobalMem, sharedMemPerBlock;
  int regsPerBlock, warpSize;
  size_t memPitch;
  int maxThreadsPerBlock, maxThreadsDim[3], maxGridSize[3], clockRate;
  size_t totalConstMem;
  int major, minor;
  size_t textureAlignment, texturePitchAlignment;
  int deviceOverlap, multiProcessorCount;
  char rest[1472];
};
extern "C" hipError_t hipGetDevicePropertiesR0600(void *, int);
#endif

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
/// Every workgroup reads what its neighbour wrote before the grid's barrier.
__global__ void neighbours(int *values, int *sums) {
  cooperative_groups::grid_group grid = cooperative_groups::this_grid();
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int n = gridDim.x * blockDim.x;
  for (int round = 0; round < 3; ++round) {
    values[i] = i + round;
    grid.sync();
    sums[i] += values[(i + blockDim.x) % n];
    grid.sync();
  }
  // Tiles of eight lanes.
  auto tile = cooperative_groups::tiled_partition<8>(
      cooperative_groups::this_thread_block());
  sums[i] += tile.shfl_xor(i, 4) * 1000;
}
__global__ void wild(int *p) { p[threadIdx.x] = 1; }

/// Modules: a kernel by name, its arguments either way, a variable.
static void testModule(const char *path) {
  hipModule_t module;
  hipFunction_t function;
  OK(hipModuleLoad(&module, path));
  OK(hipModuleGetFunction(&function, module, "add_offset"));
  CHECK(hipModuleGetFunction(&function, module, "nothing") == hipErrorNotFound);
  OK(hipModuleGetFunction(&function, module, "add_offset"));
  int host[100], scale = 3, n = 100, *values;
  for (int i = 0; i < n; ++i)
    host[i] = i;
  OK(hipMalloc(&values, sizeof(host)));
  OK(hipMemcpyHtoD(values, host, sizeof(host)));
  void *arguments[] = {&values, &scale, &n};
  OK(hipModuleLaunchKernel(function, 2, 1, 1, 64, 1, 1, 0, nullptr, arguments,
                           nullptr));
  hipDeviceptr_t variable;
  size_t bytes = 0;
  OK(hipModuleGetGlobal(&variable, &bytes, module, "offset"));
  CHECK(bytes == 4);
  int seven = 7;
  OK(hipMemcpyHtoD(variable, &seven, 4));
  struct {
    int *values;
    int scale, n;
  } packed = {values, 2, n};
  size_t size = sizeof(packed);
  void *extra[] = {HIP_LAUNCH_PARAM_BUFFER_POINTER, &packed,
                   HIP_LAUNCH_PARAM_BUFFER_SIZE, &size, HIP_LAUNCH_PARAM_END};
  OK(hipModuleLaunchKernel(function, 2, 1, 1, 64, 1, 1, 0, nullptr, nullptr,
                           extra));
  OK(hipMemcpyDtoH(host, values, sizeof(host)));
  for (int i = 0; i < n; ++i)
    CHECK(host[i] == (i * 3 + 5) * 2 + 7);
  OK(hipFree(values));
  OK(hipModuleUnload(module));
  (void)hipGetLastError();
}

/// Boxes of a volume, there and back.
static void testVolumes() {
  const hipExtent extent = make_hipExtent(40, 5, 3);
  hipPitchedPtr volume;
  OK(hipMalloc3D(&volume, extent));
  OK(hipMemset3D(volume, 7, extent));
  char in[600], out[600] = {};
  for (int i = 0; i < 600; ++i)
    in[i] = char(i * 3);
  hipMemcpy3DParms copy = {};
  copy.srcPtr = make_hipPitchedPtr(in, 40, 40, 5);
  copy.dstPtr = volume;
  copy.dstPos = make_hipPos(8, 1, 1);
  copy.extent = make_hipExtent(24, 3, 2);
  copy.kind = hipMemcpyHostToDevice;
  OK(hipMemcpy3D(&copy));
  hipMemcpy3DParms back = {};
  back.srcPtr = volume;
  back.dstPtr = make_hipPitchedPtr(out, 40, 40, 5);
  back.extent = extent;
  back.kind = hipMemcpyDeviceToHost;
  OK(hipMemcpy3DAsync(&back, nullptr));
  for (int z = 0; z < 3; ++z)
    for (int y = 0; y < 5; ++y)
      for (int x = 0; x < 40; ++x) {
        bool inside = z >= 1 && y >= 1 && y < 4 && x >= 8 && x < 32;
        char want = inside ? in[((z - 1) * 5 + y - 1) * 40 + x - 8] : char(7);
        CHECK(out[(z * 5 + y) * 40 + x] == want);
      }
  OK(hipFree(volume.ptr));
}

#if HIP_VERSION_MAJOR >= 7
/// Launches by a structure, kernels of a library, entry points by name.
static void testExtended(const char *path) {
  hipLibrary_t library;
  hipKernel_t kernel;
  unsigned count = 0;
  OK(hipLibraryLoadFromFile(&library, path, (hipJitOption *)nullptr, nullptr, 0,
                            (hipLibraryOption *)nullptr, nullptr, 0));
  OK(hipLibraryGetKernelCount(&count, library));
  OK(hipLibraryGetKernel(&kernel, library, "add_offset"));
  const char *name = nullptr;
  OK(hipKernelGetName(&name, kernel));
  CHECK(count >= 1 && std::strcmp(name, "add_offset") == 0);
  int host[64], scale = 3, n = 64, *values;
  for (int i = 0; i < n; ++i)
    host[i] = i;
  OK(hipMalloc(&values, sizeof(host)));
  OK(hipMemcpy(values, host, sizeof(host), hipMemcpyHostToDevice));
  void *arguments[] = {&values, &scale, &n};
  HIP_LAUNCH_CONFIG config = {1, 1, 1, 64, 1, 1, 0, nullptr, nullptr, 0};
  OK(hipDrvLaunchKernelEx(&config, reinterpret_cast<hipFunction_t>(kernel),
                          arguments, nullptr));
  OK(hipMemcpy(host, values, sizeof(host), hipMemcpyDeviceToHost));
  for (int i = 0; i < n; ++i)
    CHECK(host[i] == i * 3 + 5);
  OK(hipLibraryUnload(library));

  hipLaunchAttribute cooperative = {};
  cooperative.id = hipLaunchAttributeCooperative;
  cooperative.val.cooperative = 1;
  hipLaunchConfig_t launch = {};
  launch.gridDim = dim3(2);
  launch.blockDim = dim3(64);
  launch.attrs = &cooperative;
  launch.numAttrs = 1;
  int *cells, *results;
  OK(hipMalloc(&cells, 512));
  OK(hipMalloc(&results, 512));
  OK(hipMemsetD2D32(results, 128, 1, 32, 4));
  void *both[] = {&cells, &results};
  OK(hipLaunchKernelExC(&launch, reinterpret_cast<void *>(neighbours), both));
  int got[128];
  OK(hipMemcpy(got, results, 512, hipMemcpyDeviceToHost));
  for (int i = 0; i < 128; ++i)
    CHECK(got[i] == 1 + 3 * ((i + 64) % 128) + 3 + (i ^ 4) * 1000);
  OK(hipFree(cells));
  OK(hipFree(results));
  OK(hipFree(values));

  void *entry = nullptr;
  hipDriverProcAddressQueryResult status;
  OK(hipGetProcAddress("hipGetDeviceCount", &entry, 70200000, 0, &status));
  int devices = 0;
  OK(reinterpret_cast<hipError_t (*)(int *)>(entry)(&devices));
  CHECK(devices >= 1);
}
#endif

/// What the last error is after a success that follows a failure.
/// What HIP says of host memory, and of streams that are none.
static void testHostKinds() {
  int *managed = nullptr, *pinned = nullptr, plain[4] = {1, 2, 3, 4};
  OK(hipMallocManaged(reinterpret_cast<void **>(&managed), 64));
  OK(hipHostMalloc(reinterpret_cast<void **>(&pinned), 64,
                   hipHostMallocMapped | hipHostMallocPortable));
  unsigned flags = 0;
  OK(hipHostGetFlags(&flags, pinned));
  CHECK(flags == (hipHostMallocMapped | hipHostMallocPortable));
  hipPointerAttribute_t attributes;
  OK(hipPointerGetAttributes(&attributes, managed + 1));
  CHECK(attributes.isManaged && attributes.devicePointer == managed + 1);
  OK(hipPointerGetAttributes(&attributes, pinned + 1));
  CHECK(!attributes.isManaged && attributes.hostPointer == pinned + 1);
#if HIP_VERSION_MAJOR >= 6
  CHECK(attributes.type == hipMemoryTypeHost);
  OK(hipPointerGetAttributes(&attributes, managed));
  CHECK(attributes.type == hipMemoryTypeManaged);
  OK(hipPointerGetAttributes(&attributes, plain));
  CHECK(attributes.type == hipMemoryTypeUnregistered &&
        attributes.device == hipInvalidDeviceId);
#elif MAJOR < 6
  CHECK(hipPointerGetAttributes(&attributes, plain) == hipErrorInvalidValue);
#endif
  OK(hipHostRegister(plain, sizeof(plain), hipHostRegisterDefault));
  OK(hipPointerGetAttributes(&attributes, plain + 2));
  OK(hipHostUnregister(plain));
  CHECK(hipHostUnregister(plain) == hipErrorHostMemoryNotRegistered);
  hipStream_t gone;
  OK(hipStreamCreate(&gone));
  OK(hipStreamDestroy(gone));
  CHECK(hipStreamSynchronize(gone) == hipErrorContextIsDestroyed);
  CHECK(hipStreamQuery(gone) == hipErrorContextIsDestroyed);
  CHECK(hipStreamDestroy(nullptr) == hipErrorInvalidHandle);
  CHECK(hipMemcpyAsync(plain, pinned, 4, hipMemcpyDefault, gone) ==
        hipErrorContextIsDestroyed);
  OK(hipFree(managed));
  OK(hipHostFree(pinned));
  (void)hipGetLastError();
}

static void testLastError() {
  (void)hipGetLastError();
  CHECK(hipSetDevice(99) == hipErrorInvalidDevice);
  CHECK(hipPeekAtLastError() == hipErrorInvalidDevice);
  int device;
  OK(hipGetDevice(&device));
  // From HIP 7 on only failures are remembered.
  CHECK(hipGetLastError() == (MAJOR >= 7 ? hipErrorInvalidDevice : hipSuccess));
  CHECK(hipGetLastError() == hipSuccess);
  CHECK(std::strlen(hipGetErrorString(hipErrorOutOfMemory)) > 5);
  hipIpcMemHandle_t handle;
  CHECK(hipIpcGetMemHandle(&handle, &handle) == hipErrorNotSupported);
  CHECK(hipIpcGetMemHandle(&handle, &handle) == hipErrorNotSupported);
  (void)hipGetLastError();
}

int main(int, char **argv) {
  int count = 0;
  OK(hipGetDeviceCount(&count));
  CHECK(count >= 1);
  hipDeviceProp_t properties;
  OK(hipGetDeviceProperties(&properties, 0));
  CHECK(std::strncmp(properties.gcnArchName, "gfx942", 6) == 0);
  CHECK(properties.warpSize == 64 && properties.multiProcessorCount == 304);
  CHECK(properties.sharedMemPerBlock == 65536);
  CHECK(properties.maxThreadsPerBlock == 1024 && properties.major == 9);
  CHECK(properties.totalGlobalMem >= size_t(190) << 30);
#if MAJOR >= 6 && HIP_VERSION_MAJOR < 6
  static PropertiesR0600 newer;
  OK(hipGetDevicePropertiesR0600(&newer, 0));
  CHECK(std::strstr(newer.name, "MI300X"));
  CHECK(newer.totalGlobalMem == properties.totalGlobalMem);
  CHECK(newer.warpSize == 64 && newer.multiProcessorCount == 304);
  CHECK(newer.sharedMemPerBlock == 65536 && newer.maxThreadsDim[2] == 1024);
  CHECK(newer.major == 9 && newer.minor == 4);
  CHECK(std::strncmp(reinterpret_cast<char *>(&newer) + 1160, "gfx942", 6) == 0);
#endif
  int value = 0;
  OK(hipDeviceGetAttribute(&value, hipDeviceAttributeWarpSize, 0));
  CHECK(value == 64);
  OK(hipDeviceGetAttribute(&value, hipDeviceAttributeMultiprocessorCount, 0));
  CHECK(value == 304);
  OK(hipDeviceGetAttribute(&value, hipDeviceAttributeMaxSharedMemoryPerBlock, 0));
  CHECK(value == 65536);
  OK(hipRuntimeGetVersion(&value));
  CHECK(value / 10000000 == MAJOR);

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
  // HIP 6 counts memory types from "unregistered" on.
#if HIP_VERSION_MAJOR >= 6
  CHECK(attributes.type == hipMemoryTypeDevice);
#else
  CHECK(int(attributes.memoryType) == (MAJOR >= 6 ? 2 : 1));
#endif
  int grid_size = 0, block_size = 0;
  OK(hipOccupancyMaxPotentialBlockSize(&grid_size, &block_size, saxpy, 0, 0));
  CHECK(block_size >= 64 && block_size <= 1024 && grid_size >= 304);
  int blocks = 0;
  OK(hipOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, saxpy, 256, 0));
  CHECK(blocks >= 1 && blocks <= 8);
  hipFuncAttributes functionAttributes;
  OK(hipFuncGetAttributes(&functionAttributes,
                          reinterpret_cast<const void *>(saxpy)));
  CHECK(functionAttributes.maxThreadsPerBlock >= 256);

  // Copies between streams, fills, pitched and two-dimensional ones.
  hipStream_t other;
  hipEvent_t done;
  OK(hipStreamCreateWithFlags(&other, hipStreamNonBlocking));
  OK(hipEventCreateWithFlags(&done, hipEventDisableTiming));
  int *pinned;
  OK(hipHostMalloc(reinterpret_cast<void **>(&pinned), 4096, 0));
  OK(hipMemsetAsync(in, 1, 4096, other));
  OK(hipMemcpyAsync(pinned, in, 4096, hipMemcpyDeviceToHost, other));
  OK(hipEventRecord(done, other));
  OK(hipStreamWaitEvent(stream, done, 0));
  OK(hipEventSynchronize(done));
  OK(hipStreamQuery(other));
  CHECK(pinned[1023] == 0x01010101);
  OK(hipHostFree(pinned));
  void *pitched;
  size_t pitch = 0;
  OK(hipMallocPitch(&pitched, &pitch, 100, 7));
  char image[700], back[700] = {};
  for (int i = 0; i < 700; ++i)
    image[i] = char(i);
  OK(hipMemcpy2D(pitched, pitch, image, 100, 100, 7, hipMemcpyHostToDevice));
  OK(hipMemcpy2D(back, 100, pitched, pitch, 100, 7, hipMemcpyDeviceToHost));
  CHECK(std::memcmp(image, back, 700) == 0);
  OK(hipFree(pitched));
  size_t free_bytes = 0, total_bytes = 0;
  OK(hipMemGetInfo(&free_bytes, &total_bytes));
  CHECK(free_bytes < total_bytes);
  OK(hipStreamDestroy(other));
  OK(hipEventDestroy(done));
  int *cells, *neighbour_sums, launch_blocks = 12;
  OK(hipMalloc(&cells, 12 * 128 * 4));
  OK(hipMalloc(&neighbour_sums, 12 * 128 * 4));
  OK(hipMemset(neighbour_sums, 0, 12 * 128 * 4));
  void *cooperative[] = {&cells, &neighbour_sums};
  OK(hipLaunchCooperativeKernel(reinterpret_cast<void *>(neighbours),
                                dim3(launch_blocks), dim3(128), cooperative, 0,
                                stream));
  std::vector<int> neighbour_host(12 * 128);
  OK(hipMemcpy(neighbour_host.data(), neighbour_sums, 12 * 128 * 4,
               hipMemcpyDeviceToHost));
  for (int i = 0; i < 12 * 128; ++i)
    CHECK(neighbour_host[i] == 3 * ((i + 128) % (12 * 128)) + 3 + (i ^ 4) * 1000);
  CHECK(hipLaunchCooperativeKernel(reinterpret_cast<void *>(neighbours),
                                   dim3(100000), dim3(128), cooperative, 0,
                                   stream) == hipErrorCooperativeLaunchTooLarge);
  testModule(argv[1]);
  testVolumes();
  testHostKinds();
#if HIP_VERSION_MAJOR >= 7
  testExtended(argv[1]);
#endif
  testLastError();

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
