//===- KernelLowering.h - State of the conversion of one kernel -*- C++ -*-===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See TileToWave.cpp for the algorithm.
//
//===----------------------------------------------------------------------===//

#ifndef TLC_LIB_CONVERSION_TILETOWAVE_KERNELLOWERING_H
#define TLC_LIB_CONVERSION_TILETOWAVE_KERNELLOWERING_H

#include "mlir/IR/IRMapping.h"
#include "tlc/Dialect/Tile/Transforms/GemmLayouts.h"
#include "tlc/Dialect/Tile/Transforms/Ranges.h"
#include "tlc/Dialect/Tile/Transforms/TileAccess.h"
#include "tlc/Dialect/Wave/IR/WaveDialect.h"
#include "llvm/ADT/MapVector.h"
#include <set>

namespace tlc {

/// What a thread holds of a fragment or local buffer, as SSA values: `chunk`
/// registers to a vector, or its elements one by one, whichever was written
/// last; the other form is made when asked for.
class Registers {
public:
  Registers() = default;
  Registers(mlir::Type element, int64_t count, int64_t chunk)
      : element(element), chunk(chunk), elements(count),
        vectors(count / chunk) {}

  int64_t size() const { return elements.size(); }
  int64_t numChunks() const { return vectors.size(); }
  int64_t chunkSize() const { return chunk; }
  mlir::Type getElementType() const { return element; }
  mlir::Type getChunkType() const;

  /// Register r, alone; a register never written is zero.
  mlir::Value get(mlir::OpBuilder &b, mlir::Location loc, int64_t r);
  /// Takes the chunk of r apart if it was a vector.
  void set(mlir::OpBuilder &b, mlir::Location loc, int64_t r, mlir::Value v);
  /// Chunk c as a vector, put together if it was written register by register.
  mlir::Value getChunk(mlir::OpBuilder &b, mlir::Location loc, int64_t c);
  void setChunk(int64_t c, mlir::Value v);

private:
  mlir::Type element;
  int64_t chunk = 1;
  llvm::SmallVector<mlir::Value> elements, vectors;
};

using tile::Interval;

/// The points of a loop as each thread sees them: point[d] = threadPart[d][t] +
/// registerPart[d][r].
struct PointMap {
  Layout layout;
  llvm::SmallVector<int64_t> extents;
  std::vector<llvm::SmallVector<int64_t>> threadPart, registerPart;
  int64_t registers = 0, threads = 0;

  /// Whether the layout has positions beyond the extents: some threads or
  /// registers then hold no point.
  bool isPadded(unsigned d) const { return layout.covered(d) > extents[d]; }
  /// Coordinate d of the point in register r of thread t.
  int64_t at(unsigned d, int64_t t, int64_t r) const {
    return threadPart[d][t] + registerPart[d][r];
  }
};

/// Registers that one instruction moves: consecutive elements in memory.
struct AccessGroup {
  llvm::SmallVector<int64_t, 8> registers; ///< in memory order
  mlir::Value address; ///< i32 bytes: LDS address or voffset
  mlir::Value soffset; ///< i32 bytes, uniform, or null
  int64_t offset = 0;  ///< immediate, bytes
  mlir::Value valid;   ///< i1: whether the access happens; null: always
  /// Loads that may end with a row: i1, whether this one does not. If it does,
  /// it begins `early` bytes before its registers' elements. Null: none does.
  mlir::Value whole;
  int64_t early = 0;
};

/// How the registers of a loop reach a buffer.
struct AccessPlan {
  bool lds = false;
  mlir::Value resource; ///< global only
  mlir::TypedAttr pad;  ///< what lanes that are not `valid` read, or null: 0
  /// What the schedule may know of an LDS access: wave::kLdsAttr, kSlotAttr.
  llvm::SmallVector<mlir::NamedAttribute> facts;
  std::vector<AccessGroup> groups;
  /// Global: 64-byte segments that the first wavefront's instructions touch,
  /// and how many its bytes would fill.
  int64_t segments = 0, filled = 0;
};

/// Offset of lanes that must not access: outside every resource.
inline constexpr int64_t kOutside = -(int64_t(1) << 31);
/// Bytes that a resource may span so that every offset within it is positive in
/// 32 bits and kOutside lies beyond.
inline constexpr int64_t kResourceLimit = 0x7ffffff0;

inline int64_t elementBytes(mlir::Value buffer) {
  return std::max<int64_t>(
      1,
      mlir::cast<mlir::MemRefType>(buffer.getType()).getElementTypeBitWidth() /
          8);
}

/// An index where `thread` holds register `reg`, without its uniform part.
inline int64_t rawIndex(const tile::PointIndex &index, const PointMap &points,
                        int64_t thread, int64_t reg) {
  int64_t v = index.constant;
  for (auto [p, c] : llvm::enumerate(index.coeffs))
    if (c)
      v += c * points.at(p, thread, reg);
  return v;
}

/// What the index of register `reg` leaves when divided by `count`, without its
/// uniform part, or -1 where threads differ. Points that do not exist do not
/// count.
int64_t remainderOf(const tile::PointIndex &index, const PointMap &points,
                    int64_t reg, int64_t count);

/// A tensor in global memory, or an alias of one: constants, or values of the
/// tile program where they are ShapedType::kDynamic.
struct TensorShape {
  llvm::SmallVector<int64_t> sizes, strides; ///< in elements
  llvm::SmallVector<mlir::Value> sizeValues, strideValues;
  mlir::Value pointer; ///< of the tile program
  mlir::TypedAttr pad; ///< of the element type, or null: 0
  /// Bytes from the first to the end of the last element, or -1: unknown, or
  /// some stride is negative.
  int64_t bytes = -1;
};

/// The shape of what `buffer` is in global memory; an error at `loc` where it
/// cannot be told.
mlir::FailureOr<TensorShape> getTensorShape(mlir::Value buffer,
                                            mlir::Location loc);

/// What changes nothing in a reduction (Reduce.cpp).
mlir::TypedAttr reductionIdentity(mlir::OpBuilder &b, tile::ReduceKind kind,
                                  mlir::Type type);

class KernelLowering {
public:
  KernelLowering(tile::KernelOp kernel, mlir::OpBuilder &builder)
      : kernel(kernel), b(builder), ranges(kernel) {}

