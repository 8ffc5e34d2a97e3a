//===- CodeGeneratorTest.cpp - From the wave dialect to a code object -----===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Compiles hand-written wave programs and looks at the assembly and the object.
// TLC_SHOW_ASM=1 prints the assembly.
//
//===----------------------------------------------------------------------===//

#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "tlc/Conversion/WaveToROCDL.h"
#include "tlc/Dialect/Wave/IR/WaveDialect.h"
#include "tlc/Target/AMDGPU.h"
#include "llvm/Object/ELFObjectFile.h"
#include "gtest/gtest.h"
#include <cstdlib>
#include <regex>

using namespace tlc::target;
using llvm::StringRef;

namespace {

class CodeGeneratorTest : public ::testing::Test {
protected:
  /// A kernel around `body`; %a, %b, %c are pointers, %n an i32.
  static std::string kernel(StringRef body, int threads = 256, int lds = 0) {
    return ("wave.kernel @k(%a: !wave.ptr {tile.role = \"in\"}, %b: !wave.ptr "
            "{tile.role = \"in\"}, %c: !wave.ptr {tile.role = \"out\"}, "
            "%n: i32) attributes {threads = " +
            llvm::Twine(threads) + " : i64, lds_bytes = " + llvm::Twine(lds) +
            " : i64} {\n" + body + "\n wave.return\n}\n")
        .str();
  }

  std::unique_ptr<CodeGenerator> generate(const std::string &source,
                                          const Contract *contract = nullptr) {
    context.loadDialect<tlc::wave::WaveDialect>();
    registerTranslations(context);
    auto module = mlir::parseSourceString<mlir::ModuleOp>(source, &context);
    if (!module) {
      ADD_FAILURE() << "the program does not parse";
      return nullptr;
    }
    mlir::PassManager passes(&context);
    passes.addPass(tlc::createExpandWaveMath());
    passes.addPass(tlc::createConvertWaveToROCDL());
    if (failed(passes.run(*module))) {
      ADD_FAILURE() << "conversion failed";
      return nullptr;
    }
    auto generator = CodeGenerator::create();
    if (!generator) {
      ADD_FAILURE() << llvm::toString(generator.takeError());
      return nullptr;
    }
    llvm::Error error = (*generator)->translate(*module, contract);
    if (!error)
      error = (*generator)->optimize();
    if (error) {
      ADD_FAILURE() << llvm::toString(std::move(error));
      return nullptr;
    }
    return std::move(*generator);
  }

  std::string assembly(const std::string &source) {
    auto generator = generate(source);
    if (!generator)
      return "";
    llvm::Expected<std::string> text = generator->emitAssembly();
    if (!text) {
      ADD_FAILURE() << llvm::toString(text.takeError());
      return "";
    }
    if (std::getenv("TLC_SHOW_ASM"))
      llvm::outs() << *text;
    return *text;
  }

  static int count(const std::string &text, const char *pattern) {
    std::regex regex(pattern);
    return std::distance(std::sregex_iterator(text.begin(), text.end(), regex),
                         std::sregex_iterator());
  }

  mlir::MLIRContext context{mlir::MLIRContext::Threading::DISABLED};
};

const char *kVectorAdd = R"(
  %c256 = arith.constant 256 : i32
  %c4 = arith.constant 4 : i32
  %t = wave.thread_id
  %blk = wave.block_id 0
  %base = arith.muli %blk, %c256 : i32
  %i = arith.addi %base, %t : i32
  %off = arith.muli %i, %c4 : i32
  %bytes = arith.muli %n, %c4 : i32
  %ra = wave.resource %a, %bytes : i32
  %rb = wave.resource %b, %bytes : i32
  %rc = wave.resource %c, %bytes : i32
  %x = wave.buffer_load %ra[%off] : f32
  %y = wave.buffer_load %rb[%off] {offset = 64 : i64} : f32
  %z = arith.addf %x, %y : f32
  wave.buffer_store %z, %rc[%off] : f32)";

