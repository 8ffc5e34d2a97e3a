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
// A row is all that a new name needs, where an implementation fits. A T.name
// that is not here is an error (TL0225), so nothing is ignored by accident:
// names without effect on gfx942 stand here with `ignored`.
//
//   {"T.cumsum", &I::scan, "&src,&dst?,dim?,reverse?,**", RK::Sum, Dev}
//     name        member    parameters                  data     where allowed
//
// Why a table and not a chain of names in the code: the row is also the check
// of the call. Number and names of arguments are matched with the parameter
// string before the implementation runs, so that an implementation can rely on
// them, and all calls have the same messages.
//
//   T.cumsum(A, dim=1)   "&src,&dst?,dim?,reverse?"
//   ->  args = {A (not read: &), absent, 1, absent}
//
//===----------------------------------------------------------------------===//

#include "Interpreter.h"
#include <mutex>

using namespace tlc;
using namespace tlc::frontend;
using I = Interpreter;
using RK = tile::ReduceKind;
using AK = tile::AtomicKind;
// Only inside T.Kernel. A call outside is refused before its implementation
// runs, since there is no kernel to put operations into.
static constexpr auto Dev = BuiltinInfo::Device;
// Parameters that all reductions, and all atomics, share. Those of NVIDIA's
// hardware (use_tma) and those that hints come as (**) are accepted and not
// read.
#define RED "&buffer,&out,dim?,clear?,batch?,nan_propagate?,**"
#define ATOM "&dst,&value,memory_order?,return_prev?,use_tma?,**"

