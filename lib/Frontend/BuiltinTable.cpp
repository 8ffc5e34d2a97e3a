//===- BuiltinTable.cpp - The functions of the language -------------------===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Name, implementation, parameters (see BuiltinInfo), and a number that tells
// apart the names that share an implementation.
//
//===----------------------------------------------------------------------===//

#include "Interpreter.h"
#include <mutex>

using namespace tlc;
using namespace tlc::frontend;
using I = Interpreter;
using RK = tile::ReduceKind;
using AK = tile::AtomicKind;
static constexpr auto Dev = BuiltinInfo::Device;
#define RED "&buffer,&out,dim?,clear?,batch?,nan_propagate?"
#define ATOM "&dst,&value,memory_order?,return_prev?,use_tma?,**"

static const BuiltinInfo tileTable[] = {
    {"T.Kernel", &I::kernelFrame, "*,**"},
    {"T.Tensor", &I::tensorType, "shape?,dtype?,&data?,strides?,**"},
    {"T.Buffer", &I::tensorType, "shape?,dtype?,&data?,strides?,**"},
    {"T.SharedBuffer", &I::tensorType, "shape?,dtype?,&data?,strides?,**"},
    {"T.FragmentBuffer", &I::tensorType, "shape?,dtype?,&data?,strides?,**"},
    {"T.LocalBuffer", &I::tensorType, "shape?,dtype?,&data?,strides?,**"},
    {"T.StridedTensor", &I::tensorType, "shape,strides,dtype?", 1},
    {"T.ptr", &I::pointerType, "dtype?,**"},
    {"T.handle", &I::pointerType, "dtype?,**"},
    {"T.empty", &I::emptyTensor, "*,**"},
    {"T.const", &I::constNames, "names,dtype?,**"},
    {"T.dynamic", &I::dynamicNames, "names,dtype?"},
    {"T.symbolic", &I::dynamicNames, "names,dtype?"},
    {"T.alloc_global", &I::allocGlobal, "shape,dtype,**"},
    {"T.alloc_shared", &I::allocShared, "shape,dtype?,scope?,**", 0, Dev},
    {"T.alloc_fragment", &I::allocFragment, "shape,dtype?,scope?,**", 0, Dev},
    {"T.alloc_local", &I::allocLocal, "shape,dtype?,scope?,**", 0, Dev},
    {"T.alloc_buffer", &I::allocLocal, "shape,dtype?,scope?,**", 0, Dev},
    {"T.alloc_var", &I::allocVar, "dtype,init?,scope?,**", 0, Dev},
    {"T.alloc_reducer", &I::allocReducer, "shape,dtype?,op?,replication?", 0, Dev},
    {"T.reducer_init", &I::reducerInit, "&acc,init?", 0, Dev},
    {"T.reducer_update", &I::reducerUpdate, "&acc,value", 0, Dev},
    {"T.finalize_reducer", &I::finalizeReducer, "&acc,&dst?,batch?", 0, Dev},
    {"T.copy", &I::copy, "&src,&dst,**", 0, Dev},
    {"T.async_copy", &I::copy, "&src,&dst,**", 0, Dev},
    {"T.ptx_commit_group", &I::ignored, "*,**"},
    {"T.ptx_wait_group", &I::syncThreads, "*,**", 0, Dev},
    {"T.fill", &I::fill, "&buffer,value", 0, Dev},
    {"T.clear", &I::clear, "&buffer", 0, Dev},
    {"T.transpose", &I::transposeTile, "&src,&dst", 0, Dev},
    {"T.im2col", &I::im2col, "&img,&col,nhw_step,c_step,kernel,stride,dilation,pad,**", 0, Dev},
    {"T.c2d_im2col", &I::im2col, "&img,&col,nhw_step,c_step,kernel,stride,dilation,pad,**", 0, Dev},
    {"T.gemm", &I::gemm, "&A,&B,&C,transpose_A?,transpose_B?,policy?,clear_accum?,k_pack?,wg_wait?,mbar?,**", 0, Dev},
    {"T.gemm_v1", &I::gemm, "&A,&B,&C,transpose_A?,transpose_B?,policy?,clear_accum?,k_pack?,wg_wait?,mbar?,**", 0, Dev},
    {"T.gemm_sp", &I::notYet, "*,**"},
    {"T.reduce", &I::reduceAny, "&buffer,&out,reduce_type,dim?,clear?,batch?,nan_propagate?", 0, Dev},
    {"T.reduce_sum", &I::reduceNamed, RED, int64_t(RK::Sum), Dev},
    {"T.reduce_max", &I::reduceNamed, RED, int64_t(RK::Max), Dev},
    {"T.reduce_min", &I::reduceNamed, RED, int64_t(RK::Min), Dev},
    {"T.reduce_absmax", &I::reduceNamed, RED, int64_t(RK::AbsMax), Dev},
    {"T.reduce_abssum", &I::reduceNamed, RED, int64_t(RK::AbsSum), Dev},
    {"T.reduce_bitand", &I::reduceNamed, RED, int64_t(RK::And), Dev},
    {"T.reduce_bitor", &I::reduceNamed, RED, int64_t(RK::Or), Dev},
    {"T.reduce_bitxor", &I::reduceNamed, RED, int64_t(RK::Xor), Dev},
    {"T.cumsum", &I::scan, "&src,&dst?,dim?,reverse?", int64_t(RK::Sum), Dev},
    {"T.cummax", &I::scan, "&src,&dst?,dim?,reverse?", int64_t(RK::Max), Dev},
    {"T.atomic_add", &I::atomicOp, ATOM, int64_t(AK::Add), Dev},
    {"T.atomic_max", &I::atomicOp, ATOM, int64_t(AK::Max), Dev},
    {"T.atomic_min", &I::atomicOp, ATOM, int64_t(AK::Min), Dev},
    {"T.atomic_or", &I::atomicOp, ATOM, int64_t(AK::Or), Dev},
    {"T.atomic_store", &I::atomicOp, ATOM, int64_t(AK::Exchange), Dev},
    {"T.atomic_load", &I::atomicLoad, "&src,memory_order?", 0, Dev},
    {"T.atomic_addx2", &I::atomicVector, "&dst,&value,**", 2, Dev},
    {"T.atomic_addx4", &I::atomicVector, "&dst,&value,**", 4, Dev},
    {"T.reshape", &I::reshapeBuffer, "&buffer,shape", 0, Dev},
    {"T.view", &I::viewBuffer, "&buffer,shape?,dtype?", 0, Dev},
    {"T.sync_threads", &I::syncThreads, "*,**", 0, Dev},
    {"T.syncthreads", &I::syncThreads, "*,**", 0, Dev},
    {"T.sync_warp", &I::ignored, "*,**"},
    {"T.sync_grid", &I::notYet, "*,**"},
    {"T.print", &I::printValue, "&obj?,msg?,**", 0, Dev},
    {"T.device_assert", &I::deviceAssert, "cond,msg?,**", 0, Dev},
    {"T.use_swizzle", &I::useSwizzle, "panel_size,order?,enable?,**", 0, Dev},
    {"T.annotate_layout", &I::annotateLayout, "layouts,**", 0, Dev},
    {"T.annotate_safe_value", &I::annotateSafeValue, "values,**", 0, Dev},
    {"T.Layout", &I::layoutObject, "shape,forward_fn?,**"},
    {"layout.Layout", &I::layoutObject, "shape,forward_fn?,**"},
    {"T.Fragment", &I::layoutHint, "*,**"},
    {"layout.Fragment", &I::layoutHint, "*,**"},
    {"layout.make_swizzled_layout", &I::layoutHint, "&*,**"},
    {"T.make_swizzled_layout", &I::layoutHint, "&*,**"},
    {"layout.make_mma_swizzle_layout", &I::layoutHint, "&*,**"},
    {"buffer.scope", &I::bufferScope, ""},
    {"T.make_tensor", &I::notYet, "*,**"},
    {"T.call_extern", &I::embeddedSource, "*,**"},
    {"T.import_source", &I::embeddedSource, "*,**"},
    {"T.tvm_thread_allreduce", &I::notYet, "*,**"},
    {"T.comm_reducer", &I::ignored, "*,**"},
    {"T.gemm_warp_policy", &I::ignored, "*,**"},
};