  /// Builds the wave.kernel in front of the builder's place; failure, with an
  /// error, leaves it half built.
  mlir::FailureOr<wave::KernelOp> run();

private:
  using Value = mlir::Value;
  using Location = mlir::Location;

  // TileToWave.cpp: structure and control flow.
  mlir::LogicalResult lowerBlock(mlir::Block &block);
  mlir::LogicalResult lowerOp(mlir::Operation *op);
  mlir::LogicalResult lowerFor(mlir::scf::ForOp op);
  mlir::LogicalResult lowerIf(mlir::scf::IfOp op);
  mlir::LogicalResult lowerWhile(mlir::scf::WhileOp op);
  llvm::SmallVector<Value> writtenBuffers(llvm::ArrayRef<mlir::Region *>);
  llvm::SmallVector<Value> packState(llvm::ArrayRef<Value> buffers,
                                     Location loc);
  void unpackState(llvm::ArrayRef<Value> buffers, mlir::ValueRange values);

  // BlockIndices.cpp: where the workgroup is in the grid.
  mlir::FailureOr<llvm::SmallVector<Value>> blockIndices();

  // Values.cpp: small values, proofs about scalars.
  Value constant(Location loc, int64_t value);
  Value lookup(Value v) { return map.lookup(v); }
  Value threadId();
  Value digitsOfThread(const Layout &layout);
  Value threadPart(const PointMap &points, unsigned d);
  Value pointValue(const PointMap &points, unsigned d, int64_t r, Location loc);
  Value isOwner(const PointMap &points);
  Value andAlso(Location loc, Value a, Value b);
  Value toI32(Value v, Location loc);
  llvm::SmallVector<Value> runtimeStrides(const TensorShape &s, Location loc);
  void assertReach(const TensorShape &s, llvm::ArrayRef<int64_t> elements,
                   int64_t bytes, int64_t limit, Location loc);
  Value cast(Value v, mlir::Type to, Location loc);
  Value zero(mlir::Type type, Location loc);
  /// What is proved of an integer of the tile program: bounds, and a number
  /// that divides it (1: nothing).
  Interval rangeOf(Value tileValue);
  int64_t divisorOf(Value tileValue);
  PointMap getPointMap(const Layout &layout, llvm::ArrayRef<int64_t> extents);
  Registers &registersOf(Value buffer);
  std::pair<int64_t, Value>
  registerIndex(Value buffer, mlir::ValueRange indices, Location loc);
  bool perThread();