// Types and sizes of the program, memory, tile operations, threads, hints with
// an effect, layouts, and what is refused with a message of its own.
static const BuiltinInfo tileTable[] = {
    {"T.Kernel", &I::kernelFrame,
     "*,**,threads,prelude,is_cpu,cluster_dims,name"},
    // Types of arguments. As annotations, the names for other memories mean the
    // same here.
    {"T.Tensor", &I::tensorType, "shape?,dtype?,&data?,strides?,**"},
    {"T.Buffer", &I::tensorType, "shape?,dtype?,&data?,strides?,**"},
    {"T.SharedBuffer", &I::tensorType, "shape?,dtype?,&data?,strides?,**"},
    {"T.FragmentBuffer", &I::tensorType, "shape?,dtype?,&data?,strides?,**"},
    {"T.LocalBuffer", &I::tensorType, "shape?,dtype?,&data?,strides?,**"},
    {"T.StridedTensor", &I::tensorType, "shape,strides,dtype?", 1},
    // What isinstance asks for.
    {"T.PrimExpr", &I::onlyAsked, "*,***"},
    {"T.BufferLoad", &I::onlyAsked, "*,***"},
    {"T.BufferRegion", &I::onlyAsked, "*,***"},
    {"T.IntImm", &I::onlyAsked, "*,***"},
    {"T.FloatImm", &I::onlyAsked, "*,***"},
    {"T.ptr", &I::pointerType, "dtype?,**"},
    {"T.handle", &I::pointerType, "dtype?,**"},
    {"T.empty", &I::emptyTensor, "*,**,dtype,shape"},
    // Sizes: those of T.const come from -D when the file is compiled, those of
    // T.dynamic with the arguments at run time.
    {"T.const", &I::constNames, "names,dtype?,**"},
    {"T.dynamic", &I::dynamicNames, "names,dtype?"},
    {"T.symbolic", &I::dynamicNames, "names,dtype?"},
    {"T.alloc_global", &I::allocGlobal, "shape,dtype,**"},
    // Memory. `scope` chooses among the kinds that a name can mean; the rest of
    // the language's parameters is not needed here.
    {"T.alloc_shared", &I::allocShared, "shape,dtype,scope?,**", 0, Dev},
    {"T.alloc_fragment", &I::allocFragment, "shape,dtype,scope?,**", 0, Dev},
    {"T.alloc_local", &I::allocLocal, "shape,dtype,scope?,**", 0, Dev},
    {"T.alloc_buffer", &I::allocLocal, "shape,dtype?,scope?,**", 0, Dev},
    {"T.alloc_var", &I::allocVar, "dtype,init?,scope?,**", 0, Dev},
    {"T.alloc_reducer", &I::allocReducer, "shape,dtype?,op?,replication?", 0,
     Dev},
    // `&acc`: the buffer itself, not its first element, as the name of a
    // T.alloc_var would mean elsewhere.
    {"T.reducer_init", &I::reducerInit, "&reducer,init?", 0, Dev},
    {"T.reducer_update", &I::reducerUpdate, "&target,value", 0, Dev},
    {"T.finalize_reducer", &I::finalizeReducer, "&reducer,&dst?,batch?,**", 0,
     Dev},
    // Copies are asynchronous where the compiler finds it useful (T.Pipelined),
    // so that the forms written for cp.async mean the same, and a wait is a
    // barrier.
    {"T.copy", &I::copy, "&src,&dst,**", 0, Dev},
    {"T.async_copy", &I::copy, "&src,&dst,**", 0, Dev},
    {"T.ptx_commit_group", &I::ignored, "*,***"},
    {"T.ptx_wait_group", &I::syncThreads, "*,***", 0, Dev},
    {"T.fill", &I::fill, "&buffer,value,**", 0, Dev},
    {"T.clear", &I::clear, "&buffer,**", 0, Dev},
    {"T.transpose", &I::transposeTile, "&src,&dst,**", 0, Dev},
    // Image to matrix, under its newer and its older name.
    {"T.im2col", &I::im2col,
     "&img,&col,nhw_step,c_step,kernel,stride,dilation,pad,**", 0, Dev},
    {"T.c2d_im2col", &I::im2col,
     "&img,&col,nhw_step,c_step,kernel,stride,dilation,pad,**", 0, Dev},
    // Parameters after clear_accum are for other hardware: k_pack, wg_wait and
    // mbar do not change the meaning here.
    {"T.gemm", &I::gemm,
     "&A,&B,&C,transpose_A?,transpose_B?,policy?,clear_accum?,k_pack?,wg_wait?,"
     "mbar?,**",
     0, Dev},
    {"T.gemm_v1", &I::gemm,
     "&A,&B,&C,transpose_A?,transpose_B?,policy?,clear_accum?,k_pack?,wg_wait?,"
     "mbar?,**",
     0, Dev},
    {"T.gemm_v2", &I::gemm,
     "&A,&B,&C,transpose_A?,transpose_B?,policy?,clear_accum?,k_pack?,wg_wait?,"
     "mbar?,**",
     0, Dev},
    // data: the ReduceKind; "dim" is the last one if absent.
    {"T.reduce", &I::reduceAny,
     "&buffer,&out,reduce_type,dim?,clear?,batch?,nan_propagate?,**", 0, Dev},
    {"T.reduce_sum", &I::reduceNamed, RED, int64_t(RK::Sum), Dev},
    {"T.reduce_max", &I::reduceNamed, RED, int64_t(RK::Max), Dev},
    {"T.reduce_min", &I::reduceNamed, RED, int64_t(RK::Min), Dev},
    {"T.reduce_absmax", &I::reduceNamed, RED, int64_t(RK::AbsMax), Dev},
    {"T.reduce_abssum", &I::reduceNamed, RED, int64_t(RK::AbsSum), Dev},
    {"T.reduce_bitand", &I::reduceNamed, RED, int64_t(RK::And), Dev},
    {"T.reduce_bitor", &I::reduceNamed, RED, int64_t(RK::Or), Dev},
    {"T.reduce_bitxor", &I::reduceNamed, RED, int64_t(RK::Xor), Dev},
    {"T.cumsum", &I::scan, "&src,&dst?,dim?,reverse?,**", int64_t(RK::Sum),
     Dev},
    {"T.cummax", &I::scan, "&src,&dst?,dim?,reverse?,**", int64_t(RK::Max),
     Dev},
    // data: the AtomicKind.
    {"T.atomic_add", &I::atomicOp, ATOM, int64_t(AK::Add), Dev},
    {"T.atomic_max", &I::atomicOp, ATOM, int64_t(AK::Max), Dev},
    {"T.atomic_min", &I::atomicOp, ATOM, int64_t(AK::Min), Dev},
    {"T.atomic_or", &I::atomicOp, ATOM, int64_t(AK::Or), Dev},
    {"T.atomic_store", &I::atomicOp, "&dst,&src,memory_order?,**",
     int64_t(AK::Exchange), Dev},
    {"T.atomic_load", &I::atomicLoad, "&src,memory_order?", 0, Dev},
    // The address of an element, where an operation takes one: the element.
    {"T.address_of", &I::identity, "&x"},
    {"T.access_ptr", &I::identity, "&x,access_type?,*,**"},
    {"T.atomic_addx2", &I::atomicVector, "&dst,&value,return_prev?,**", 2, Dev},
    {"T.atomic_addx4", &I::atomicVector, "&dst,&value,return_prev?,**", 4, Dev},
    // The same memory with other dimensions; view may change the type as well.
    {"T.reshape", &I::reshapeBuffer, "&src,shape", 0, Dev},
    {"T.view", &I::viewBuffer, "&src,shape?,dtype?", 0, Dev},
    {"T.sync_threads", &I::syncThreads, "*,***", 0, Dev},
    {"T.syncthreads", &I::syncThreads, "*,***", 0, Dev},
    {"T.tvm_storage_sync", &I::syncThreads, "*,***", 0, Dev},
    // A wave of gfx942 executes in lock step; there is nothing to wait for.
    {"T.sync_warp", &I::ignored, "*,***"},
    // Launches of a stream follow one another: nothing of the one before is
    // under way.
    {"T.pdl_sync", &I::ignored, "*,***"},
    {"T.pdl_trigger", &I::ignored, "*,***"},
    {"T.sync_grid", &I::syncGrid, "*,***", 0, Dev},
    {"T.sync_global", &I::syncGrid, "*,***", 0, Dev},
    {"T.attr", &I::attrFrame, "&node,key?,value?,**"},
    // data says which of several related questions is asked; each
    // implementation lists its numbers.
    {"T.get_lane_idx", &I::laneIndex, "warp_size?", 0, Dev},
    {"T.get_warp_idx", &I::laneIndex, "warp_size?", 1, Dev},
    {"T.get_warp_idx_sync", &I::laneIndex, "warp_size?", 1, Dev},
    {"T.get_warp_group_idx", &I::laneIndex, "warp_size?,warps_per_group?", 2,
     Dev},
    // data: 0 from a lane, 1 from the lane whose number differs by xor, 2 from
    // a higher one, 3 from a lower one.
    {"T.shfl_sync", &I::shuffle, "value,srcLane,width?,mask?", 0, Dev},
    {"T.shfl_xor", &I::shuffle, "value,delta,width?,mask?", 1, Dev},
    {"T.shfl_down", &I::shuffle, "value,delta,width?,mask?", 2, Dev},
    {"T.shfl_up", &I::shuffle, "value,delta,width?,mask?", 3, Dev},
    {"T.tvm_warp_shuffle", &I::tvmShuffle, "mask,value,lane,width?,warp_size?",
     0, Dev},
    {"T.tvm_warp_shuffle_down", &I::tvmShuffle,
     "mask,value,delta,width?,warp_size?", 2, Dev},
    {"T.tvm_warp_shuffle_up", &I::tvmShuffle,
     "mask,value,delta,width?,warp_size?", 3, Dev},
    {"T.warp_reduce_sum", &I::warpReduce, "value", int64_t(RK::Sum), Dev},
    {"T.warp_reduce_max", &I::warpReduce, "value", int64_t(RK::Max), Dev},
    {"T.warp_reduce_min", &I::warpReduce, "value", int64_t(RK::Min), Dev},
    {"T.warp_reduce_bitand", &I::warpReduce, "value", int64_t(RK::And), Dev},
    {"T.warp_reduce_bitor", &I::warpReduce, "value", int64_t(RK::Or), Dev},
    // Questions to all lanes of a wave, and of a block below. `mask` is not
    // read: a vote is one of all active lanes.
    {"T.any_sync", &I::warpVote, "predicate,mask?", 0, Dev},
    {"T.all_sync", &I::warpVote, "predicate,mask?", 1, Dev},
    {"T.ballot_sync", &I::warpVote, "predicate,mask?", 2, Dev},
    {"T.ballot", &I::warpVote, "predicate", 2, Dev},
    {"T.activemask", &I::warpVote, "", 3, Dev},
    {"T.syncthreads_count", &I::syncThreadsVote, "predicate", 0, Dev},
    {"T.syncthreads_and", &I::syncThreadsVote, "predicate", 1, Dev},
    {"T.syncthreads_or", &I::syncThreadsVote, "predicate", 2, Dev},
    {"T.any_of", &I::anyAllOf, "&buffer", 0, Dev},
    {"T.all_of", &I::anyAllOf, "&buffer", 1, Dev},
    // Philox: rng_init makes a thread's position in the sequence, each rng_rand
    // advances it.
    {"T.rng_init", &I::rngInit, "seed,seq?,off?,**,generator", 0, Dev},
    {"T.rng_rand", &I::rngRand, "", 0, Dev},
    {"T.rng_rand_float", &I::rngRandFloat, "bit?,dist?", 0, Dev},
    {"T.dp4a", &I::dp4a, "&A,&B,&C", 0, Dev},
    {"T.index_to_coordinates", &I::indexToCoordinates, "index,shape"},
    {"T.print", &I::printValue, "&obj?,msg?,**", 0, Dev},
    {"T.device_assert", &I::deviceAssert, "cond,msg?,**", 0, Dev},
    // Hints that change the code: order of blocks, layouts, values beyond the
    // edge.
    {"T.use_swizzle", &I::useSwizzle, "panel_size,order?,enable?,**", 0, Dev},
    {"T.annotate_layout", &I::annotateLayout, "layout_map,**", 0, Dev},
    {"T.annotate_relaxations", &I::annotateRelaxations, "lazy_maximum?", 0,
     Dev},
    {"T.annotate_safe_value", &I::annotateSafeValue, "safe_value_map,**", 0,
     Dev},
    // Vectors of up to 64 lanes; see Vectors.cpp.
    {"T.Ramp", &I::rampVector, "base,stride,lanes", 0, Dev},
    {"T.Broadcast", &I::broadcastVector, "value,lanes", 0, Dev},
    {"T.extract_lane", &I::extractLane, "vector,lane,**", 0, Dev},
    {"T.Shuffle", &I::shuffleVector, "vectors,indices", 0, Dev},
    {"T.Layout", &I::layoutObject, "shape,forward_fn?,**"},
    {"T.Fragment", &I::fragmentObject,
     "shape,forward_fn?,forward_thread_fn?,replicate?,forward_index_fn?"},
    // The swizzles for NVIDIA's banks mean "free of conflicts" here: the
    // compiler chooses one for gfx942's.
    {"T.make_swizzled_layout", &I::layoutMaker, "&buffer,**",
     LayoutObject::Chosen},
    {"T.make_mma_swizzle_layout", &I::layoutMaker, "&buffer,**",
     LayoutObject::Chosen},
    {"T.make_wgmma_swizzled_layout", &I::layoutMaker, "&buffer,**",
     LayoutObject::Chosen},
    {"T.make_volta_swizzled_layout", &I::layoutMaker, "&buffer,**",
     LayoutObject::Chosen},
    {"T.make_full_bank_swizzled_layout", &I::layoutMaker, "&buffer,**",
     LayoutObject::Chosen},
    {"T.make_half_bank_swizzled_layout", &I::layoutMaker, "&buffer,**",
     LayoutObject::Chosen},
    {"T.make_quarter_bank_swizzled_layout", &I::layoutMaker, "&buffer,**",
     LayoutObject::Chosen},
    {"T.make_linear_layout", &I::layoutMaker, "&buffer,**",
     LayoutObject::RowMajor},
    {"T.make_fully_replicated_layout_fragment", &I::layoutMaker,
     "&buffer,threads?,**", LayoutObject::Everywhere},
    // Methods stand as "kind.name", where kind is that of the value before the
    // dot.
    {"buffer.scope", &I::bufferScope, ""},
    {"T.make_tensor", &I::makeTensor, "&ptr,shape,dtype?,strides?"},
    {"T.make_tensor_from_addr", &I::makeTensor,
     "&ptr,shape,dtype?,strides?,**"},
    // Source text in CUDA: refused, with the reason.
    {"T.call_extern", &I::embeddedSource, "*,***"},
    {"T.import_source", &I::embeddedSource, "*,***"},
    {"T.tvm_thread_allreduce", &I::threadAllReduce, "&*,***", 0, Dev},
    {"T.comm_reducer", &I::commReducerObject, "combiner,identity?,**"},
    {"T.gemm_warp_policy", &I::ignored, "*,***"},
};

