//===- GraphNodes.cpp - What nodes of graphs do ---------------------------===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Nodes of each kind: added, asked for their parameters, given others. One
// function each does it for all kinds; the exported ones say which. Parameters
// are copied when they are given, the values behind a kernel's argument
// pointers too.
//
//===----------------------------------------------------------------------===//

#include "DropIn.h"

#include <cstring>

using namespace tlc;
using namespace tlc::sim;
using namespace tlc::hip;

namespace tlc::sim::dropin {

//===--- Work -------------------------------------------------------------===//

/// A host stub, or a function of a module that is loaded.
static hipFunction_t functionOf(void *named, hipError_t &error) {
  if (hipFunction_t function = findFunction(named, error))
    return function;
  if (error != hipErrorInvalidDeviceFunction)
    return nullptr;
  std::lock_guard lock(device().mutex);
  for (hipModule_t module : device().modules)
    for (const auto &function : module->functions)
      if (function.second.get() == named) {
        error = hipSuccess;
        return function.second.get();
      }
  return nullptr;
}
hipError_t kernelWork(const KernelParams &params, KernelWork &work) {
  hipError_t error;
  PreparedLaunch &launch = work.launch;
  launch.function = functionOf(params.function, error);
  if (!launch.function)
    return error;
  const dim3 &g = params.grid, &b = params.block;
  const unsigned grid[] = {g.x, g.y, g.z}, block[] = {b.x, b.y, b.z};
  std::memcpy(launch.grid, grid, sizeof(grid));
  std::memcpy(launch.block, block, sizeof(block));
  launch.lds = params.lds;
  work.function = params.function;
  return prepareLaunch(launch, params.arguments, params.extra);
}

Copy3D linearCopy(void *to, const void *from, size_t bytes,
                  hipMemcpyKind kind) {
  Copy3D copy = {};
  copy.from = {const_cast<void *>(from), bytes, bytes, 1};
  copy.to = {to, bytes, bytes, 1};
  copy.extent = {bytes, 1, 1};
  copy.kind = kind;
  return copy;
}
/// A copy from or to a variable of the device is one of its address.
static hipError_t symbolCopy(const void *symbol, size_t bytes, size_t offset,
                             void *&address) {
  size_t size = 0;
  if (hipError_t error = findVariable(symbol, &address, &size))
    return error;
  if (offset > size || bytes > size - offset)
    return hipErrorInvalidValue;
  address = static_cast<char *>(address) + offset;
  return hipSuccess;
}

static bool isValid(const Copy3D &copy) {
  return !copy.fromArray && !copy.toArray && copy.from.pointer &&
         copy.to.pointer;
}
static bool isValid(const MemsetParams &params) {
  unsigned size = params.elementSize;
  return params.to && (size == 1 || size == 2 || size == 4) &&
         (params.height <= 1 || params.pitch >= params.width * size);
}
static bool isValid(const HostParams &params) { return params.function; }
static hipError_t workOf(NodeKind, const KernelParams *params, Work &work) {
  KernelWork kernel;
  if (!params)
    return hipErrorInvalidValue;
  hipError_t error = kernelWork(*params, kernel);
  work = std::move(kernel);
  return error;
}
template <typename P>
static hipError_t workOf(NodeKind, const P *params, Work &work) {
  if (!params || !isValid(*params))
    return hipErrorInvalidValue;
  work = *params;
  return hipSuccess;
}
static hipError_t workOf(NodeKind, hipEvent_t event, Work &work) {
  work = EventWork{event};
  return entry::hipEventQuery(event);
}
static hipError_t workOf(NodeKind, Graph *child, Work &work) {
  if (!isGraph(child))
    return hipErrorInvalidValue;
  work = ChildGraph{child->clone()};
  return hipSuccess;
}

static hipError_t addNode(Node **node, Graph *graph, Node *const *after,
                          size_t count, NodeKind kind, Work work) {
  std::lock_guard lock(graphs().mutex);
  if (!node || !isGraph(graph) || (count && !after))
    return hipErrorInvalidValue;
  for (size_t i = 0; i < count; ++i) {
    auto found = graphs().nodes.find(after[i]);
    if (found == graphs().nodes.end() || found->second != graph)
      return hipErrorInvalidValue;
  }
  *node = graph->add(kind, std::move(work), {after, after + count});
  return hipSuccess;
}
template <typename P>
static hipError_t addWith(Node **node, Graph *graph, Node *const *after,
                          size_t count, NodeKind kind, P params) {
  std::lock_guard lock(graphs().mutex);
  Work work;
  if (hipError_t error = workOf(kind, params, work))
    return error;
  return addNode(node, graph, after, count, kind, std::move(work));
}
/// New parameters for a node that has such ones.
template <typename P>
static hipError_t setWork(Node *node, NodeKind kind, P params) {
  std::lock_guard lock(graphs().mutex);
  if (!graphs().nodes.count(node) || node->kind != kind)
    return hipErrorInvalidValue;
  Work work;
  if (hipError_t error = workOf(kind, params, work))
    return error;
  node->work = std::move(work);
  return hipSuccess;
}
/// The same for the copy of a node in an instance.
template <typename P>
static hipError_t setInExec(GraphExec *exec, Node *node, NodeKind kind,
                            P params) {
  std::lock_guard lock(graphs().mutex);
  if (!graphs().instances.count(exec))
    return hipErrorInvalidValue;
  auto copy = exec->graph->copies.find(node);
  return copy == exec->graph->copies.end()
             ? hipErrorInvalidValue
             : setWork(copy->second, kind, params);
}
/// The node's parameters, or null.
template <typename W> static W *workIn(Node *node, NodeKind kind) {
  if (!graphs().nodes.count(node) || node->kind != kind)
    return nullptr;
  return std::get_if<W>(&node->work);
}
template <typename W>
static hipError_t getWork(Node *node, NodeKind kind, W *params) {
  std::lock_guard lock(graphs().mutex);
  W *work = workIn<W>(node, kind);
  if (!work || !params)
    return hipErrorInvalidValue;
  *params = *work;
  return hipSuccess;
}

//===--- Adding -----------------------------------------------------------===//

hipError_t hipGraphAddEmptyNode(Node **node, Graph *graph, Node *const *after,
                                size_t count) {
  return addNode(node, graph, after, count, NodeKind::Empty, {});
}
hipError_t hipGraphAddKernelNode(Node **node, Graph *graph, Node *const *after,
                                 size_t count, const KernelParams *params) {
  return addWith(node, graph, after, count, NodeKind::Kernel, params);
}
hipError_t hipGraphAddMemcpyNode(Node **node, Graph *graph, Node *const *after,
                                 size_t count, const Copy3D *params) {
  return addWith(node, graph, after, count, NodeKind::Memcpy, params);
}
hipError_t hipGraphAddMemcpyNode1D(Node **node, Graph *graph,
                                   Node *const *after, size_t count, void *to,
                                   const void *from, size_t bytes,
                                   hipMemcpyKind kind) {
  Copy3D copy = linearCopy(to, from, bytes, kind);
  return hipGraphAddMemcpyNode(node, graph, after, count, &copy);
}
hipError_t hipGraphAddMemcpyNodeToSymbol(Node **node, Graph *graph,
                                         Node *const *after, size_t count,
                                         const void *symbol, const void *from,
                                         size_t bytes, size_t offset,
                                         hipMemcpyKind kind) {
  void *address = nullptr;
  if (hipError_t error = symbolCopy(symbol, bytes, offset, address))
    return error;
  return hipGraphAddMemcpyNode1D(node, graph, after, count, address, from,
                                 bytes, kind);
}
hipError_t hipGraphAddMemcpyNodeFromSymbol(Node **node, Graph *graph,
                                           Node *const *after, size_t count,
                                           void *to, const void *symbol,
                                           size_t bytes, size_t offset,
                                           hipMemcpyKind kind) {
  void *address = nullptr;
  if (hipError_t error = symbolCopy(symbol, bytes, offset, address))
    return error;
  return hipGraphAddMemcpyNode1D(node, graph, after, count, to, address, bytes,
                                 kind);
}
hipError_t hipGraphAddMemsetNode(Node **node, Graph *graph, Node *const *after,
                                 size_t count, const MemsetParams *params) {
  return addWith(node, graph, after, count, NodeKind::Memset, params);
}
hipError_t hipGraphAddHostNode(Node **node, Graph *graph, Node *const *after,
                               size_t count, const HostParams *params) {
  return addWith(node, graph, after, count, NodeKind::Host, params);
}
hipError_t hipGraphAddChildGraphNode(Node **node, Graph *graph,
                                     Node *const *after, size_t count,
                                     Graph *child) {
  return addWith(node, graph, after, count, NodeKind::Graph, child);
}
hipError_t hipGraphAddEventRecordNode(Node **node, Graph *graph,
                                      Node *const *after, size_t count,
                                      hipEvent_t event) {
  return addWith(node, graph, after, count, NodeKind::EventRecord, event);
}
hipError_t hipGraphAddEventWaitNode(Node **node, Graph *graph,
                                    Node *const *after, size_t count,
                                    hipEvent_t event) {
  return addWith(node, graph, after, count, NodeKind::WaitEvent, event);
}
/// The address is told in \p params.
hipError_t hipGraphAddMemAllocNode(Node **node, Graph *graph,
                                   Node *const *after, size_t count,
                                   AllocationParams *params) {
  if (!params || !params->bytes)
    return hipErrorInvalidValue;
  auto memory = std::make_shared<GraphMemory>();
  if (hipError_t error = memory->allocate(params->bytes))
    return error;
  params->pointer = memory->pointer;
  return addNode(node, graph, after, count, NodeKind::MemAlloc,
                 AllocationWork{memory, *params});
}
hipError_t hipGraphAddMemFreeNode(Node **node, Graph *graph, Node *const *after,
                                  size_t count, void *pointer) {
  if (!pointer)
    return hipErrorInvalidValue;
  return addNode(node, graph, after, count, NodeKind::MemFree,
                 FreeWork{pointer});
}

//===--- Parameters -------------------------------------------------------===//

/// Argument pointers lead into the node and hold as long as its parameters do.
hipError_t hipGraphKernelNodeGetParams(Node *node, KernelParams *params) {
  std::lock_guard lock(graphs().mutex);
  auto *work = workIn<KernelWork>(node, NodeKind::Kernel);
  if (!work || !params)
    return hipErrorInvalidValue;
  PreparedLaunch &launch = work->launch;
  work->arguments.clear();
  for (const KernelArgument &argument : launch.function->kernel->arguments)
    if (!argument.hidden() && argument.offset < launch.arguments.size())
      work->arguments.push_back(launch.arguments.data() + argument.offset);
  const unsigned *g = launch.grid, *b = launch.block;
  *params = {{b[0], b[1], b[2]},     nullptr,
             work->function,         {g[0], g[1], g[2]},
             work->arguments.data(), launch.lds};
  return hipSuccess;
}
hipError_t hipGraphKernelNodeSetParams(Node *node, const KernelParams *params) {
  return setWork(node, NodeKind::Kernel, params);
}
hipError_t hipGraphExecKernelNodeSetParams(GraphExec *exec, Node *node,
                                           const KernelParams *params) {
  return setInExec(exec, node, NodeKind::Kernel, params);
}
hipError_t hipGraphMemcpyNodeGetParams(Node *node, Copy3D *params) {
  return getWork(node, NodeKind::Memcpy, params);
}
hipError_t hipGraphMemcpyNodeSetParams(Node *node, const Copy3D *params) {
  return setWork(node, NodeKind::Memcpy, params);
}
hipError_t hipGraphExecMemcpyNodeSetParams(GraphExec *exec, Node *node,
                                           Copy3D *params) {
  return setInExec<const Copy3D *>(exec, node, NodeKind::Memcpy, params);
}
hipError_t hipGraphMemcpyNodeSetParams1D(Node *node, void *to, const void *from,
                                         size_t bytes, hipMemcpyKind kind) {
  Copy3D copy = linearCopy(to, from, bytes, kind);
  return hipGraphMemcpyNodeSetParams(node, &copy);
}
hipError_t hipGraphExecMemcpyNodeSetParams1D(GraphExec *exec, Node *node,
                                             void *to, const void *from,
                                             size_t bytes, hipMemcpyKind kind) {
  Copy3D copy = linearCopy(to, from, bytes, kind);
  return hipGraphExecMemcpyNodeSetParams(exec, node, &copy);
}
hipError_t hipGraphMemsetNodeGetParams(Node *node, MemsetParams *params) {
  return getWork(node, NodeKind::Memset, params);
}
hipError_t hipGraphMemsetNodeSetParams(Node *node, const MemsetParams *params) {
  return setWork(node, NodeKind::Memset, params);
}
hipError_t hipGraphExecMemsetNodeSetParams(GraphExec *exec, Node *node,
                                           const MemsetParams *params) {
  return setInExec(exec, node, NodeKind::Memset, params);
}
hipError_t hipGraphHostNodeGetParams(Node *node, HostParams *params) {
  return getWork(node, NodeKind::Host, params);
}
hipError_t hipGraphHostNodeSetParams(Node *node, const HostParams *params) {
  return setWork(node, NodeKind::Host, params);
}
hipError_t hipGraphExecHostNodeSetParams(GraphExec *exec, Node *node,
                                         const HostParams *params) {
  return setInExec(exec, node, NodeKind::Host, params);
}
/// The child belongs to the node and may be changed.
hipError_t hipGraphChildGraphNodeGetGraph(Node *node, Graph **child) {
  std::lock_guard lock(graphs().mutex);
  auto *work = workIn<ChildGraph>(node, NodeKind::Graph);
  if (!work || !child)
    return hipErrorInvalidValue;
  *child = work->graph.get();
  return hipSuccess;
}
hipError_t hipGraphExecChildGraphNodeSetParams(GraphExec *exec, Node *node,
                                               Graph *child) {
  return setInExec(exec, node, NodeKind::Graph, child);
}
static hipError_t getEvent(Node *node, NodeKind kind, hipEvent_t *event) {
  std::lock_guard lock(graphs().mutex);
  auto *work = workIn<EventWork>(node, kind);
  if (!work || !event)
    return hipErrorInvalidValue;
  *event = work->event;
  return hipSuccess;
}
hipError_t hipGraphEventRecordNodeGetEvent(Node *node, hipEvent_t *event) {
  return getEvent(node, NodeKind::EventRecord, event);
}
hipError_t hipGraphEventRecordNodeSetEvent(Node *node, hipEvent_t event) {
  return setWork(node, NodeKind::EventRecord, event);
}
hipError_t hipGraphExecEventRecordNodeSetEvent(GraphExec *exec, Node *node,
                                               hipEvent_t event) {
  return setInExec(exec, node, NodeKind::EventRecord, event);
}
hipError_t hipGraphEventWaitNodeGetEvent(Node *node, hipEvent_t *event) {
  return getEvent(node, NodeKind::WaitEvent, event);
}
hipError_t hipGraphEventWaitNodeSetEvent(Node *node, hipEvent_t event) {
  return setWork(node, NodeKind::WaitEvent, event);
}
hipError_t hipGraphExecEventWaitNodeSetEvent(GraphExec *exec, Node *node,
                                             hipEvent_t event) {
  return setInExec(exec, node, NodeKind::WaitEvent, event);
}
hipError_t hipGraphMemAllocNodeGetParams(Node *node, AllocationParams *params) {
  std::lock_guard lock(graphs().mutex);
  auto *work = workIn<AllocationWork>(node, NodeKind::MemAlloc);
  if (!work || !params)
    return hipErrorInvalidValue;
  *params = work->params;
  return hipSuccess;
}
/// \p pointer is a void **.
hipError_t hipGraphMemFreeNodeGetParams(Node *node, void *pointer) {
  std::lock_guard lock(graphs().mutex);
  auto *work = workIn<FreeWork>(node, NodeKind::MemFree);
  if (!work || !pointer)
    return hipErrorInvalidValue;
  std::memcpy(pointer, &work->pointer, sizeof(void *));
  return hipSuccess;
}

} // namespace tlc::sim::dropin