static const BuiltinInfo loopTable[] = {
    {"range", &I::rangeLoop, "*"},
    {"T.serial", &I::serialLoopFrame, "*,**", LoopObject::Serial},
    {"T.Serial", &I::serialLoopFrame, "*,**", LoopObject::Serial},
    {"T.Pipelined", &I::serialLoopFrame, "*,**", LoopObject::Pipelined},
    {"T.unroll", &I::serialLoopFrame, "*,**", LoopObject::Unroll},
    {"T.Unroll", &I::serialLoopFrame, "*,**", LoopObject::Unroll},
    {"T.vectorized", &I::serialLoopFrame, "*,**", LoopObject::Vectorized},
    {"T.Vectorized", &I::serialLoopFrame, "*,**", LoopObject::Vectorized},
    {"T.Parallel", &I::boxLoop, "*,**", LoopObject::Parallel},
    {"T.parallel", &I::boxLoop, "*,**", LoopObject::Parallel},
    {"T.grid", &I::boxLoop, "*,**", LoopObject::Grid},
    {"T.Persistent", &I::persistentFrame, "domain,wave_size,index,group_size?"},
    {"T.thread_binding", &I::threadBindingFrame, "*,**", 0, Dev},
    {"T.get_thread_binding", &I::threadBinding, "dim?", 0, Dev},
    {"T.get_thread_bindings", &I::threadBindings, "", 0, Dev},
    {"T.get_thread_extent", &I::threadExtent, "dim?", 0, Dev},
    {"T.get_block_binding", &I::blockBinding, "dim?", 0, Dev},
};

