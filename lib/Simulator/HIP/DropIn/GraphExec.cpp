//===- GraphExec.cpp - Instances of graphs and their launches -------------===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An instance is a copy of the graph with its nodes in an order that honours
// the dependencies. A launch does what the nodes say, one after the other, and
// is complete when it returns. The first error ends it and is returned.
//
//===----------------------------------------------------------------------===//

#include "Capture.h"

#include <algorithm>

using namespace tlc;
using namespace tlc::sim;
using namespace tlc::hip;

namespace tlc::sim::dropin {

//===--- Running ----------------------------------------------------------===//

namespace {

/// Does a node's work; what is not written here does nothing.
struct Runner {
  const Node &node;
  hipStream_t stream;

  hipError_t operator()(std::monostate) const { return hipSuccess; }
  hipError_t operator()(const KernelWork &work) const {
    return runPrepared(work.launch);
  }
  hipError_t operator()(const Copy3D &copy) const { return hipMemcpy3D(&copy); }
  hipError_t operator()(const MemsetParams &p) const {
    // A single row has no pitch.
    size_t pitch = p.height > 1 ? p.pitch : p.width * p.elementSize;
    switch (p.elementSize) {
    case 1:
      return hipMemsetD2D8(p.to, pitch, uint8_t(p.value), p.width, p.height);
    case 2:
      return hipMemsetD2D16(p.to, pitch, uint16_t(p.value), p.width, p.height);
    }
    return hipMemsetD2D32(p.to, pitch, p.value, p.width, p.height);
  }
  hipError_t operator()(const HostParams &host) const {
    host.function(host.data);
    return hipSuccess;
  }
  hipError_t operator()(const ChildGraph &child) const {
    std::vector<Node *> order;
    return child.graph->order(order) ? runNodes(order, stream)
                                     : hipErrorInvalidValue;
  }
  /// All that an event could wait for is done.
  hipError_t operator()(const EventWork &work) const {
    return node.kind == NodeKind::EventRecord
               ? entry::hipEventRecord(work.event, stream)
               : hipSuccess;
  }
  hipError_t operator()(const AllocationWork &work) const {
    work.memory->forget();
    return hipSuccess;
  }
  /// Memory of a graph stays where it is, for the next launch.
  hipError_t operator()(const FreeWork &work) const {
    std::lock_guard lock(graphs().mutex);
    auto own = graphs().memory.find(work.pointer);
    if (own == graphs().memory.end())
      return hipFreeAsync(work.pointer, nullptr);
    own->second->forget();
    return hipSuccess;
  }
  hipError_t operator()(const Call &call) const { return call(stream); }
};

} // namespace

hipError_t runNodes(const std::vector<Node *> &order, hipStream_t stream) {
  for (const Node *node : order)
    if (node->enabled)
      if (hipError_t error = std::visit(Runner{*node, stream}, node->work))
        return error;
  return hipSuccess;
}

hipError_t hipGraphLaunch(GraphExec *exec, hipStream_t stream) {
  std::shared_ptr<GraphExec> held;
  {
    std::lock_guard lock(graphs().mutex);
    auto found = graphs().instances.find(exec);
    if (found == graphs().instances.end())
      return hipErrorInvalidValue;
    if (!device().isStream(stream))
      return hipErrorContextIsDestroyed;
    held = found->second;
    // Into a capture it goes as a node.
    if (capturing(stream))
      return captureWork(stream, NodeKind::Graph,
                         ChildGraph{held->graph->clone()});
  }
  return runNodes(held->order, stream);
}
hipError_t hipGraphLaunch_spt(GraphExec *exec, hipStream_t stream) {
  return hipGraphLaunch(exec, stream);
}
/// There is nothing to be sent ahead.
hipError_t hipGraphUpload(GraphExec *exec, hipStream_t stream) {
  std::lock_guard lock(graphs().mutex);
  return graphs().instances.count(exec) && device().isStream(stream)
             ? hipSuccess
             : hipErrorInvalidValue;
}

//===--- Instances --------------------------------------------------------===//

/// A child of which no order exists spoils the whole.
static bool hasOrder(const Graph &graph) {
  std::vector<Node *> order;
  if (!graph.order(order))
    return false;
  return std::all_of(order.begin(), order.end(), [](const Node *node) {
    const auto *child = std::get_if<ChildGraph>(&node->work);
    return !child || hasOrder(*child->graph);
  });
}
hipError_t hipGraphInstantiateWithFlags(GraphExec **exec, Graph *graph,
                                        unsigned long long flags) {
  constexpr unsigned long long known = 15;
  std::lock_guard lock(graphs().mutex);
  if (!exec || !isGraph(graph) || (flags & ~known) || !hasOrder(*graph))
    return hipErrorInvalidValue;
  auto made = std::make_shared<GraphExec>();
  made->graph = graph->clone();
  made->graph->order(made->order);
  made->flags = flags;
  *exec = made.get();
  graphs().instances[*exec] = std::move(made);
  return hipSuccess;
}
/// The log stays empty; the error has no node.
hipError_t hipGraphInstantiate(GraphExec **exec, Graph *graph, Node **error,
                               char *log, size_t bytes) {
  if (error)
    *error = nullptr;
  if (log && bytes)
    *log = 0;
  return hipGraphInstantiateWithFlags(exec, graph, 0);
}
hipError_t hipGraphInstantiateWithParams(GraphExec **exec, Graph *graph,
                                         InstantiateParams *params) {
  if (!params)
    return hipErrorInvalidValue;
  constexpr int success = 0, failed = 1;
  hipError_t error = hipGraphInstantiateWithFlags(exec, graph, params->flags);
  params->error = nullptr;
  params->result = error ? failed : success;
  return error;
}
hipError_t hipGraphExecDestroy(GraphExec *exec) {
  std::lock_guard lock(graphs().mutex);
  return graphs().instances.erase(exec) ? hipSuccess : hipErrorInvalidValue;
}
hipError_t hipGraphExecGetFlags(GraphExec *exec, unsigned long long *flags) {
  std::lock_guard lock(graphs().mutex);
  if (!flags || !graphs().instances.count(exec))
    return hipErrorInvalidValue;
  *flags = exec->flags;
  return hipSuccess;
}
/// The copy of a node in an instance, or null.
static Node *copyIn(GraphExec *exec, Node *node) {
  if (!graphs().instances.count(exec))
    return nullptr;
  auto copy = exec->graph->copies.find(node);
  return copy == exec->graph->copies.end() ? nullptr : copy->second;
}
/// Kernels, copies and fills can be switched off.
hipError_t hipGraphNodeSetEnabled(GraphExec *exec, Node *node, unsigned on) {
  std::lock_guard lock(graphs().mutex);
  Node *copy = copyIn(exec, node);
  if (!copy || copy->kind > NodeKind::Memset)
    return hipErrorInvalidValue;
  copy->enabled = on != 0;
  return hipSuccess;
}
hipError_t hipGraphNodeGetEnabled(GraphExec *exec, Node *node, unsigned *on) {
  std::lock_guard lock(graphs().mutex);
  Node *copy = copyIn(exec, node);
  if (!copy || !on)
    return hipErrorInvalidValue;
  *on = copy->enabled;
  return hipSuccess;
}

/// Numbers of hipGraphExecUpdateResult.
enum class UpdateResult { Success, Error, TopologyChanged, NodeTypeChanged };

/// Where the graphs differ in shape, nodes taken in the order of their making.
static UpdateResult compare(const Graph &have, const Graph &other,
                            Node *&where) {
  where = nullptr;
  if (have.nodes.size() != other.nodes.size())
    return UpdateResult::TopologyChanged;
  std::map<const Node *, size_t> numbers;
  for (size_t i = 0; i < have.nodes.size(); ++i) {
    numbers[have.nodes[i].get()] = i;
    numbers[other.nodes[i].get()] = i;
  }
  auto numbersOf = [&](const Node &node) {
    std::vector<size_t> list;
    for (const Node *before : node.after)
      list.push_back(numbers[before]);
    std::sort(list.begin(), list.end());
    return list;
  };
  for (size_t i = 0; i < have.nodes.size(); ++i) {
    where = other.nodes[i].get();
    if (have.nodes[i]->kind != where->kind)
      return UpdateResult::NodeTypeChanged;
    if (numbersOf(*have.nodes[i]) != numbersOf(*where))
      return UpdateResult::TopologyChanged;
    const auto *mine = std::get_if<ChildGraph>(&have.nodes[i]->work);
    const auto *theirs = std::get_if<ChildGraph>(&where->work);
    if (mine && theirs) {
      Node *inside;
      UpdateResult result = compare(*mine->graph, *theirs->graph, inside);
      if (result != UpdateResult::Success)
        return result;
    }
  }
  where = nullptr;
  return UpdateResult::Success;
}
hipError_t hipGraphExecUpdate(GraphExec *exec, Graph *graph, Node **error,
                              int *result) {
  std::lock_guard lock(graphs().mutex);
  if (!graphs().instances.count(exec) || !isGraph(graph))
    return hipErrorInvalidValue;
  Node *where = nullptr;
  UpdateResult found = compare(*exec->graph, *graph, where);
  if (error)
    *error = where;
  if (result)
    *result = int(found);
  if (found != UpdateResult::Success)
    return hipErrorGraphExecUpdateFailure;
  // A copy's work replaces the instance's; whoever asks by nodes of the new
  // graph or of the first one finds the same.
  std::unique_ptr<Graph> copy = graph->clone();
  for (size_t i = 0; i < copy->nodes.size(); ++i) {
    Node *mine = exec->graph->nodes[i].get();
    mine->work = std::move(copy->nodes[i]->work);
    exec->graph->copies[graph->nodes[i].get()] = mine;
  }
  return hipSuccess;
}

} // namespace tlc::sim::dropin