// What `for` iterates over on the device, and thread and block indices.
static const BuiltinInfo loopTable[] = {
    // Python's range: a value where all bounds are numbers (whether `for` over
    // it is unrolled is execFor's decision), else T.serial.
    {"range", &I::rangeLoop, "*"},
    // data: the LoopObject's type; one implementation reads bounds and
    // annotations of all of them.
    {"T.serial", &I::serialLoopFrame, "*,**,start,stop,step",
     LoopObject::Serial},
    {"T.Serial", &I::serialLoopFrame, "*,**,start,stop,step",
     LoopObject::Serial},
    {"T.Pipelined", &I::serialLoopFrame,
     "*,**,start,stop,num_stages,order,stage,sync,group",
     LoopObject::Pipelined},
    {"T.unroll", &I::serialLoopFrame,
     "*,**,start,stop,step,explicit,unroll_factor", LoopObject::Unroll},
    {"T.Unroll", &I::serialLoopFrame,
     "*,**,start,stop,step,explicit,unroll_factor", LoopObject::Unroll},
    {"T.vectorized", &I::serialLoopFrame, "*,**,start,stop,step",
     LoopObject::Vectorized},
    {"T.Vectorized", &I::serialLoopFrame, "*,**,start,stop,step",
     LoopObject::Vectorized},
    // Several dimensions at once: T.Parallel(m, n) gives i, j.
    {"T.Parallel", &I::boxLoop, "*,**,coalesced_width,loop_layout",
     LoopObject::Parallel},
    {"T.parallel", &I::boxLoop, "*,**,coalesced_width,loop_layout",
     LoopObject::Parallel},
    {"T.grid", &I::boxLoop, "*,**", LoopObject::Grid},
    {"T.Persistent", &I::persistentFrame, "domain,wave_size,index,group_size?"},
    // Threads and blocks of the launch; `dim` is 0, 1 or 2.
    {"T.thread_binding", &I::threadBindingFrame, "*,**,thread", 0, Dev},
    {"T.get_thread_binding", &I::threadBinding, "dim?", 0, Dev},
    {"T.get_thread_bindings", &I::threadBindings, "", 0, Dev},
    {"T.get_thread_extent", &I::threadExtent, "dim?", 0, Dev},
    {"T.get_thread_extents", &I::threadExtents, "", 0, Dev},
    {"T.get_block_binding", &I::blockBinding, "dim?", 0, Dev},
    {"T.get_block_bindings", &I::blockBindings, "", 0, Dev},
    {"T.get_block_extent", &I::blockExtent, "dim?", 0, Dev},
    {"T.get_block_extents", &I::blockExtents, "", 0, Dev},
};

