//===- tlc.cpp - The tlc command line ---------------------------*- C++ -*-===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tlc/Driver/Driver.h"

int main(int argc, char **argv) { return tlc::runTlc(argc, argv); }
