// Graphs, captured and built by hand, and memory pools, as inference engines
// and frameworks use them. Ends with the line "all passed".
#include <hip/hip_runtime.h>

#include <cstdio>
#include <cstring>
#include <thread>
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

__constant__ int offsets[2];

__global__ void addTo(int *x, int value, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    x[i] += value;
}
__global__ void scaleInto(int *out, const int *in, int factor, int n) {
  extern __shared__ int tile[];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  tile[threadIdx.x] = i < n ? in[i] : 0;
  __syncthreads();
  if (i < n)
    out[i] = tile[threadIdx.x] * factor + offsets[i & 1];
}
__global__ void joinInto(int *out, const int *a, const int *b, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = a[i] - b[i];
}

constexpr int n = 300;
constexpr size_t bytes = n * sizeof(int);
static void count(void *data) { ++*static_cast<int *>(data); }
static void countStream(hipStream_t, hipError_t, void *data) { count(data); }

// Work of two streams, forked and joined by events, launched again and again.
static void capturedForkAndJoin() {
  hipStream_t main, side;
  hipEvent_t fork, join;
  OK(hipStreamCreate(&main));
  OK(hipStreamCreate(&side));
  OK(hipEventCreate(&fork));
  OK(hipEventCreate(&join));
  int *in, *a, *b, *out;
  OK(hipMalloc(&in, bytes));
  OK(hipMalloc(&a, bytes));
  OK(hipMalloc(&b, bytes));
  OK(hipMalloc(&out, bytes));
  int factors[2] = {1, 2}, calls = 0;
  OK(hipMemcpyToSymbol(HIP_SYMBOL(offsets), factors, sizeof(factors)));
  std::vector<int> host(n), result(n, -1);

  OK(hipStreamBeginCapture(main, hipStreamCaptureModeThreadLocal));
  OK(hipMemcpyAsync(in, host.data(), bytes, hipMemcpyHostToDevice, main));
  OK(hipEventRecord(fork, main));
  OK(hipStreamWaitEvent(side, fork, 0));
  int factor = 3;
  scaleInto<<<(n + 127) / 128, 128, 128 * sizeof(int), main>>>(a, in, factor, n);
  factor = 99; // arguments are copied when the launch is captured
  OK(hipMemsetAsync(b, 0, bytes, side));
  addTo<<<(n + 63) / 64, 64, 0, side>>>(b, 7, n);
  OK(hipEventRecord(join, side));
  OK(hipStreamWaitEvent(main, join, 0));
  joinInto<<<(n + 63) / 64, 64, 0, main>>>(out, a, b, n);
  OK(hipMemcpyAsync(result.data(), out, bytes, hipMemcpyDeviceToHost, main));
#if HIP_VERSION_MAJOR >= 6
  OK(hipLaunchHostFunc(main, count, &calls));
#else
  OK(hipStreamAddCallback(main, countStream, &calls, 0));
#endif
  OK(hipStreamAddCallback(main, countStream, &calls, 0));
  hipStreamCaptureStatus status;
  unsigned long long id = 0;
  OK(hipStreamGetCaptureInfo(side, &status, &id));
  CHECK(status == hipStreamCaptureStatusActive && id > 0);
  hipGraph_t graph, other;
  CHECK(hipStreamEndCapture(side, &other) == hipErrorStreamCaptureUnmatched);
  OK(hipStreamEndCapture(main, &graph));
  OK(hipStreamIsCapturing(main, &status));
  CHECK(status == hipStreamCaptureStatusNone);
  CHECK(result[0] == -1 && calls == 0); // nothing has run

  size_t nodes = 0, roots = 0, edges = 0;
  OK(hipGraphGetNodes(graph, nullptr, &nodes));
  OK(hipGraphGetRootNodes(graph, nullptr, &roots));
  OK(hipGraphGetEdges(graph, nullptr, nullptr, &edges));
  CHECK(nodes == 8 && roots == 1 && edges == 8);
  hipGraphExec_t exec;
  OK(hipGraphInstantiate(&exec, graph, nullptr, nullptr, 0));
  for (int round = 0; round < 3; ++round) {
    for (int i = 0; i < n; ++i)
      host[i] = i * (round + 1);
    OK(hipGraphLaunch(exec, main));
    OK(hipStreamSynchronize(main));
    int wrong = 0;
    for (int i = 0; i < n; ++i)
      wrong += result[i] != host[i] * 3 + factors[i & 1] - 7;
    CHECK(wrong == 0);
  }
  CHECK(calls == 6);

  // Parameters of single nodes: in the graph, in the instance, and all of them
  // by an update.
  std::vector<hipGraphNode_t> all(nodes);
  OK(hipGraphGetNodes(graph, all.data(), &nodes));
  hipGraphNode_t scale = nullptr;
  for (hipGraphNode_t node : all) {
    hipGraphNodeType type;
    OK(hipGraphNodeGetType(node, &type));
    hipKernelNodeParams params;
    // Headers before 5.3 count from 1, libraries from 6 on from 0.
    bool older = MAJOR >= 6 && HIP_VERSION_MAJOR < 6;
    if (int(type) + older != hipGraphNodeTypeKernel)
      continue;
    OK(hipGraphKernelNodeGetParams(node, &params));
    if (params.blockDim.x == 128)
      scale = node;
  }
  hipKernelNodeParams params;
  OK(hipGraphKernelNodeGetParams(scale, &params));
  CHECK(params.gridDim.x == 3 && params.sharedMemBytes == 512);
  CHECK(*static_cast<int *>(params.kernelParams[2]) == 3);
  int five = 5, size = n;
  void *arguments[] = {&a, &in, &five, &size};
  params.kernelParams = arguments;
  OK(hipGraphExecKernelNodeSetParams(exec, scale, &params));
  OK(hipGraphLaunch(exec, main));
  CHECK(result[9] == host[9] * 5 + factors[1] - 7);
  int six = 6;
  arguments[2] = &six;
  OK(hipGraphKernelNodeSetParams(scale, &params));
  OK(hipGraphLaunch(exec, main));
  CHECK(result[9] == host[9] * 5 + factors[1] - 7);
  hipGraphNode_t where;
  hipGraphExecUpdateResult how;
  OK(hipGraphExecUpdate(exec, graph, &where, &how));
  CHECK(how == hipGraphExecUpdateSuccess);
  OK(hipGraphLaunch(exec, main));
  CHECK(result[9] == host[9] * 6 + factors[1] - 7);

  // The graph as a node of another, behind a node that changes its input.
  hipGraph_t outer;
  hipGraphNode_t child, after, hostNode;
  OK(hipGraphCreate(&outer, 0));
  OK(hipGraphAddChildGraphNode(&child, outer, nullptr, 0, graph));
  OK(hipGraphDestroy(graph));
  hipKernelNodeParams add = {};
  int ten = 10;
  void *addArguments[] = {&out, &ten, &size};
  add.func = reinterpret_cast<void *>(addTo);
  add.blockDim = dim3(64);
  add.gridDim = dim3(5);
  add.kernelParams = addArguments;
  OK(hipGraphAddKernelNode(&after, outer, &child, 1, &add));
  hipGraphNode_t copy;
  OK(hipGraphAddMemcpyNode1D(&copy, outer, &after, 1, result.data(), out, bytes,
                             hipMemcpyDeviceToHost));
  hipHostNodeParams call = {count, &calls};
  OK(hipGraphAddHostNode(&hostNode, outer, &copy, 1, &call));
  hipGraphExec_t outerExec;
  OK(hipGraphInstantiate(&outerExec, outer, nullptr, nullptr, 0));
  calls = 0;
  OK(hipGraphLaunch(outerExec, side));
  CHECK(calls == 3 && result[9] == host[9] * 6 + factors[1] - 7 + 10);
  // Of another shape than the instance.
  CHECK(hipGraphExecUpdate(exec, outer, &where, &how) ==
        hipErrorGraphExecUpdateFailure);
  CHECK(how == hipGraphExecUpdateErrorTopologyChanged);
  // A cycle has no order.
  OK(hipGraphAddDependencies(outer, &hostNode, &child, 1));
  hipGraphExec_t none;
  CHECK(hipGraphInstantiate(&none, outer, nullptr, nullptr, 0) ==
        hipErrorInvalidValue);
  OK(hipGraphRemoveDependencies(outer, &hostNode, &child, 1));
  OK(hipGraphExecDestroy(outerExec));
  OK(hipGraphExecDestroy(exec));
  CHECK(hipGraphLaunch(exec, main) == hipErrorInvalidValue);
  OK(hipGraphDestroy(outer));
  CHECK(hipGraphDestroy(outer) == hipErrorInvalidValue);
  for (int *pointer : {in, a, b, out})
    OK(hipFree(pointer));
  OK(hipEventDestroy(fork));
  OK(hipEventDestroy(join));
  OK(hipStreamDestroy(side));
  OK(hipStreamDestroy(main));
}

