//===- Messages.h - What a kernel prints, as it lies in memory --*- C++ -*-===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The argument `tlc_messages` is an int32 tensor of kMessagesSize words, zero
// before the launch. Word 0 counts the messages; message n, if it is below
// kMessageCapacity, has its words from 1 + n * kMessageWords on:
//   0  its number in the func's array attribute `tile.messages`
//   1  the workgroup, x fastest      2  the thread, or -1: the workgroup's
//   3  the element of a buffer, row-major, or -1
//   4  MessageType                   5, 6  the value: i64 or f64 bits, low first
//
//===----------------------------------------------------------------------===//

#ifndef TLC_DIALECT_TILE_TRANSFORMS_MESSAGES_H
#define TLC_DIALECT_TILE_TRANSFORMS_MESSAGES_H

#include "tlc/Dialect/Tile/IR/TileDialect.h"

namespace tlc::tile {

inline constexpr llvm::StringLiteral kMessagesName = "tlc_messages";
/// On a func: the texts; those of assertions begin with '!'.
inline constexpr llvm::StringLiteral kMessagesAttr = "tile.messages";
/// On a tile.print or tile.assert: the index of its text.
inline constexpr llvm::StringLiteral kMessageAttr = "tile.message";
inline constexpr int64_t kMessageWords = 8, kMessageCapacity = 1023;
inline constexpr int64_t kMessagesSize = 1 + kMessageWords * kMessageCapacity;
enum class MessageType : int32_t { None = 0, Integer = 1, Float = 2 };

/// Replaces prints and assertions by writes to `tlc_messages`.
mlir::LogicalResult lowerMessages(KernelOp kernel);

} // namespace tlc::tile

#endif // TLC_DIALECT_TILE_TRANSFORMS_MESSAGES_H
