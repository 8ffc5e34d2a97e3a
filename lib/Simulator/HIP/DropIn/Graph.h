//===- Graph.h - Graphs, captures, memory pools -----------------*- C++ -*-===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A graph is a list of nodes, each with the nodes that it comes after and what
// it does when it runs. An instance of it is a copy, in an order that honours
// the dependencies; launching runs that order on the calling thread. Graphs are
// built node by node (Graph.cpp, GraphNodes.cpp) or by capturing streams
// (Capture.cpp), where calls add nodes instead of taking effect.
//
// Structures are HIP's; sizes are from the headers of HIP 7.2.
//
//===----------------------------------------------------------------------===//

#ifndef TLC_LIB_SIMULATOR_HIP_DROPIN_GRAPH_H
#define TLC_LIB_SIMULATOR_HIP_DROPIN_GRAPH_H

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <variant>
#include <vector>

namespace tlc::sim::dropin {

struct KernelParams { ///< hipKernelNodeParams
  dim3 block;
  void **extra;
  void *function; ///< host stub or hipFunction_t
  dim3 grid;
  void **arguments;
  unsigned lds;
};
static_assert(sizeof(KernelParams) == 64);
struct MemsetParams { ///< hipMemsetParams; width in elements, pitch in bytes
  void *to;
  unsigned elementSize;
  size_t height, pitch;
  unsigned value;
  size_t width;
};
static_assert(sizeof(MemsetParams) == 48);
struct HostParams { ///< hipHostNodeParams
  void (*function)(void *);
  void *data;
};
struct PoolProperties { ///< hipMemPoolProps
  int allocationType, handleTypes;
  MemoryLocation location;
  void *security;
  size_t maxBytes; ///< 0: no limit of its own
  char reserved[56];
};
static_assert(sizeof(PoolProperties) == 88);
struct AccessDescription { ///< hipMemAccessDesc
  MemoryLocation location;
  int flags;
};
struct AllocationParams { ///< hipMemAllocNodeParams
  PoolProperties pool;
  const AccessDescription *access;
  size_t accessCount, bytes;
  void *pointer;
};
static_assert(sizeof(AllocationParams) == 120);
struct InstantiateParams { ///< hipGraphInstantiateParams
  struct Node *error;
  unsigned long long flags;
  int result;
  hipStream_t upload;
};

/// Numbers of hipGraphNodeType as of HIP 5.3; before they began at 1.
enum class NodeKind {
  Kernel,
  Memcpy,
  Memset,
  Host,
  Graph,
  Empty,
  WaitEvent,
  EventRecord,
  MemAlloc = 10,
  MemFree = 11,
};

/// Memory of an allocation node: there from the node's making, so that its
/// address can be used in other nodes, until no graph has the node any more.
struct GraphMemory {
  void *pointer = nullptr;
  size_t bytes = 0;
  uint32_t number = 0; ///< of the allocation: the program may have freed it
  hipError_t allocate(size_t size);
  /// What it holds counts as never written.
  void forget() const;
  ~GraphMemory();
};

// What nodes do.
struct KernelWork {
  PreparedLaunch launch;
  void *function = nullptr;      ///< as the program named it
  std::vector<void *> arguments; ///< for questions: into `launch.arguments`
};
struct ChildGraph {
  std::shared_ptr<struct Graph> graph; ///< never shared between nodes
};
struct EventWork {
  hipEvent_t event;
};
struct AllocationWork {
  std::shared_ptr<GraphMemory> memory;
  AllocationParams params;
};
struct FreeWork {
  void *pointer;
};
/// A captured call that has no parameters to ask for; gets the stream of the
/// launch.
using Call = std::function<hipError_t(hipStream_t)>;
using Work =
    std::variant<std::monostate, KernelWork, Copy3D, MemsetParams, HostParams,
                 ChildGraph, EventWork, AllocationWork, FreeWork, Call>;

struct Node {
  NodeKind kind = NodeKind::Empty;
  Work work;
  std::vector<Node *> after;
  struct Graph *graph = nullptr;
  bool enabled = true;
};

struct Graph {
  std::vector<std::unique_ptr<Node>> nodes; ///< in the order of their making
  /// In a copy: the nodes by those they were copied from.
  std::map<const Node *, Node *> copies;