// Functions of one element. Only this table's functions are applied to vectors
// lane by lane (isScalarMath); data of UN indexes MathOps.cpp's unaryOps.
#define UN(name, n) {"T." name, &I::mathUnary, "x", n, Dev}
static const BuiltinInfo mathTable[] = {
    UN("exp", 0),
    UN("exp2", 1),
    UN("log", 2),
    UN("log2", 3),
    UN("log10", 4),
    UN("log1p", 5),
    UN("sqrt", 6),
    UN("rsqrt", 7),
    UN("sin", 8),
    UN("cos", 9),
    UN("tan", 10),
    UN("sinh", 11),
    UN("cosh", 12),
    UN("tanh", 13),
    UN("asin", 14),
    UN("acos", 15),
    UN("atan", 16),
    UN("asinh", 17),
    UN("acosh", 18),
    UN("atanh", 19),
    UN("erf", 20),
    UN("floor", 21),
    UN("ceil", 22),
    {"T.round", &I::roundValue, "x,rounding_mode?,**", 23, Dev},
    UN("nearbyint", 23),
    UN("trunc", 24),
    UN("exp10", 100),
    UN("abs", 102),
    UN("fabs", 102),
    UN("fast_rcp", 101),
    // Operations on pairs of packed halves are those on vectors of two lanes.
    {"T.add2", &I::mathBinary, "x,y", 6, Dev},
    {"T.sub2", &I::mathBinary, "x,y", 7, Dev},
    {"T.mul2", &I::mathBinary, "x,y", 8, Dev},
    {"T.fma2", &I::fmaCall, "x,y,z", 0, Dev},
    {"T.abs2", &I::mathUnary, "x", 102, Dev},
    {"T.ieee_frcp", &I::mathUnary, "x,rounding_mode?", 101, Dev},
    // CUDA's fast forms: as good as the others.
    UN("__exp", 0),
    UN("__exp10", 100),
    UN("__log", 2),
    UN("__log2", 3),
    UN("__log10", 4),
    UN("__sin", 8),
    UN("__cos", 9),
    UN("__tan", 10),
    // data: the order of binaryOps in MathOps.cpp.
    {"T.pow", &I::mathBinary, "x,y", 0, Dev},
    {"T.power", &I::mathBinary, "x,y", 0, Dev},
    {"T.atan2", &I::mathBinary, "x,y", 1, Dev},
    {"T.copysign", &I::mathBinary, "x,y", 2, Dev},
    {"T.fmod", &I::mathBinary, "x,y", 3, Dev},
    {"T.hypot", &I::mathBinary, "x,y", 4, Dev},
    // Also on compile-time values, so not only inside T.Kernel.
    {"T.min", &I::minMax, "*", 0},
    {"T.min2", &I::minMax, "*", 0},
    {"T.max", &I::minMax, "*", 1},
    {"T.max2", &I::minMax, "*", 1},
    {"min", &I::minMax, "*,**", 0},
    {"max", &I::minMax, "*,**", 1},
    {"T.clamp", &I::clampValue, "dst,min_val?,max_val?", 0, Dev},
    // `~`: the branches are not evaluated before the condition is known.
    {"T.if_then_else", &I::ifThenElse, "cond,~t,~f,**"},
    {"T.Select", &I::ifThenElse, "condition,~true_value,~false_value,**"},
    // Numbers at compile time stay numbers: most grids are ceildiv of sizes.
    {"T.ceildiv", &I::ceilDiv, "a,b"},
    {"T.cdiv", &I::ceilDiv, "a,b"},
    {"T.align_up", &I::ceilDiv, "x,y", 1},
    // Operators as functions. data: the operator, or from 100 on one that
    // Python does not have.
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
    // Conversions. `T.cast(x, "float16")` and `x.astype("float16")`; T.Cast has
    // its arguments the other way round.
    {"T.cast", &I::castTo, "value,dtype,round?,sat?,rbits?,**"},
    {"scalar.astype", &I::castTo, "dtype"},
    {"T.Cast", &I::castFrom, "dtype,x"},
    {"T.const_value", &I::constantOf, "value,dtype?"},
    {"T.reinterpret", &I::reinterpretBits, "&value,&b?,dtype?,**"},
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
    {"T.ieee_fmaf", &I::fmaCall, "x,y,z,rounding_mode?", 0, Dev},
    {"T.ieee_fdiv", &I::mathBinary, "x,y,rounding_mode?", 5, Dev},
    {"T.ieee_add", &I::mathBinary, "x,y,rounding_mode?", 6, Dev},
    {"T.ieee_sub", &I::mathBinary, "x,y,rounding_mode?", 7, Dev},
    {"T.ieee_mul", &I::mathBinary, "x,y,rounding_mode?", 8, Dev},
    {"T.ieee_fsqrt", &I::mathUnary, "x,rounding_mode?", 6, Dev},
    {"T.ieee_frsqrt", &I::mathUnary, "x", 7, Dev},
    {"T.popcount", &I::popcountOp, "x", 0, Dev},
    {"T.clz", &I::popcountOp, "x", 1, Dev},
    // Advice to an optimizer: the value alone counts.
    {"T.likely", &I::identity, "x,**"},
    {"T.assume", &I::ignored, "*,***"},
    {"T.evaluate", &I::ignored, "*,***"},
};