TEST_F(CodeGeneratorTest, VectorAdd) {
  std::string text = assembly(kernel(kVectorAdd));
  EXPECT_EQ(count(text, "buffer_load_dword v"), 2);
  EXPECT_EQ(count(text, "buffer_load_dword v.* offen offset:64"), 1);
  EXPECT_EQ(count(text, "buffer_store_dword v"), 1);
  EXPECT_EQ(count(text, "saveexec"), 0) << "resources are uniform";
  EXPECT_EQ(count(text, "private_segment_fixed_size: 0"), 1);
}

TEST_F(CodeGeneratorTest, ResourcesNeverLoopOverLanes) {
  // A clamp of a uniform value is v_med3; a 64-bit size has no scalar minimum.
  std::string text = assembly(kernel(R"(
    %c0 = arith.constant 0 : i32
    %c128 = arith.constant 128 : i32
    %c10 = arith.constant 10 : i32
    %wide = arith.constant 123456789 : i64
    %t = wave.thread_id
    %min = arith.minsi %n, %c128 : i32
    %max = arith.maxsi %min, %c0 : i32
    %bytes = arith.shli %max, %c10 : i32
    %n64 = arith.extui %n : i32 to i64
    %big = arith.muli %n64, %wide : i64
    %ra = wave.resource %a, %bytes : i32
    %rc = wave.resource %c, %big : i64
    %x = wave.buffer_load %ra[%t] : f32
    wave.buffer_store %x, %rc[%t] : f32)"));
  EXPECT_EQ(count(text, "s_cbranch|saveexec"), 0) << text;
}

TEST_F(CodeGeneratorTest, NoHiddenArguments) {
  std::string text = assembly(kernel(kVectorAdd));
  EXPECT_EQ(count(text, "hidden_"), 0);
  EXPECT_EQ(count(text, "\\.kernarg_segment_size: 28"), 1);
}

TEST_F(CodeGeneratorTest, LdsAndBarrierKeepLoadsInFlight) {
  // A load is in flight over the barrier; only LDS may be waited for.
  std::string text = assembly(kernel(R"(
    %c16 = arith.constant 16 : i32
    %c4080 = arith.constant 4080 : i32
    %t = wave.thread_id
    %off = arith.muli %t, %c16 : i32
    %bytes = arith.constant 65536 : i32
    %ra = wave.resource %a, %bytes : i32
    %rc = wave.resource %c, %bytes : i32
    %x = wave.buffer_load %ra[%off] : vector<8xf16>
    %next = wave.buffer_load %ra[%off] {offset = 2048 : i64} : vector<8xf16>
    wave.lds_store %x, %off : vector<8xf16>
    wave.barrier
    %other = arith.subi %c4080, %off : i32
    %y = wave.lds_load %other : vector<8xf16>
    %z = arith.addf %y, %next : vector<8xf16>
    wave.buffer_store %z, %rc[%off] : vector<8xf16>)",
                                     256, 4096));
  size_t barrier = text.find("s_barrier");
  ASSERT_NE(barrier, std::string::npos);
  EXPECT_EQ(count(text.substr(0, barrier), "vmcnt\\(0\\)"), 0) << text;
  EXPECT_EQ(count(text, "ds_write_b128"), 1);
  EXPECT_EQ(count(text, "ds_read_b128"), 1);
}