  ~Graph();
  Node *add(NodeKind kind, Work work, std::vector<Node *> after);
  std::unique_ptr<Graph> clone() const;
  /// All nodes, each behind those it comes after; false if they form a cycle.
  bool order(std::vector<Node *> &result) const;
};

/// What hipGraphInstantiate makes.
struct GraphExec {
  std::unique_ptr<Graph> graph;
  std::vector<Node *> order;
  unsigned long long flags = 0;
};

/// Handles come from the program and may be anything: these sets say which are
/// alive. The mutex guards all graphs and captures.
struct Graphs {
  std::recursive_mutex mutex;
  std::map<Graph *, std::unique_ptr<Graph>> owned;
  std::map<GraphExec *, std::shared_ptr<GraphExec>> instances;
  std::map<const Node *, Graph *> nodes; ///< of all graphs, children included
  std::map<void *, GraphMemory *> memory;
};
Graphs &graphs();
bool isGraph(const Graph *graph);

/// Runs a graph's nodes in this order; the first error ends it.
hipError_t runNodes(const std::vector<Node *> &order, hipStream_t stream);
/// The work of a kernel launch; \p function is a host stub or a hipFunction_t.
hipError_t kernelWork(const KernelParams &params, KernelWork &work);
/// A copy of one dimension.
Copy3D linearCopy(void *to, const void *from, size_t bytes, hipMemcpyKind kind);

// Graph.cpp
hipError_t hipGraphCreate(Graph **graph, unsigned flags);
hipError_t hipGraphDestroy(Graph *graph);
hipError_t hipGraphClone(Graph **clone, Graph *graph);
hipError_t hipGraphNodeFindInClone(Node **node, Node *original, Graph *clone);
/// Lists fill \p count entries and set \p count to their number; without a
/// list, to the number of all.
hipError_t hipGraphGetNodes(Graph *graph, Node **nodes, size_t *count);
hipError_t hipGraphGetRootNodes(Graph *graph, Node **nodes, size_t *count);
hipError_t hipGraphGetEdges(Graph *graph, Node **from, Node **to,
                            size_t *count);
hipError_t hipGraphNodeGetDependencies(Node *node, Node **nodes, size_t *count);
hipError_t hipGraphNodeGetDependentNodes(Node *node, Node **nodes,
                                         size_t *count);
hipError_t hipGraphNodeGetType(Node *node, int *type);
hipError_t hipGraphAddDependencies(Graph *graph, Node *const *from,
                                   Node *const *to, size_t count);
hipError_t hipGraphRemoveDependencies(Graph *graph, Node *const *from,
                                      Node *const *to, size_t count);
hipError_t hipGraphDestroyNode(Node *node);
/// Writes the graph in the language of Graphviz.
hipError_t hipGraphDebugDotPrint(Graph *graph, const char *path,
                                 unsigned flags);

// GraphExec.cpp
hipError_t hipGraphInstantiate(GraphExec **exec, Graph *graph, Node **error,
                               char *log, size_t bytes);
hipError_t hipGraphInstantiateWithFlags(GraphExec **exec, Graph *graph,
                                        unsigned long long flags);
hipError_t hipGraphInstantiateWithParams(GraphExec **exec, Graph *graph,
                                         InstantiateParams *params);
hipError_t hipGraphExecDestroy(GraphExec *exec);
hipError_t hipGraphExecGetFlags(GraphExec *exec, unsigned long long *flags);
hipError_t hipGraphUpload(GraphExec *exec, hipStream_t stream);
hipError_t hipGraphLaunch(GraphExec *exec, hipStream_t stream);
hipError_t hipGraphLaunch_spt(GraphExec *exec, hipStream_t stream);
/// Takes over the parameters of a graph of the same shape.
hipError_t hipGraphExecUpdate(GraphExec *exec, Graph *graph, Node **error,
                              int *result);
/// Nodes of an instance are named by those of the graph it was made of.
hipError_t hipGraphNodeSetEnabled(GraphExec *exec, Node *node, unsigned on);
hipError_t hipGraphNodeGetEnabled(GraphExec *exec, Node *node, unsigned *on);
hipError_t hipGraphExecKernelNodeSetParams(GraphExec *exec, Node *node,
                                           const KernelParams *params);
hipError_t hipGraphExecMemcpyNodeSetParams(GraphExec *exec, Node *node,
                                           Copy3D *params);
hipError_t hipGraphExecMemcpyNodeSetParams1D(GraphExec *exec, Node *node,
                                             void *to, const void *from,
                                             size_t bytes, hipMemcpyKind kind);
hipError_t hipGraphExecMemsetNodeSetParams(GraphExec *exec, Node *node,
                                           const MemsetParams *params);
hipError_t hipGraphExecHostNodeSetParams(GraphExec *exec, Node *node,
                                         const HostParams *params);
hipError_t hipGraphExecChildGraphNodeSetParams(GraphExec *exec, Node *node,
                                               Graph *child);
hipError_t hipGraphExecEventRecordNodeSetEvent(GraphExec *exec, Node *node,
                                               hipEvent_t event);
hipError_t hipGraphExecEventWaitNodeSetEvent(GraphExec *exec, Node *node,
                                             hipEvent_t event);

// GraphNodes.cpp
hipError_t hipGraphAddEmptyNode(Node **node, Graph *graph, Node *const *after,
                                size_t count);
hipError_t hipGraphAddKernelNode(Node **node, Graph *graph, Node *const *after,
                                 size_t count, const KernelParams *params);
hipError_t hipGraphAddMemcpyNode(Node **node, Graph *graph, Node *const *after,
                                 size_t count, const Copy3D *params);
hipError_t hipGraphAddMemcpyNode1D(Node **node, Graph *graph,
                                   Node *const *after, size_t count, void *to,
                                   const void *from, size_t bytes,
                                   hipMemcpyKind kind);
hipError_t hipGraphAddMemcpyNodeToSymbol(Node **node, Graph *graph,
                                         Node *const *after, size_t count,
                                         const void *symbol, const void *from,
                                         size_t bytes, size_t offset,
                                         hipMemcpyKind kind);
hipError_t hipGraphAddMemcpyNodeFromSymbol(Node **node, Graph *graph,
                                           Node *const *after, size_t count,
                                           void *to, const void *symbol,
                                           size_t bytes, size_t offset,
                                           hipMemcpyKind kind);
hipError_t hipGraphAddMemsetNode(Node **node, Graph *graph, Node *const *after,
                                 size_t count, const MemsetParams *params);
hipError_t hipGraphAddHostNode(Node **node, Graph *graph, Node *const *after,
                               size_t count, const HostParams *params);
hipError_t hipGraphAddChildGraphNode(Node **node, Graph *graph,
                                     Node *const *after, size_t count,
                                     Graph *child);
hipError_t hipGraphAddEventRecordNode(Node **node, Graph *graph,
                                      Node *const *after, size_t count,
                                      hipEvent_t event);
hipError_t hipGraphAddEventWaitNode(Node **node, Graph *graph,
                                    Node *const *after, size_t count,
                                    hipEvent_t event);
hipError_t hipGraphAddMemAllocNode(Node **node, Graph *graph,
                                   Node *const *after, size_t count,
                                   AllocationParams *params);
hipError_t hipGraphAddMemFreeNode(Node **node, Graph *graph, Node *const *after,
                                  size_t count, void *pointer);
hipError_t hipGraphKernelNodeGetParams(Node *node, KernelParams *params);
hipError_t hipGraphKernelNodeSetParams(Node *node, const KernelParams *params);
hipError_t hipGraphMemcpyNodeGetParams(Node *node, Copy3D *params);
hipError_t hipGraphMemcpyNodeSetParams(Node *node, const Copy3D *params);
hipError_t hipGraphMemcpyNodeSetParams1D(Node *node, void *to, const void *from,
                                         size_t bytes, hipMemcpyKind kind);
hipError_t hipGraphMemsetNodeGetParams(Node *node, MemsetParams *params);
hipError_t hipGraphMemsetNodeSetParams(Node *node, const MemsetParams *params);
hipError_t hipGraphHostNodeGetParams(Node *node, HostParams *params);
hipError_t hipGraphHostNodeSetParams(Node *node, const HostParams *params);
hipError_t hipGraphChildGraphNodeGetGraph(Node *node, Graph **child);
hipError_t hipGraphEventRecordNodeGetEvent(Node *node, hipEvent_t *event);
hipError_t hipGraphEventRecordNodeSetEvent(Node *node, hipEvent_t event);
hipError_t hipGraphEventWaitNodeGetEvent(Node *node, hipEvent_t *event);
hipError_t hipGraphEventWaitNodeSetEvent(Node *node, hipEvent_t event);
hipError_t hipGraphMemAllocNodeGetParams(Node *node, AllocationParams *params);
hipError_t hipGraphMemFreeNodeGetParams(Node *node, void *pointer);

// Capture.cpp
/// \p mode: 0 global, 1 this thread, 2 relaxed.
hipError_t hipStreamBeginCapture(hipStream_t stream, int mode);
hipError_t hipStreamBeginCapture_spt(hipStream_t stream, int mode);
hipError_t hipStreamBeginCaptureToGraph(hipStream_t stream, Graph *graph,
                                        Node *const *after, const void *edges,
                                        size_t count, int mode);
hipError_t hipStreamEndCapture(hipStream_t stream, Graph **graph);
hipError_t hipStreamEndCapture_spt(hipStream_t stream, Graph **graph);
/// Status: 0 none, 1 active, 2 invalidated.
hipError_t hipStreamIsCapturing(hipStream_t stream, int *status);
hipError_t hipStreamIsCapturing_spt(hipStream_t stream, int *status);
hipError_t hipStreamGetCaptureInfo(hipStream_t stream, int *status,
                                   unsigned long long *id);
hipError_t hipStreamGetCaptureInfo_spt(hipStream_t stream, int *status,
                                       unsigned long long *id);
hipError_t hipStreamGetCaptureInfo_v2(hipStream_t stream, int *status,
                                      unsigned long long *id, Graph **graph,
                                      Node *const **after, size_t *count);
hipError_t hipStreamGetCaptureInfo_v2_spt(hipStream_t stream, int *status,
                                          unsigned long long *id, Graph **graph,
                                          Node *const **after, size_t *count);
/// \p flags: 0 adds to the nodes that the next one comes after, 1 sets them.
hipError_t hipStreamUpdateCaptureDependencies(hipStream_t stream,
                                              Node *const *after, size_t count,
                                              unsigned flags);
/// Exchanges the mode of the calling thread.
hipError_t hipThreadExchangeStreamCaptureMode(int *mode);
/// Those of the table, with captures in mind. Flag 1 of the second and the
/// third: the event itself becomes a node.
hipError_t hipEventRecord(hipEvent_t event, hipStream_t stream);
hipError_t hipEventRecordWithFlags(hipEvent_t event, hipStream_t stream,
                                   unsigned flags);
hipError_t hipStreamWaitEvent(hipStream_t stream, hipEvent_t event,
                              unsigned flags);
hipError_t hipEventRecord_spt(hipEvent_t event, hipStream_t stream);
hipError_t hipStreamWaitEvent_spt(hipStream_t stream, hipEvent_t event,
                                  unsigned flags);
hipError_t hipEventQuery(hipEvent_t event);
hipError_t hipEventSynchronize(hipEvent_t event);
hipError_t hipEventDestroy(hipEvent_t event);

// Pools.cpp
/// Memory pools. Memory of a pool is memory of hipMalloc that the pool counts;
/// what is freed goes back at once.
struct Pool;
hipError_t hipDeviceGetDefaultMemPool(Pool **pool, int device);
hipError_t hipDeviceGetMemPool(Pool **pool, int device);
hipError_t hipDeviceSetMemPool(int device, Pool *pool);
hipError_t hipMemPoolCreate(Pool **pool, const PoolProperties *properties);
hipError_t hipMemPoolDestroy(Pool *pool);
hipError_t hipMemPoolTrimTo(Pool *pool, size_t bytes);
/// Attributes 1 to 3 are an int, 4 to 8 a uint64_t.
hipError_t hipMemPoolSetAttribute(Pool *pool, int attribute, void *value);
hipError_t hipMemPoolGetAttribute(Pool *pool, int attribute, void *value);
hipError_t hipMemPoolSetAccess(Pool *pool, const AccessDescription *access,
                               size_t count);
hipError_t hipMemPoolGetAccess(int *flags, Pool *pool, MemoryLocation *where);
hipError_t hipMallocAsync(void **pointer, size_t bytes, hipStream_t stream);
hipError_t hipMallocFromPoolAsync(void **pointer, size_t bytes, Pool *pool,
                                  hipStream_t stream);
hipError_t hipFreeAsync(void *pointer, hipStream_t stream);

} // namespace tlc::sim::dropin

#endif // TLC_LIB_SIMULATOR_HIP_DROPIN_GRAPH_H