// Names of arguments that change nothing here: hints to other hardware, or
// bookkeeping of another compiler. A function with `**` takes any of them.
static constexpr StringRef hintNames[] = {
    "align",
    "annotations",
    "axis_separators",
    "buffer_type",
    "coalesced_width",
    "disable_tma",
    "elem_offset",
    "eviction_policy",
    "explicit",
    "is_size_var",
    "loop_layout",
    "name",
    "offset_factor",
    "prefer_async",
    "prefer_instruction",
    "scope",
    "span",
    "storage_scope",
};

// Hints to NVIDIA's hardware or compiler; buffers in them are not read.
#define HINT(name) {"T." name, &I::ignored, "&*,***"}
static const BuiltinInfo hintTable[] = {
    HINT("annotate_restrict_buffers"),
    HINT("annotate_l2_hit_ratio"),
    HINT("annotate_min_blocks_per_sm"),
    HINT("disable_warp_group_reg_alloc"),
    HINT("annotate_producer_reg_dealloc"),
    HINT("annotate_consumer_reg_alloc"),
    HINT("no_set_max_nreg"),
    HINT("set_max_nreg"),
    HINT("annotate_pass_configs"),
    HINT("annotate_compile_flags"),
    HINT("func_attr"),
    HINT("block_attr"),
};