#define UN(name, n) {"T." name, &I::mathUnary, "x", n, Dev}
static const BuiltinInfo mathTable[] = {
    UN("exp", 0), UN("exp2", 1), UN("log", 2), UN("log2", 3), UN("log10", 4), UN("log1p", 5), UN("sqrt", 6),
    UN("rsqrt", 7), UN("sin", 8), UN("cos", 9), UN("tan", 10), UN("sinh", 11), UN("cosh", 12), UN("tanh", 13),
    UN("asin", 14), UN("acos", 15), UN("atan", 16), UN("asinh", 17), UN("acosh", 18), UN("atanh", 19), UN("erf", 20),
    UN("floor", 21), UN("ceil", 22), UN("round", 23), UN("nearbyint", 23), UN("trunc", 24), UN("exp10", 100),
    UN("abs", 102), UN("fabs", 102), UN("fast_rcp", 101), UN("ieee_frcp", 101), UN("__exp", 0), UN("__exp10", 100),
    UN("__log", 2), UN("__log2", 3), UN("__log10", 4), UN("__sin", 8), UN("__cos", 9), UN("__tan", 10),
    {"T.pow", &I::mathBinary, "x,y", 0, Dev},
    {"T.power", &I::mathBinary, "x,y", 0, Dev},
    {"T.atan2", &I::mathBinary, "x,y", 1, Dev},
    {"T.copysign", &I::mathBinary, "x,y", 2, Dev},
    {"T.fmod", &I::mathBinary, "x,y", 3, Dev},
    {"T.hypot", &I::mathBinary, "x,y", 4, Dev},
    {"T.min", &I::minMax, "*", 0},
    {"T.max", &I::minMax, "*", 1},
    {"min", &I::minMax, "*", 0},
    {"max", &I::minMax, "*", 1},
    {"T.clamp", &I::clampValue, "x,min_val,max_val", 0, Dev},
    {"T.if_then_else", &I::ifThenElse, "cond,~then,~otherwise,**"},
    {"T.Select", &I::ifThenElse, "cond,~then,~otherwise,**"},
    {"T.ceildiv", &I::ceilDiv, "a,b"},
    {"T.cdiv", &I::ceilDiv, "a,b"},
    {"T.align_up", &I::ceilDiv, "a,b", 1},
    {"T.floordiv", &I::operatorCall, "a,b", int64_t(BinOpKind::FloorDiv)},
    {"T.floormod", &I::operatorCall, "a,b", int64_t(BinOpKind::Mod)},
    {"T.truncdiv", &I::operatorCall, "a,b", 100},
    {"T.truncmod", &I::operatorCall, "a,b", 101},
    {"T.bitwise_and", &I::operatorCall, "a,b", int64_t(BinOpKind::And)},
    {"T.bitwise_or", &I::operatorCall, "a,b", int64_t(BinOpKind::Or)},
    {"T.bitwise_xor", &I::operatorCall, "a,b", int64_t(BinOpKind::Xor)},
    {"T.shift_left", &I::operatorCall, "a,b", int64_t(BinOpKind::Shl)},
    {"T.shift_right", &I::operatorCall, "a,b", int64_t(BinOpKind::Shr)},
    {"T.bitwise_not", &I::operatorCall, "a", 102},
    {"T.Add", &I::operatorCall, "a,b", int64_t(BinOpKind::Add)},
    {"T.Mul", &I::operatorCall, "a,b", int64_t(BinOpKind::Mul)},
    {"T.cast", &I::castTo, "x,dtype,**"},
    {"scalar.astype", &I::castTo, "dtype"},
    {"T.Cast", &I::castFrom, "dtype,x"},
    {"T.const_value", &I::constantOf, "value,dtype?"},
    {"T.reinterpret", &I::reinterpretBits, "a,b,**"},
    {"T.infinity", &I::infinity, "dtype,**"},
    {"T.min_value", &I::limitValue, "dtype,**", 0},
    {"T.max_value", &I::limitValue, "dtype,**", 1},
    {"T.isnan", &I::isSpecial, "x", 0, Dev},
    {"T.isinf", &I::isSpecial, "x", 1, Dev},
    {"T.isfinite", &I::isSpecial, "x", 2, Dev},
    {"T.And", &I::logicCall, "*", 0},
    {"T.Or", &I::logicCall, "*", 1},
    {"T.Not", &I::logicCall, "*", 2},
    {"T.sigmoid", &I::sigmoid, "x", 0, Dev},
    {"T.fma", &I::fmaCall, "x,y,z", 0, Dev},
    {"T.ieee_fmaf", &I::fmaCall, "x,y,z,rounding?", 0, Dev},
    {"T.popcount", &I::popcountOp, "x", 0, Dev},
    {"T.clz", &I::popcountOp, "x", 1, Dev},
    {"T.likely", &I::identity, "x,**"},
    {"T.assume", &I::ignored, "*,**"},
    {"T.evaluate", &I::ignored, "*,**"},
};