// Nodes of each kind by hand, out of order.
static void builtByHand() {
  int *x;
  OK(hipMalloc(&x, 64 * 16));
  std::vector<int> rows(64, -1);
  hipGraph_t graph, clone;
  OK(hipGraphCreate(&graph, 0));
  hipGraphNode_t read, fill, inner, empty;
  // Four rows of eight ints, with a pitch of 16.
  hipMemcpy3DParms params = {};
  params.srcPtr = make_hipPitchedPtr(x, 64, 8, 4);
  params.dstPtr = make_hipPitchedPtr(rows.data(), 32, 8, 4);
  params.extent = make_hipExtent(32, 4, 1);
  params.kind = hipMemcpyDeviceToHost;
  OK(hipGraphAddMemcpyNode(&read, graph, nullptr, 0, &params));
  hipMemsetParams memset = {};
  memset.dst = x;
  memset.elementSize = 4;
  memset.value = 0x01020304;
  memset.width = 16;
  memset.height = 4;
  memset.pitch = 64;
  OK(hipGraphAddMemsetNode(&fill, graph, nullptr, 0, &memset));
  memset.dst = x + 16 + 2;
  memset.elementSize = 2;
  memset.value = 0x7777;
  memset.width = 4;
  memset.height = 2;
  OK(hipGraphAddMemsetNode(&inner, graph, &fill, 1, &memset));
  OK(hipGraphAddEmptyNode(&empty, graph, &inner, 1));
  OK(hipGraphAddDependencies(graph, &empty, &read, 1));
  CHECK(hipGraphAddDependencies(graph, &empty, &read, 1) == hipErrorInvalidValue);
  memset.elementSize = 3;
  hipGraphNode_t bad;
  CHECK(hipGraphAddMemsetNode(&bad, graph, nullptr, 0, &memset) ==
        hipErrorInvalidValue);
  CHECK(hipGraphAddKernelNode(&bad, graph, nullptr, 0, nullptr) ==
        hipErrorInvalidValue);
  CHECK(hipGraphMemcpyNodeGetParams(fill, &params) == hipErrorInvalidValue);
  OK(hipGraphClone(&clone, graph));
  hipGraphNode_t readAgain;
  OK(hipGraphNodeFindInClone(&readAgain, read, clone));
  size_t followers = 0, before = 1;
  hipGraphNode_t first;
  OK(hipGraphNodeGetDependentNodes(empty, nullptr, &followers));
  OK(hipGraphNodeGetDependencies(readAgain, &first, &before));
  CHECK(followers == 1 && before == 1 && first != empty);
  OK(hipGraphDestroyNode(inner));
  hipGraphExec_t exec, cloneExec;
  OK(hipGraphInstantiate(&cloneExec, clone, nullptr, nullptr, 0));
  OK(hipGraphLaunch(cloneExec, nullptr));
  CHECK(rows[0] == 0x01020304 && rows[9] == 0x01020304);
  CHECK(rows[8 + 2] == 0x77777777 && rows[16 + 3] == 0x77777777);
  CHECK(rows[8 + 4] == 0x01020304 && rows[24 + 2] == 0x01020304 &&
        rows[32] == -1);
  // Without the node in the middle, whose edges are gone, the order is open.
  OK(hipGraphAddDependencies(graph, &fill, &empty, 1));
  OK(hipGraphInstantiateWithFlags(&exec, graph, 0));
  OK(hipGraphLaunch(exec, hipStreamPerThread));
  CHECK(rows[8 + 2] == 0x01020304);
  OK(hipGraphExecDestroy(exec));
  OK(hipGraphExecDestroy(cloneExec));
  OK(hipGraphDestroy(clone));
  OK(hipGraphDestroy(graph));
  OK(hipFree(x));
}

