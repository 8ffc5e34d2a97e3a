//===- Graph.cpp - Graphs as lists of nodes -------------------------------===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Making, copying, listing and destroying graphs. Nodes know what they come
// after; what comes after a node is searched for when asked. All under one
// mutex: graphs are built by few threads and run outside it.
//
//===----------------------------------------------------------------------===//

#include "DropIn.h"

#include <algorithm>
#include <fstream>

using namespace tlc;
using namespace tlc::sim;
using namespace tlc::hip;

namespace tlc::sim::dropin {

Graphs &graphs() {
  // Never destroyed: static destructors of the program may still ask.
  static Graphs *all = new Graphs();
  return *all;
}

/// A graph of the program's or of a node's.
bool isGraph(const Graph *graph) {
  Graphs &all = graphs();
  std::lock_guard lock(all.mutex);
  if (all.owned.count(const_cast<Graph *>(graph)))
    return true;
  return std::any_of(all.nodes.begin(), all.nodes.end(), [&](const auto &node) {
    const ChildGraph *child = std::get_if<ChildGraph>(&node.first->work);
    return child && child->graph.get() == graph;
  });
}
static bool isNode(const Node *node) { return graphs().nodes.count(node) != 0; }

hipError_t GraphMemory::allocate(size_t size) {
  hipError_t error = entry::hipMalloc(&pointer, size);
  Allocation made;
  if (error || !device().memory.lookup(uint64_t(pointer), made))
    return error ? error : hipErrorInvalidValue;
  bytes = size;
  number = made.number;
  std::lock_guard lock(graphs().mutex);
  graphs().memory[pointer] = this;
  return hipSuccess;
}
void GraphMemory::forget() const {
  device().memory.writtenBytes().unmark(uint64_t(pointer), bytes);
}
GraphMemory::~GraphMemory() {
  std::lock_guard lock(graphs().mutex);
  graphs().memory.erase(pointer);
  // The address may be another allocation's by now.
  Allocation found;
  if (pointer && device().memory.lookup(uint64_t(pointer), found) &&
      found.number == number && !found.freed)
    device().memory.release(found.base);
}

Graph::~Graph() {
  std::lock_guard lock(graphs().mutex);
  for (const std::unique_ptr<Node> &node : nodes)
    graphs().nodes.erase(node.get());
}

Node *Graph::add(NodeKind kind, Work work, std::vector<Node *> after) {
  auto node = std::make_unique<Node>();
  node->kind = kind;
  node->work = std::move(work);
  node->after = std::move(after);
  node->graph = this;
  nodes.push_back(std::move(node));
  graphs().nodes[nodes.back().get()] = this;
  return nodes.back().get();
}

/// Child graphs are copied as well; memory of allocation nodes is shared.
std::unique_ptr<Graph> Graph::clone() const {
  auto result = std::make_unique<Graph>();
  for (const std::unique_ptr<Node> &node : nodes) {
    Node *copy = result->add(node->kind, node->work, {});
    copy->enabled = node->enabled;
    if (auto *child = std::get_if<ChildGraph>(&copy->work))
      child->graph = child->graph->clone();
    if (auto *kernel = std::get_if<KernelWork>(&copy->work))
      kernel->arguments.clear(); // they point into the original
    result->copies[node.get()] = copy;
  }
  for (const std::unique_ptr<Node> &node : nodes)
    for (Node *before : node->after)
      result->copies[node.get()]->after.push_back(result->copies[before]);
  return result;
}

bool Graph::order(std::vector<Node *> &result) const {
  std::map<const Node *, size_t> waitsFor;
  std::map<const Node *, std::vector<Node *>> followers;
  result.clear();
  for (const std::unique_ptr<Node> &node : nodes) {
    waitsFor[node.get()] = node->after.size();
    for (Node *before : node->after)
      followers[before].push_back(node.get());
    if (node->after.empty())
      result.push_back(node.get());
  }
  for (size_t i = 0; i < result.size(); ++i)
    for (Node *next : followers[result[i]])
      if (--waitsFor[next] == 0)
        result.push_back(next);
  return result.size() == nodes.size();
}

//===--- Graphs -----------------------------------------------------------===//

/// Gives the program a graph of its own.
static hipError_t handOut(Graph **handle, std::unique_ptr<Graph> graph) {
  *handle = graph.get();
  graphs().owned[*handle] = std::move(graph);
  return hipSuccess;
}
hipError_t hipGraphCreate(Graph **graph, unsigned flags) {
  if (!graph || flags)
    return hipErrorInvalidValue;
  std::lock_guard lock(graphs().mutex);
  return handOut(graph, std::make_unique<Graph>());
}
hipError_t hipGraphDestroy(Graph *graph) {
  std::lock_guard lock(graphs().mutex);
  return graphs().owned.erase(graph) ? hipSuccess : hipErrorInvalidValue;
}
hipError_t hipGraphClone(Graph **clone, Graph *graph) {
  std::lock_guard lock(graphs().mutex);
  if (!clone || !isGraph(graph))
    return hipErrorInvalidValue;
  return handOut(clone, graph->clone());
}
hipError_t hipGraphNodeFindInClone(Node **node, Node *original, Graph *clone) {
  std::lock_guard lock(graphs().mutex);
  if (!node || !original || !isGraph(clone))
    return hipErrorInvalidValue;
  auto found = clone->copies.find(original);
  if (found == clone->copies.end())
    return hipErrorInvalidValue;
  *node = found->second;
  return hipSuccess;
}

//===--- Lists ------------------------------------------------------------===//

/// The entries that do not exist are null.
static hipError_t list(const std::vector<Node *> &all, Node **nodes,
                       size_t *count) {
  if (!count)
    return hipErrorInvalidValue;
  if (nodes) {
    for (size_t i = 0; i < *count; ++i)
      nodes[i] = i < all.size() ? all[i] : nullptr;
    *count = std::min(*count, all.size());
  } else {
    *count = all.size();
  }
  return hipSuccess;
}
hipError_t hipGraphGetNodes(Graph *graph, Node **nodes, size_t *count) {
  std::lock_guard lock(graphs().mutex);
  if (!isGraph(graph))
    return hipErrorInvalidValue;
  std::vector<Node *> all;
  for (const std::unique_ptr<Node> &node : graph->nodes)
    all.push_back(node.get());
  return list(all, nodes, count);
}
hipError_t hipGraphGetRootNodes(Graph *graph, Node **nodes, size_t *count) {
  std::lock_guard lock(graphs().mutex);
  if (!isGraph(graph))
    return hipErrorInvalidValue;
  std::vector<Node *> roots;
  for (const std::unique_ptr<Node> &node : graph->nodes)
    if (node->after.empty())
      roots.push_back(node.get());
  return list(roots, nodes, count);
}
hipError_t hipGraphGetEdges(Graph *graph, Node **from, Node **to,
                            size_t *count) {
  std::lock_guard lock(graphs().mutex);
  if (!isGraph(graph) || !count || !from != !to)
    return hipErrorInvalidValue;
  std::vector<Node *> begins, ends;
  for (const std::unique_ptr<Node> &node : graph->nodes)
    for (Node *before : node->after) {
      begins.push_back(before);
      ends.push_back(node.get());
    }
  size_t room = *count;
  if (hipError_t error = list(begins, from, &room))
    return error;
  return list(ends, to, count);
}
hipError_t hipGraphNodeGetDependencies(Node *node, Node **nodes,
                                       size_t *count) {
  std::lock_guard lock(graphs().mutex);
  return isNode(node) ? list(node->after, nodes, count) : hipErrorInvalidValue;
}
hipError_t hipGraphNodeGetDependentNodes(Node *node, Node **nodes,
                                         size_t *count) {
  std::lock_guard lock(graphs().mutex);
  if (!isNode(node))
    return hipErrorInvalidValue;
  std::vector<Node *> followers;
  for (const std::unique_ptr<Node> &other : node->graph->nodes)
    if (std::count(other->after.begin(), other->after.end(), node))
      followers.push_back(other.get());
  return list(followers, nodes, count);
}
hipError_t hipGraphNodeGetType(Node *node, int *type) {
  std::lock_guard lock(graphs().mutex);
  if (!isNode(node) || !type)
    return hipErrorInvalidValue;
  // As in the headers of 5.2, which is Debian's 5.
  *type = int(node->kind) + (tlc_hip_major == 5 ? 1 : 0);
  return hipSuccess;
}

//===--- Edges ------------------------------------------------------------===//

/// Both ends of each edge must be nodes of the graph.
static bool areEdges(Graph *graph, Node *const *from, Node *const *to,
                     size_t count) {
  if (!isGraph(graph) || (count && (!from || !to)))
    return false;
  for (size_t i = 0; i < count; ++i)
    if (!isNode(from[i]) || !isNode(to[i]) || from[i]->graph != graph ||
        to[i]->graph != graph || from[i] == to[i])
      return false;
  return true;
}
hipError_t hipGraphAddDependencies(Graph *graph, Node *const *from,
                                   Node *const *to, size_t count) {
  std::lock_guard lock(graphs().mutex);
  if (!areEdges(graph, from, to, count))
    return hipErrorInvalidValue;
  for (size_t i = 0; i < count; ++i) {
    std::vector<Node *> &after = to[i]->after;
    // No edge twice.
    if (std::count(after.begin(), after.end(), from[i]))
      return hipErrorInvalidValue;
    after.push_back(from[i]);
  }
  return hipSuccess;
}
hipError_t hipGraphRemoveDependencies(Graph *graph, Node *const *from,
                                      Node *const *to, size_t count) {
  std::lock_guard lock(graphs().mutex);
  if (!areEdges(graph, from, to, count))
    return hipErrorInvalidValue;
  for (size_t i = 0; i < count; ++i)
    if (!std::erase(to[i]->after, from[i]))
      return hipErrorInvalidValue;
  return hipSuccess;
}
hipError_t hipGraphDestroyNode(Node *node) {
  std::lock_guard lock(graphs().mutex);
  if (!isNode(node))
    return hipErrorInvalidValue;
  Graph &graph = *node->graph;
  for (const std::unique_ptr<Node> &other : graph.nodes)
    std::erase(other->after, node);
  graphs().nodes.erase(node);
  std::erase_if(graph.nodes,
                [&](const auto &each) { return each.get() == node; });
  return hipSuccess;
}

//===--- Text -------------------------------------------------------------===//

static std::string nameOf(const Node &node) {
  switch (node.kind) {
  case NodeKind::Kernel:
    if (const auto *kernel = std::get_if<KernelWork>(&node.work))
      return kernel->launch.function->kernel->name;
    return "kernel";
  case NodeKind::Memcpy:
    return "memcpy";
  case NodeKind::Memset:
    return "memset";
  case NodeKind::Host:
    return "host";
  case NodeKind::Graph:
    return "graph";
  case NodeKind::Empty:
    return "empty";
  case NodeKind::WaitEvent:
    return "wait for event";
  case NodeKind::EventRecord:
    return "record event";
  case NodeKind::MemAlloc:
    return "allocate";
  case NodeKind::MemFree:
    return "free";
  }
  return "";
}
hipError_t hipGraphDebugDotPrint(Graph *graph, const char *path, unsigned) {
  std::lock_guard lock(graphs().mutex);
  if (!path || !isGraph(graph))
    return hipErrorInvalidValue;
  std::ofstream file(path);
  std::map<const Node *, size_t> numbers;
  file << "digraph graph_0 {\n";
  for (const std::unique_ptr<Node> &node : graph->nodes) {
    size_t number = numbers.size();
    numbers[node.get()] = number;
    file << "  n" << number << " [label=\"" << number << "\\n"
         << nameOf(*node) << "\"];\n";
  }
  for (const std::unique_ptr<Node> &node : graph->nodes)
    for (const Node *before : node->after)
      file << "  n" << numbers[before] << " -> n" << numbers[node.get()]
           << ";\n";
  file << "}\n";
  return file.flush() ? hipSuccess : hipErrorOperatingSystem;
}

} // namespace tlc::sim::dropin
