//===- CoverageTests.cpp - What the simulator can execute -----------------===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every opcode that the decoder knows is executed, but for a list of those that
// no compiler for compute emits and whose meaning is not public in full; and
// the tests of this program do execute it, by which they compare its result
// with the host's.
//
//===----------------------------------------------------------------------===//

#include "Assembler.h"
#include "Lanes/Handlers.h"

#include <gtest/gtest.h>

#include <set>

using namespace tlc::sim;

namespace {

using O = Opcode;

const std::set<Opcode> refused = {
    // Privileged: trap handlers.
    O::s_rfe_b64,
    O::s_rfe_restore_b64,
    // Scalar accesses to swizzled scratch.
    O::s_scratch_load_dword,
    O::s_scratch_load_dwordx2,
    O::s_scratch_load_dwordx4,
    O::s_scratch_store_dword,
    O::s_scratch_store_dwordx2,
    O::s_scratch_store_dwordx4,
    // Screen tiling.
    O::v_screen_partition_4se_b32,
};

TEST(Coverage, EveryOpcodeIsExecutedOrListed) {
  const HandlerTable &table = handlerTable();
  for (size_t i = 1; i < static_cast<size_t>(Opcode::Count); ++i) {
    const Handler &handler = table.rows[i];
    bool executed = handler.run || handler.lanes;
    bool listed = refused.count(static_cast<Opcode>(i)) != 0;
    EXPECT_NE(executed, listed) << mnemonic(static_cast<Opcode>(i));
  }
}

// They end a run, which then counts nothing; FaultTests has them.
const std::set<Opcode> endsTheRun = {O::s_sethalt, O::s_sendmsghalt};

/// Looks at what was executed once all tests have run, none left out.
class EveryOpcodeIsTested : public ::testing::Environment {
  void TearDown() override {
    const ::testing::UnitTest &test = *::testing::UnitTest::GetInstance();
    if (test.test_to_run_count() != test.total_test_count() ||
        !tlc::test::hasAssembler())
      return;
    std::string missing;
    for (size_t i = 1; i < static_cast<size_t>(Opcode::Count); ++i) {
      Opcode op = static_cast<Opcode>(i);
      if (!refused.count(op) && !endsTheRun.count(op) &&
          !tlc::test::executedMnemonics().count(mnemonic(op)))
        missing += std::string(" ") + mnemonic(op);
    }
    EXPECT_EQ(missing, "") << "no test executes these";
  }
};
const ::testing::Environment *const everyOpcodeIsTested =
    ::testing::AddGlobalTestEnvironment(new EveryOpcodeIsTested());

} // namespace