  // Addresses.cpp, GlobalAddresses.cpp, RowEnds.cpp: where elements are.
  mlir::FailureOr<AccessPlan> plan(const tile::Access &access,
                                   const PointMap &points, Location loc,
                                   bool store);
  mlir::FailureOr<AccessPlan> planLds(const tile::Access &access,
                                      const PointMap &points, Location loc,
                                      bool store);
  mlir::FailureOr<AccessPlan> planGlobal(const tile::Access &access,
                                         const PointMap &points, Location loc,
                                         bool store);
  Value layoutAddress(const Layout &layout, llvm::ArrayRef<Value> index,
                      Location loc);
  Layout ldsLayoutOf(Value buffer);
  int64_t ldsOffsetOf(Value buffer);
  Value dropEarly(const AccessGroup &group, Value v, Location loc);
  llvm::SmallVector<Value> load(const AccessPlan &plan, int64_t registers,
                                mlir::Type element, Location loc);
  /// Moves the builder to where what depends on a pointer alone belongs.
  void setAfterPointer(Value pointer) {
    if (mlir::Operation *op = pointer.getDefiningOp())
      b.setInsertionPointAfter(op);
    else
      b.setInsertionPoint(anchor);
  }
  void warnIfSlow(const AccessPlan &plan, Value buffer, bool store,
                  Location loc);
  Value splat(mlir::Attribute element, mlir::Type type, Location loc);
  void store(const AccessPlan &plan, llvm::ArrayRef<Value> values,
             Location loc);

  // Scalars.cpp: single elements at any index.
  struct ElementAddress {
    Value resource, voffset; ///< global through a resource
    Value pointer, bytes;    ///< global, 64-bit
    Value lds;               ///< LDS address
    Value valid;             ///< null: always
    mlir::TypedAttr pad;     ///< what reads outside give, or null: 0
  };
  bool neverNegative(Value v, unsigned depth = 16);
  mlir::FailureOr<ElementAddress>
  elementAddress(mlir::Operation *op, Value buffer, mlir::ValueRange indices);
  mlir::LogicalResult lowerLoad(tile::LoadOp op);
  mlir::LogicalResult lowerStore(tile::StoreOp op);
  mlir::LogicalResult lowerAtomic(tile::AtomicOp op);
  void guarded(Value condition, Location loc, llvm::function_ref<void()> body);

  // TileOps.cpp: copies, fills, loops over points; Gemm.cpp; Reduce.cpp;
  // Scan.cpp.
  mlir::LogicalResult lowerCopy(tile::CopyOp op);
  mlir::LogicalResult storeThrough(tile::CopyOp op, const tile::Access &dst,
                                   const Layout &loop,
                                   llvm::ArrayRef<Value> values);
  mlir::LogicalResult lowerFill(tile::FillOp op);
  mlir::LogicalResult lowerParallel(tile::ParallelOp op);
  mlir::LogicalResult lowerGemm(tile::GemmOp op);
  mlir::LogicalResult lowerReduce(tile::ReduceOp op);
  mlir::LogicalResult lowerScan(tile::ScanOp op);
  Value combine(tile::ReduceKind kind, Value a, Value b, Location loc);
  mlir::FailureOr<llvm::SmallVector<int64_t>>
  slotsOf(mlir::Operation *op, const tile::Access &access, const Layout &loop);
  Value broadcast(const tile::Access &access, const Layout &loop);

  tile::KernelOp kernel;
  mlir::OpBuilder &b;
  wave::KernelOp out;
  mlir::Operation *anchor = nullptr; ///< invariants are created before it
  mlir::IRMapping map;
  llvm::DenseMap<Value, Registers> state;
  int64_t threads = 0;
  llvm::DenseSet<std::pair<void *, Value>> warned; ///< place and buffer
  std::optional<bool> simt;
  bool propagateNaN = false; ///< in the reduction being converted
  Value tid;
  tile::Ranges ranges;
  llvm::SmallVector<std::pair<Layout::Digits, Value>> digitParts;
  llvm::DenseMap<Value, Value> fullResources;
  /// Tensors and distances that assertReach() has asked about.
  std::set<std::pair<void *, llvm::SmallVector<int64_t>>> asserted;

  /// While a parallel's body is expanded for one register.
  struct PointContext {
    const PointMap *points;
    int64_t reg;
    llvm::DenseMap<mlir::Operation *, llvm::SmallVector<int64_t>> slots;
    llvm::DenseMap<mlir::Operation *, llvm::SmallVector<Value>> loaded;
    llvm::DenseMap<mlir::Operation *, llvm::SmallVector<Value>> deferred;
    Value valid; ///< whether the point exists in this thread; null: always
    Value owner; ///< whether this thread is the first holder; null: always
    /// Only owners of points that exist read what the loop writes.
    bool ownersRead = false;
  };
  PointContext *point = nullptr;
};

} // namespace tlc

#endif // TLC_LIB_CONVERSION_TILETOWAVE_KERNELLOWERING_H