// What a capture does not take, and what spoils it.
static void refusedInCaptures() {
  hipStream_t stream, other;
  hipEvent_t event;
  hipGraph_t graph;
  void *memory;
  OK(hipStreamCreate(&stream));
  OK(hipStreamCreate(&other));
  OK(hipEventCreate(&event));
  CHECK(hipStreamBeginCapture(nullptr, hipStreamCaptureModeGlobal) ==
        hipErrorStreamCaptureUnsupported);
  CHECK(hipStreamEndCapture(stream, &graph) == hipErrorIllegalState);
  OK(hipStreamBeginCapture(stream, hipStreamCaptureModeGlobal));
  CHECK(hipStreamBeginCapture(stream, hipStreamCaptureModeGlobal) ==
        hipErrorIllegalState);
  // No allocation, unless the thread says that it knows what it does.
  CHECK(hipMalloc(&memory, 4096) == hipErrorStreamCaptureUnsupported);
  hipStreamCaptureMode mode = hipStreamCaptureModeRelaxed;
  OK(hipThreadExchangeStreamCaptureMode(&mode));
  CHECK(mode == hipStreamCaptureModeGlobal);
  OK(hipMalloc(&memory, 4096));
  OK(hipThreadExchangeStreamCaptureMode(&mode));
  CHECK(mode == hipStreamCaptureModeRelaxed);
  OK(hipMemsetAsync(memory, 1, 4096, stream));
  OK(hipEventRecord(event, stream));
  CHECK(hipEventQuery(event) == hipErrorCapturedEvent); // spoils it
  CHECK(hipStreamEndCapture(stream, &graph) ==
        hipErrorStreamCaptureInvalidated);
  CHECK(graph == nullptr);
  OK(hipStreamBeginCapture(stream, hipStreamCaptureModeGlobal));
  CHECK(hipStreamSynchronize(stream) == hipErrorStreamCaptureUnsupported);
  CHECK(hipMemsetAsync(memory, 1, 4096, stream) ==
        hipErrorStreamCaptureInvalidated);
  hipStreamCaptureStatus status;
  OK(hipStreamIsCapturing(stream, &status));
  CHECK(status == hipStreamCaptureStatusInvalidated);
  CHECK(hipStreamEndCapture(stream, &graph) ==
        hipErrorStreamCaptureInvalidated);
  // A stream that joined and did not come back.
  OK(hipStreamBeginCapture(stream, hipStreamCaptureModeRelaxed));
  OK(hipMemsetAsync(memory, 1, 64, stream));
  OK(hipEventRecord(event, stream));
  OK(hipStreamWaitEvent(other, event, 0));
  OK(hipMemsetAsync(memory, 2, 64, other));
  CHECK(hipStreamEndCapture(stream, &graph) == hipErrorStreamCaptureUnjoined);
  // Another thread's capture, ended by this one.
  std::thread([&] {
    OK(hipStreamBeginCapture(stream, hipStreamCaptureModeThreadLocal));
  }).join();
  OK(hipFree(memory)); // that capture is not this thread's business
  CHECK(hipStreamEndCapture(stream, &graph) ==
        hipErrorStreamCaptureWrongThread);
  std::thread([&] { OK(hipStreamEndCapture(stream, &graph)); }).join();
  hipGraphExec_t exec;
  OK(hipGraphInstantiate(&exec, graph, nullptr, nullptr, 0)); // of no nodes
  OK(hipGraphLaunch(exec, stream));
  OK(hipGraphExecDestroy(exec));
  OK(hipGraphDestroy(graph));
  // Waiting for what is not captured.
  OK(hipEventRecord(event, other));
  OK(hipStreamBeginCapture(stream, hipStreamCaptureModeRelaxed));
  CHECK(hipStreamWaitEvent(stream, event, 0) ==
        hipErrorStreamCaptureIsolation);
  CHECK(hipStreamEndCapture(stream, &graph) ==
        hipErrorStreamCaptureInvalidated);
  OK(hipEventDestroy(event));
  OK(hipStreamDestroy(other));
  OK(hipStreamDestroy(stream));
  (void)hipGetLastError();
}