// The part of Python that kernels and their factories use at compile time:
// functions, exceptions, methods ("str.", "list.", "dict."), and questions
// about the device, answered for an MI300X.
#define HM(name, n) {"math." name, &I::hostMath, "*", n}
#define EXC(name) {name, &I::pyException, "*"}
static const BuiltinInfo pythonTable[] = {
    // Constants have no parameters: reading the attribute is the call.
    {"math.pi", &I::mathConstant, "", 0},
    {"math.e", &I::mathConstant, "", 1},
    {"math.inf", &I::mathConstant, "", 2},
    {"math.nan", &I::mathConstant, "", 3},
    HM("sqrt", 0),
    HM("exp", 1),
    HM("log", 2),
    HM("log2", 3),
    HM("log10", 4),
    HM("sin", 5),
    HM("cos", 6),
    HM("tan", 7),
    HM("tanh", 8),
    HM("fabs", 9),
    HM("ceil", 10),
    HM("floor", 11),
    HM("trunc", 12),
    HM("isinf", 13),
    HM("isnan", 14),
    HM("pow", 100),
    HM("gcd", 101),
    HM("prod", 102),
    // `&`: the argument may be a buffer, whose first element is not meant.
    {"len", &I::pyLen, "&x"},
    {"int", &I::pyNumber, "x?,base?", 0},
    {"float", &I::pyNumber, "x?", 1},
    {"bool", &I::pyNumber, "x?", 2},
    {"str", &I::pyNumber, "&x?", 3},
    {"repr", &I::pyNumber, "&x?", 5},
    {"abs", &I::pyNumber, "x", 4},
    {"round", &I::pyRound, "x,digits?"},
    {"sum", &I::pySum, "x,start?"},
    {"pow", &I::pyPow, "a,b,modulus?", int64_t(BinOpKind::Pow)},
    {"list", &I::pyContainer, "x?", 0},
    {"tuple", &I::pyContainer, "x?", 1},
    {"set", &I::pyContainer, "x?", 2},
    {"frozenset", &I::pyContainer, "x?", 2},
    {"iter", &I::pyContainer, "x?", 0},
    {"next", &I::pyNext, "x,default?"},
    {"type", &I::pyType, "x"},
    {"ord", &I::pyCharacter, "x", 0},
    {"chr", &I::pyCharacter, "x", 1},
    {"slice", &I::pySlice, "*"},
    {"callable", &I::pyCallable, "&x"},
    {"format", &I::pyFormat, "x,spec?"},
    {"setattr", &I::pySetAttr, "&x,name,value"},
    {"reversed", &I::pyContainer, "x?", 3},
    {"enumerate", &I::pyEnumerate, "x,start?"},
    {"zip", &I::pyZip, "*,**"},
    {"itertools.product", &I::pyProduct, "*"},
    {"any", &I::pyAnyAll, "x", 0},
    {"all", &I::pyAnyAll, "x", 1},
    {"sorted", &I::pySorted, "x,**"},
    {"isinstance", &I::pyIsInstance, "&x,type"},
    {"hasattr", &I::pyHasAttr, "&x,name", 1},
    {"getattr", &I::pyHasAttr, "&x,name,default?", 0},
    {"map", &I::pyMap, "f,x"},
    {"dict", &I::pyDict, "x?,**"},
    {"print", &I::ignored, "&*,**"},
    // `raise ValueError("...")` at compile time ends the compilation with this
    // message.
    EXC("Exception"),
    EXC("ValueError"),
    EXC("TypeError"),
    EXC("NotImplementedError"),
    EXC("RuntimeError"),
    EXC("AssertionError"),
    EXC("KeyError"),
    EXC("IndexError"),
    EXC("LookupError"),
    EXC("AttributeError"),
    EXC("NameError"),
    EXC("ZeroDivisionError"),
    EXC("OverflowError"),
    EXC("ArithmeticError"),
    EXC("ImportError"),
    EXC("ModuleNotFoundError"),
    EXC("StopIteration"),
    EXC("OSError"),
    EXC("BaseException"),
    // Methods: "type.method"; the receiver is not among the parameters.
    {"str.startswith", &I::strMethod, "*"},
    {"str.endswith", &I::strMethod, "*"},
    {"str.upper", &I::strMethod, "*"},
    {"str.lower", &I::strMethod, "*"},
    {"str.capitalize", &I::strMethod, "*"},
    {"str.title", &I::strMethod, "*"},
    {"str.strip", &I::strMethod, "*"},
    {"str.lstrip", &I::strMethod, "*"},
    {"str.rstrip", &I::strMethod, "*"},
    {"str.replace", &I::strMethod, "*"},
    {"str.removeprefix", &I::strMethod, "*"},
    {"str.removesuffix", &I::strMethod, "*"},
    {"str.isdigit", &I::strMethod, "*"},
    {"str.isalpha", &I::strMethod, "*"},
    {"str.isalnum", &I::strMethod, "*"},
    {"str.isspace", &I::strMethod, "*"},
    {"str.isupper", &I::strMethod, "*"},
    {"str.islower", &I::strMethod, "*"},
    {"str.find", &I::strMethod, "*"},
    {"str.rfind", &I::strMethod, "*"},
    {"str.index", &I::strMethod, "*"},
    {"str.count", &I::strMethod, "*"},
    {"str.ljust", &I::strMethod, "*"},
    {"str.rjust", &I::strMethod, "*"},
    {"str.center", &I::strMethod, "*"},
    {"str.zfill", &I::strMethod, "*"},
    {"str.partition", &I::strMethod, "*"},
    {"str.rpartition", &I::strMethod, "*"},
    {"str.format", &I::strFormat, "*,**"},
    {"str.join", &I::strJoin, "x"},
    {"str.split", &I::strSplit, "sep?,maxsplit?", 0},
    {"str.rsplit", &I::strSplit, "sep?,maxsplit?", 1},
    {"str.splitlines", &I::strSplit, "sep?,maxsplit?", 2},
    {"functools.partial", &I::makePartial, "&f,&*,**"},
    {"list.append", &I::listMethod, "*", 0},
    {"list.extend", &I::listMethod, "*", 1},
    {"list.index", &I::listMethod, "*", 2},
    {"list.count", &I::listMethod, "*", 3},
    {"list.pop", &I::listMethod, "*", 4},
    {"list.insert", &I::listMethod, "*", 5},
    {"list.copy", &I::listMethod, "*", 6},
    {"list.remove", &I::listMethod, "*", 7},
    {"list.clear", &I::listMethod, "*", 8},
    {"list.reverse", &I::listMethod, "*", 9},
    {"list.sort", &I::listSort, "**"},
    {"set.add", &I::setMethod, "*"},
    {"set.discard", &I::setMethod, "*"},
    {"set.remove", &I::setMethod, "*"},
    {"set.clear", &I::setMethod, "*"},
    {"set.update", &I::setMethod, "*"},
    {"set.union", &I::setMethod, "*"},
    {"set.intersection", &I::setMethod, "*"},
    {"set.difference", &I::setMethod, "*"},
    {"set.symmetric_difference", &I::setMethod, "*"},
    {"set.issubset", &I::setMethod, "*"},
    {"set.issuperset", &I::setMethod, "*"},
    {"set.isdisjoint", &I::setMethod, "*"},
    {"set.copy", &I::setMethod, "*"},
    {"dict.get", &I::dictMethod, "*", 0},
    {"dict.items", &I::dictMethod, "", 1},
    {"dict.keys", &I::dictMethod, "", 2},
    {"dict.values", &I::dictMethod, "", 3},
    {"dict.update", &I::dictMethod, "*,**", 4},
    {"dict.setdefault", &I::dictMethod, "*", 5},
    {"dict.pop", &I::dictMethod, "*", 6},
    {"dict.copy", &I::dictMethod, "", 7},
    {"dict.clear", &I::dictMethod, "", 8},
    {"dict.popitem", &I::dictMethod, "", 9},
    {"copy.copy", &I::pyCopy, "x", 0},
    {"copy.deepcopy", &I::pyCopy, "x", 1},
    {"dataclasses.replace", &I::pyRecord, "x,**", 0},
    {"dataclasses.asdict", &I::pyRecord, "x", 1},
    {"dataclasses.astuple", &I::pyRecord, "x", 2},
    {"record._replace", &I::pyRecord, "**", 0},
    {"record._asdict", &I::pyRecord, "", 1},
    {"collections.namedtuple", &I::pyNamedTuple, "name,fields,defaults?"},
    {"collections.defaultdict", &I::pyDefaultDict, "&factory?,x?,**"},
    {"tvm.DataType", &I::dtypeOf, "x"},
    {"T.dtype", &I::dtypeOf, "x"},
    {"T.DataType", &I::dtypeOf, "x"},
    {"torch.dtype", &I::dtypeOf, "x"},
    // What a factory asks of the machine it runs on. It is not asked: the
    // answer is for the device that the code is for, also where none is
    // present.
    {"tilelang.get_num_sms", &I::deviceQuery, "*", 0},
    {"tilelang.determine_fp8_type", &I::deviceQuery, "*", 1},
    {"tilelang.determine_torch_fp8_type", &I::deviceQuery, "*", 1},
    {"torch.cuda.is_available", &I::deviceQuery, "*", 3},
    {"torch.cuda.get_device_name", &I::deviceQuery, "*", 4},
    {"torch.cuda.get_device_capability", &I::deviceQuery, "*", 5},
    {"scalar.bit_length", &I::bitLength, ""},
    {"scalar.is_integer", &I::isWhole, ""},
    {"tilelang.next_power_of_2", &I::nextPowerOf2, "x"},
};

namespace tlc::frontend {
/// Whether a function takes and gives one element: the rows of one table lie
/// side by side, so that their address tells.
bool isScalarMath(const BuiltinInfo *builtin) {
  return builtin >= std::begin(mathTable) && builtin < std::end(mathTable);
}

bool isHintName(StringRef name) { return llvm::is_contained(hintNames, name); }
void forEachHintName(llvm::function_ref<void(StringRef)> fn) {
  llvm::for_each(hintNames, fn);
}

/// Fills the map behind findBuiltin, once in a process.
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