#define HINT(name) {"T." name, &I::ignored, "&*,**"}
static const BuiltinInfo hintTable[] = {
    HINT("annotate_restrict_buffers"), HINT("annotate_l2_hit_ratio"), HINT("annotate_min_blocks_per_sm"),
    HINT("disable_warp_group_reg_alloc"), HINT("annotate_producer_reg_dealloc"), HINT("annotate_consumer_reg_alloc"),
    HINT("no_set_max_nreg"), HINT("set_max_nreg"), HINT("annotate_pass_configs"), HINT("annotate_compile_flags"),
    HINT("func_attr"), HINT("attr"), HINT("block_attr"),
};

#define HM(name, n) {"math." name, &I::hostMath, "*", n}
#define EXC(name) {name, &I::pyException, "*"}
static const BuiltinInfo pythonTable[] = {
    {"math.pi", &I::mathConstant, "", 0}, {"math.e", &I::mathConstant, "", 1}, {"math.inf", &I::mathConstant, "", 2}, {"math.nan", &I::mathConstant, "", 3},
    HM("sqrt", 0), HM("exp", 1), HM("log", 2), HM("log2", 3), HM("log10", 4), HM("sin", 5), HM("cos", 6), HM("tan", 7),
    HM("tanh", 8), HM("fabs", 9), HM("ceil", 10), HM("floor", 11), HM("trunc", 12), HM("isinf", 13), HM("isnan", 14),
    HM("pow", 100), HM("gcd", 101), HM("prod", 102),
    {"len", &I::pyLen, "&x"},
    {"int", &I::pyNumber, "x?", 0}, {"float", &I::pyNumber, "x?", 1}, {"bool", &I::pyNumber, "x?", 2},
    {"str", &I::pyNumber, "&x?", 3}, {"repr", &I::pyNumber, "&x?", 3}, {"abs", &I::pyNumber, "x", 4},
    {"round", &I::pyRound, "x,digits?"}, {"sum", &I::pySum, "x,start?"},
    {"pow", &I::operatorCall, "a,b", int64_t(BinOpKind::Pow)},
    {"list", &I::pyContainer, "x?", 0}, {"tuple", &I::pyContainer, "x?", 1}, {"set", &I::pyContainer, "x?", 2}, {"reversed", &I::pyContainer, "x?", 3},
    {"enumerate", &I::pyEnumerate, "x,start?"}, {"zip", &I::pyZip, "*,**"},
    {"any", &I::pyAnyAll, "x", 0}, {"all", &I::pyAnyAll, "x", 1},
    {"sorted", &I::pySorted, "x,**"}, {"isinstance", &I::pyIsInstance, "&x,type"},
    {"hasattr", &I::pyHasAttr, "&x,name", 1}, {"getattr", &I::pyHasAttr, "&x,name,default?", 0},
    {"map", &I::pyMap, "f,x"}, {"dict", &I::pyDict, "x?,**"}, {"print", &I::ignored, "&*,**"},
    EXC("Exception"), EXC("ValueError"), EXC("TypeError"), EXC("NotImplementedError"), EXC("RuntimeError"), EXC("AssertionError"), EXC("KeyError"),
    {"str.startswith", &I::strMethod, "*", 0}, {"str.endswith", &I::strMethod, "*", 1}, {"str.upper", &I::strMethod, "*", 2},
    {"str.lower", &I::strMethod, "*", 3}, {"str.strip", &I::strMethod, "*", 4}, {"str.replace", &I::strMethod, "*", 5},
    {"str.format", &I::strMethod, "*", 6}, {"str.removeprefix", &I::strMethod, "*", 7},
    {"str.join", &I::strJoin, "x"}, {"str.split", &I::strSplit, "sep?"},
    {"list.append", &I::listMethod, "*", 0}, {"list.extend", &I::listMethod, "*", 1}, {"list.index", &I::listMethod, "*", 2},
    {"list.count", &I::listMethod, "*", 3}, {"list.pop", &I::listMethod, "*", 4}, {"list.insert", &I::listMethod, "*", 5}, {"list.copy", &I::listMethod, "*", 6},
    {"dict.get", &I::dictMethod, "*", 0}, {"dict.items", &I::dictMethod, "", 1}, {"dict.keys", &I::dictMethod, "", 2},
    {"dict.values", &I::dictMethod, "", 3}, {"dict.update", &I::dictMethod, "*", 4},
    {"tvm.DataType", &I::dtypeOf, "x"}, {"T.dtype", &I::dtypeOf, "x"}, {"T.DataType", &I::dtypeOf, "x"}, {"torch.dtype", &I::dtypeOf, "x"},
    {"tilelang.get_num_sms", &I::deviceQuery, "*", 0}, {"tilelang.determine_fp8_type", &I::deviceQuery, "*", 1},
    {"tilelang.determine_torch_fp8_type", &I::deviceQuery, "*", 1},
    {"torch.cuda.is_available", &I::deviceQuery, "*", 3}, {"torch.cuda.get_device_name", &I::deviceQuery, "*", 4},
    {"torch.cuda.get_device_capability", &I::deviceQuery, "*", 5}, {"scalar.bit_length", &I::bitLength, ""},
    {"tilelang.next_power_of_2", &I::nextPowerOf2, "x"},
};

namespace tlc::frontend {
void registerAllBuiltins() {
  static std::once_flag once;
  std::call_once(once, [] {
    registerBuiltins(tileTable);
    registerBuiltins(loopTable);
    registerBuiltins(mathTable);
    registerBuiltins(hintTable);
    registerBuiltins(pythonTable);
  });
}
} // namespace tlc::frontend