static void pools() {
  hipStream_t stream;
  OK(hipStreamCreate(&stream));
  hipMemPool_t standard, current, own;
  OK(hipDeviceGetDefaultMemPool(&standard, 0));
  OK(hipDeviceGetMemPool(&current, 0));
  CHECK(standard == current);
  uint64_t keep = ~uint64_t(0), value = 1;
  OK(hipMemPoolSetAttribute(standard, hipMemPoolAttrReleaseThreshold, &keep));
  OK(hipMemPoolGetAttribute(standard, hipMemPoolAttrReleaseThreshold, &value));
  CHECK(value == keep);
  int *x, *y;
  std::vector<int> host(n);
  OK(hipMallocAsync(reinterpret_cast<void **>(&x), bytes, stream));
  OK(hipMemsetAsync(x, 0, bytes, stream));
  addTo<<<5, 64, 0, stream>>>(x, 4, n);
  OK(hipMemcpyAsync(host.data(), x, bytes, hipMemcpyDeviceToHost, stream));
  OK(hipMemPoolGetAttribute(standard, hipMemPoolAttrUsedMemCurrent, &value));
  CHECK(value == bytes);
  OK(hipFreeAsync(x, stream));
  CHECK(hipFreeAsync(x, stream) == hipErrorInvalidValue);
  CHECK(hipFreeAsync(nullptr, stream) == hipErrorInvalidValue);
  OK(hipMemPoolGetAttribute(standard, hipMemPoolAttrUsedMemCurrent, &value));
  CHECK(value == 0 && host[n - 1] == 4);
  OK(hipMemPoolGetAttribute(standard, hipMemPoolAttrUsedMemHigh, &value));
  CHECK(value == bytes);
  hipMemPoolProps properties = {};
  CHECK(hipMemPoolCreate(&own, &properties) == hipErrorInvalidValue);
  properties.allocType = hipMemAllocationTypePinned;
  properties.location.type = hipMemLocationTypeDevice;
  OK(hipMemPoolCreate(&own, &properties));
  OK(hipMallocFromPoolAsync(reinterpret_cast<void **>(&y), 1000, own, stream));
  OK(hipMemPoolGetAttribute(own, hipMemPoolAttrUsedMemCurrent, &value));
  CHECK(value == 1000);
  OK(hipDeviceSetMemPool(0, own));
  OK(hipMallocAsync(reinterpret_cast<void **>(&x), 24, stream));
  OK(hipFree(y)); // either way of freeing is right
  OK(hipMemPoolGetAttribute(own, hipMemPoolAttrUsedMemCurrent, &value));
  CHECK(value == 24);
  OK(hipFreeAsync(x, stream));
  OK(hipMemPoolTrimTo(own, 0));
  OK(hipMemPoolDestroy(own));
  CHECK(hipMemPoolDestroy(own) == hipErrorInvalidValue);
  CHECK(hipMemPoolDestroy(standard) == hipErrorInvalidValue);
  CHECK(hipMallocFromPoolAsync(reinterpret_cast<void **>(&y), 8, own, stream) ==
        hipErrorInvalidValue);

  // Allocated, used and freed within a graph, launched twice.
  int *result;
  OK(hipMalloc(&result, bytes));
  OK(hipStreamBeginCapture(stream, hipStreamCaptureModeRelaxed));
  OK(hipMallocAsync(reinterpret_cast<void **>(&x), bytes, stream));
  OK(hipMemsetAsync(x, 0, bytes, stream));
  addTo<<<5, 64, 0, stream>>>(x, 30, n);
  OK(hipMemcpyAsync(result, x, bytes, hipMemcpyDeviceToDevice, stream));
  OK(hipFreeAsync(x, stream));
  hipGraph_t graph;
  OK(hipStreamEndCapture(stream, &graph));
  hipGraphExec_t exec;
  OK(hipGraphInstantiateWithFlags(&exec, graph,
                                  hipGraphInstantiateFlagAutoFreeOnLaunch));
  OK(hipGraphDestroy(graph));
  for (int round = 0; round < 2; ++round) {
    OK(hipMemset(result, 0, bytes));
    OK(hipGraphLaunch(exec, stream));
    OK(hipMemcpy(host.data(), result, bytes, hipMemcpyDeviceToHost));
    CHECK(host[0] == 30 && host[n - 1] == 30);
  }
  OK(hipGraphExecDestroy(exec));
  CHECK(hipMemset(x, 0, 4) == hipErrorInvalidValue); // went with the graph
  OK(hipFree(result));
  OK(hipStreamDestroy(stream));
}

int main() {
  capturedForkAndJoin();
  builtByHand();
  refusedInCaptures();
  pools();
  std::printf(failures ? "%d failed\n" : "all passed\n", failures);
  return failures != 0;
}
