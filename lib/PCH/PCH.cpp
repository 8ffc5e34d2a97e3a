//===- PCH.cpp - Carrier of the shared precompiled header -----------------===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
// Exists so that the precompiled header has a target to belong to.
