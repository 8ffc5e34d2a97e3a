//===- Passes.td - Passes on the tile dialect -*- tablegen -*-===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In the order in which the compiler runs them. Each is described, with its
// algorithm and an example, at the head of its file.
//
//===----------------------------------------------------------------------===//

#ifndef TLC_DIALECT_TILE_TRANSFORMS_PASSES_TD
#define TLC_DIALECT_TILE_TRANSFORMS_PASSES_TD

include "mlir/Pass/PassBase.td"

class TilePass<string flag> : Pass<flag, "::tlc::tile::FuncOp"> {
  let dependentDialects = ["::tlc::tile::TileDialect"];
}

def TileVerifyTarget : TilePass<"tile-verify-target"> {
  let summary = "Refuse what gfx942 cannot do, at the place in the source";
}

def TileLegalize : TilePass<"tile-legalize"> {
  let summary = "Whole wavefronts, unrolled marked loops, folded views, no dead buffers";
}

def TileOpenGuards : TilePass<"tile-open-guards"> {
  let summary = "Access tensors without the conditions that their bounds imply";
}

def TileSpreadReducers : TilePass<"tile-spread-reducers"> {
  let summary = "Combine what points of a loop add to one element in registers and lanes";
}

def TileOrderWorkgroups : TilePass<"tile-order-workgroups"> {
  let summary = "Let workgroups that share data meet in one L2, the longest first";
}

def TilePadColumns : TilePass<"tile-pad-columns"> {
  let summary = "Columns that let chained products take 32 x 32 instructions";
}

def TilePromoteOperands : TilePass<"tile-promote-operands"> {
  let summary = "Keep in registers what need not go through LDS";
}

def TileSplitMasks : TilePass<"tile-split-masks"> {
  let summary = "Cut loops where their masks begin to bite";
}

def TileMergeSteps : TilePass<"tile-merge-steps"> {
  let summary = "One step of several, where a step reads parts of lines of memory";
  let options = [
    Option<"ldsBytes", "lds-bytes", "int64_t", "65536", "LDS of a compute unit">
  ];
}

def TilePipeline : TilePass<"tile-pipeline"> {
  let summary = "Prefetch the next step's tiles into registers, double-buffer LDS where it fits";
  let options = [
    Option<"ldsBytes", "lds-bytes", "int64_t", "65536", "LDS of a workgroup">
  ];
}

def TileInferLayouts : TilePass<"tile-infer-layouts"> {
  let summary = "Decide which thread and register holds each element of each fragment";
}

def TileFitRegisters : TilePass<"tile-fit-registers"> {
  let summary = "Refuse fragments that the registers of a lane cannot hold";
}

def TileSwizzleLDS : TilePass<"tile-swizzle-lds"> {
  let summary = "Lay shared buffers out in LDS without bank conflicts";
}

def TileCoalesceStores : TilePass<"tile-coalesce-stores"> {
  let summary = "Results leave registers through LDS, so that lanes write whole lines";
}

def TileFitLDS : TilePass<"tile-fit-lds"> {
  let summary = "Give shared buffers their place in LDS, reusing dead ranges";
  let options = [
    Option<"ldsBytes", "lds-bytes", "int64_t", "65536", "LDS of a workgroup">
  ];
}

def TileInsertSync : TilePass<"tile-insert-sync"> {
  let summary = "Order accesses of different threads to the same memory by barriers";
}

#endif // TLC_DIALECT_TILE_TRANSFORMS_PASSES_TD