TEST_F(CodeGeneratorTest, ShufflesAreDpp) {
  std::string text = assembly(kernel(R"(
    %c4 = arith.constant 4 : i32
    %t = wave.thread_id
    %off = arith.muli %t, %c4 : i32
    %x = wave.global_load %a[%off : i32] : f32
    %1 = wave.shuffle_xor %x, 1 : f32
    %m1 = arith.maxnumf %x, %1 : f32
    %8 = wave.shuffle_xor %m1, 8 : f32
    %m8 = arith.maxnumf %m1, %8 : f32
    %16 = wave.shuffle_xor %m8, 16 : f32
    %m16 = arith.maxnumf %m8, %16 : f32
    wave.global_store %m16, %c[%off : i32] : f32)"));
  EXPECT_EQ(count(text, "v_max_f32_dpp .*quad_perm:\\[1,0,3,2\\]"), 1) << text;
  EXPECT_EQ(count(text, "v_max_f32_dpp .*row_ror:8"), 1);
  EXPECT_EQ(count(text, "ds_swizzle_b32 .*swizzle\\(SWAP,16\\)"), 1);
  EXPECT_EQ(count(text, "v_max_f32"), 3) << "no canonicalising";
}

TEST_F(CodeGeneratorTest, MathNeedsNoLibrary) {
  std::string text = assembly(kernel(R"(
    %c4 = arith.constant 4 : i32
    %t = wave.thread_id
    %off = arith.muli %t, %c4 : i32
    %x = wave.global_load %a[%off : i32] : f32
    %1 = math.exp %x : f32
    %2 = math.log %1 : f32
    %3 = math.tanh %2 : f32
    %4 = math.erf %3 : f32
    %5 = math.sin %4 : f32
    %6 = math.cos %5 : f32
    %7 = math.powf %6, %x : f32
    %8 = math.rsqrt %7 : f32
    %9 = math.sqrt %8 : f32
    %10 = math.log2 %9 : f32
    %11 = math.atan2 %10, %x : f32
    %12 = math.exp2 %11 : f32
    %13 = arith.truncf %12 : f32 to bf16
    %14 = math.floor %13 : bf16
    %15 = math.tanh %14 : bf16
    %16 = arith.truncf %12 : f32 to f8E4M3FN
    %17 = arith.extf %16 : f8E4M3FN to f32
    %18 = arith.truncf %17 : f32 to f8E5M2FNUZ
    %19 = arith.extf %18 : f8E5M2FNUZ to f32
    %20 = arith.extf %15 : bf16 to f32
    %21 = arith.remf %20, %19 : f32
    wave.global_store %21, %c[%off : i32] : f32)"));
  EXPECT_EQ(count(text, "s_swappc|s_call|@gotpcrel"), 0);
  EXPECT_GE(count(text, "v_exp_f32"), 1);
}

const char *kBf16 = R"(
    %c16 = arith.constant 16 : i32
    %t = wave.thread_id
    %off = arith.muli %t, %c16 : i32
    %x = wave.global_load %a[%off : i32] {align = 16 : i64} : vector<4xf32>
    %y = arith.truncf %x fastmath<nnan> : vector<4xf32> to vector<4xbf16>
    wave.global_store %y, %c[%off : i32] {align = 8 : i64} : vector<4xbf16>)";

TEST_F(CodeGeneratorTest, Bf16RoundingIsFiveOpsAPair) {
  std::string text = assembly(kernel(kBf16));
  EXPECT_EQ(count(text, "v_bfe_u32"), 4);
  EXPECT_EQ(count(text, "v_add3_u32"), 4);
  EXPECT_EQ(count(text, "v_perm_b32"), 2);
  EXPECT_EQ(count(text, "v_cmp|v_cndmask"), 0);
}

TEST_F(CodeGeneratorTest, LinkedObjectHasMetadataAndContract) {
  Contract contract;
  contract.program = "vadd";
  contract.target = "gfx942";
  Expr n = Expr::argument(3);
  for (const char *name : {"A", "B \"quoted\\\"", "C"})
    contract.arguments.push_back(
        {name, "float32", Role::In, {n}, {Expr::constant(1)}, 16});
  contract.arguments.push_back({"n", "int32", Role::Dim});
  contract.kernels.push_back(
      {"k",
       {Expr::make(Expr::Op::CeilDiv, {n, Expr::constant(256)}),
        Expr::constant(1), Expr::constant(1)},
       {256, 1, 1}});
  auto generator = generate(kernel(kVectorAdd, 256, 512), &contract);
  ASSERT_TRUE(generator);
  llvm::Expected<std::string> object = generator->emitObject();
  ASSERT_TRUE(bool(object)) << llvm::toString(object.takeError());
  for (int round = 0; round != 2; ++round) { // lld must run repeatedly
    llvm::Expected<std::string> linked = createLldLinker()->link(*object);
    ASSERT_TRUE(bool(linked)) << llvm::toString(linked.takeError());

    auto resources = readResources(*linked);
    ASSERT_TRUE(bool(resources)) << llvm::toString(resources.takeError());
    ASSERT_EQ(resources->size(), 1u);
    EXPECT_EQ((*resources)[0].name, "k");
    EXPECT_EQ((*resources)[0].threads, 256u);
    EXPECT_EQ((*resources)[0].scratchBytes, 0u);
    EXPECT_GT((*resources)[0].vgprs, 0u);
    EXPECT_EQ((*resources)[0].wavesPerSimd(), 8u);

    auto back = Contract::fromObject(llvm::MemoryBufferRef(*linked, "k"));
    ASSERT_TRUE(bool(back)) << llvm::toString(back.takeError());
    EXPECT_EQ(back->toJSON(), contract.toJSON());
    EXPECT_NE(linked->find("float32*"), std::string::npos) << "type_name";

    auto file = llvm::object::ObjectFile::createELFObjectFile(
        llvm::MemoryBufferRef(*linked, "k"));
    ASSERT_TRUE(bool(file)) << llvm::toString(file.takeError());
    for (const auto &section : (*file)->sections())
      if (llvm::cantFail(section.getName()) == Contract::kSection)
        EXPECT_FALSE(llvm::object::ELFSectionRef(section).getFlags() &
                     llvm::ELF::SHF_ALLOC);
  }
}

TEST_F(CodeGeneratorTest, MissingComgrIsAnError) {
  auto linker = createComgrLinker("/nonexistent/libamd_comgr.so.2");
  ASSERT_FALSE(bool(linker));
  EXPECT_NE(llvm::toString(linker.takeError()).find("comgr cannot be opened"),
            std::string::npos);
}

TEST_F(CodeGeneratorTest, ComgrLinksWhatLldLinks) {
  auto linker = createComgrLinker();
  if (!linker) {
    llvm::consumeError(linker.takeError());
    GTEST_SKIP() << "no ROCm comgr here";
  }
  auto generator = generate(kernel(kVectorAdd));
  ASSERT_TRUE(generator);
  std::string object = llvm::cantFail(generator->emitObject());
  llvm::Expected<std::string> linked = (*linker)->link(object);
  if (!linked) {
    // ROCm 5 refuses the target; anything else is a fault.
    std::string message = llvm::toString(linked.takeError());
    ASSERT_NE(message.find("does not know gfx942"), std::string::npos)
        << message;
    GTEST_SKIP() << message;
  }
  auto resources = readResources(*linked);
  ASSERT_TRUE(bool(resources)) << llvm::toString(resources.takeError());
  EXPECT_EQ(resources->size(), 1u);
}

TEST_F(CodeGeneratorTest, TruncatedObjectsAreRefused) {
  auto generator = generate(kernel(kVectorAdd));
  ASSERT_TRUE(generator);
  std::string object = llvm::cantFail(generator->emitObject());
  for (size_t size : {size_t(0), size_t(3), size_t(63), object.size() / 2}) {
    StringRef part = StringRef(object).take_front(size);
    auto resources = readResources(part);
    EXPECT_FALSE(bool(resources)) << size;
    llvm::consumeError(resources.takeError());
    auto contract = Contract::fromObject(llvm::MemoryBufferRef(part, "k"));
    EXPECT_FALSE(bool(contract)) << size;
    llvm::consumeError(contract.takeError());
  }
}

} // namespace
