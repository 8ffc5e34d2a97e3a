//===- AtomicTests.cpp - Every atomic in every memory ---------------------===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One host function for each operation, tried through global, FLAT, buffer,
// LDS and scalar instructions, with and without the old value.
//
//===----------------------------------------------------------------------===//

#include "Instructions.h"

#include <algorithm>
#include <cmath>

using namespace tlc::test;

namespace {

/// New value from old, data and, for compare-and-swap, the value compared.
using Combine = uint64_t (*)(uint64_t old, uint64_t data, uint64_t compare);

template <typename T> T as(uint64_t v) {
  return bitsAs<T>(
      static_cast<std::conditional_t<sizeof(T) == 4, uint32_t, uint64_t>>(v));
}
template <typename T> uint64_t bitsOf(T v) {
  return bitsAs<std::conditional_t<sizeof(T) == 4, uint32_t, uint64_t>>(v);
}
template <typename T> uint64_t minimum(uint64_t old, uint64_t data, uint64_t) {
  return bitsOf(std::min(as<T>(old), as<T>(data)));
}
template <typename T> uint64_t maximum(uint64_t old, uint64_t data, uint64_t) {
  return bitsOf(std::max(as<T>(old), as<T>(data)));
}
/// The one that is no NaN; a signalling NaN becomes quiet, -0 is below +0.
template <typename T, bool Less>
uint64_t extreme(uint64_t old, uint64_t data, uint64_t) {
  T a = as<T>(old), b = as<T>(data);
  auto isSignalling = [](T v) {
    constexpr int quiet = sizeof(T) == 4 ? 22 : 51;
    return std::isnan(v) && !(bitsOf(v) >> quiet & 1);
  };
  auto quieted = [](T v) {
    return bitsOf(v) | (sizeof(T) == 4 ? 1ull << 22 : 1ull << 51);
  };
  if (isSignalling(a))
    return quieted(a);
  if (isSignalling(b))
    return quieted(b);
  if (std::isnan(a))
    return bitsOf(std::isnan(b) ? a : b);
  if (std::isnan(b))
    return old;
  if (a == b)
    return std::signbit(a) == Less ? old : data;
  return (a < b) == Less ? old : data;
}
template <typename T> uint64_t add(uint64_t old, uint64_t data, uint64_t) {
  return bitsOf(as<T>(old) + as<T>(data));
}
float bf16(uint64_t v) { return as<float>(uint64_t(uint16_t(v)) << 16); }
template <bool IsBf16> uint64_t addPair(uint64_t old, uint64_t data, uint64_t) {
  uint64_t result = 0;
  for (int s = 0; s < 32; s += 16)
    if (IsBf16)
      result |= uint64_t(toBf16(bf16(old >> s) + bf16(data >> s))) << s;
    else
      result |= uint64_t(toHalf(fromHalf(uint16_t(old >> s)) +
                                fromHalf(uint16_t(data >> s))))
                << s;
  return result;
}
template <typename T> uint64_t inc(uint64_t old, uint64_t data, uint64_t) {
  return T(old) >= T(data) ? 0 : T(old) + 1;
}
template <typename T> uint64_t dec(uint64_t old, uint64_t data, uint64_t) {
  return T(old) == 0 || T(old) > T(data) ? T(data) : T(old) - 1;
}

struct Operation {
  const char *vector; ///< name behind global_atomic_ and the like, or none
  const char *lds;    ///< name behind ds_, its suffix apart, or none
  const char *type;   ///< suffix of ds_
  unsigned dwords;
  Combine combine;
  bool scalar = true; ///< also behind s_atomic_
};

const Operation operations[] = {
    {"swap", "wrxchg", "b32", 1,
     [](uint64_t, uint64_t d, uint64_t) { return d; }},
    {"add", "add", "u32", 1,
     [](uint64_t o, uint64_t d, uint64_t) { return o + d; }},
    {"sub", "sub", "u32", 1,
     [](uint64_t o, uint64_t d, uint64_t) { return o - d; }},
    {"", "rsub", "u32", 1,
     [](uint64_t o, uint64_t d, uint64_t) { return d - o; }},
    {"smin", "min", "i32", 1, minimum<int32_t>},
    {"umin", "min", "u32", 1, minimum<uint32_t>},
    {"smax", "max", "i32", 1, maximum<int32_t>},
    {"umax", "max", "u32", 1, maximum<uint32_t>},
    {"and", "and", "b32", 1,
     [](uint64_t o, uint64_t d, uint64_t) { return o & d; }},
    {"or", "or", "b32", 1,
     [](uint64_t o, uint64_t d, uint64_t) { return o | d; }},
    {"xor", "xor", "b32", 1,
     [](uint64_t o, uint64_t d, uint64_t) { return o ^ d; }},
    {"inc", "inc", "u32", 1, inc<uint32_t>},
    {"dec", "dec", "u32", 1, dec<uint32_t>},
    {"swap_x2", "wrxchg", "b64", 2,
     [](uint64_t, uint64_t d, uint64_t) { return d; }},
    {"add_x2", "add", "u64", 2,
     [](uint64_t o, uint64_t d, uint64_t) { return o + d; }},
    {"sub_x2", "sub", "u64", 2,
     [](uint64_t o, uint64_t d, uint64_t) { return o - d; }},
    {"", "rsub", "u64", 2,
     [](uint64_t o, uint64_t d, uint64_t) { return d - o; }},
    {"smin_x2", "min", "i64", 2, minimum<int64_t>},
    {"umin_x2", "min", "u64", 2, minimum<uint64_t>},
    {"smax_x2", "max", "i64", 2, maximum<int64_t>},
    {"umax_x2", "max", "u64", 2, maximum<uint64_t>},
    {"and_x2", "and", "b64", 2,
     [](uint64_t o, uint64_t d, uint64_t) { return o & d; }},
    {"or_x2", "or", "b64", 2,
     [](uint64_t o, uint64_t d, uint64_t) { return o | d; }},
    {"xor_x2", "xor", "b64", 2,
     [](uint64_t o, uint64_t d, uint64_t) { return o ^ d; }},
    {"inc_x2", "inc", "u64", 2, inc<uint64_t>},
    {"dec_x2", "dec", "u64", 2, dec<uint64_t>},
    {"add_f32", "add", "f32", 1, add<float>, false},
    {"add_f64", "add", "f64", 2, add<double>, false},
    {"min_f64", "min", "f64", 2, extreme<double, true>, false},
    {"max_f64", "max", "f64", 2, extreme<double, false>, false},
    {"", "min", "f32", 1, extreme<float, true>, false},
    {"", "max", "f32", 1, extreme<float, false>, false},
    {"pk_add_f16", "pk_add", "f16", 1, addPair<false>, false},
    {"pk_add_bf16", "pk_add", "bf16", 1, addPair<true>, false},
};

// Into LDS before, and back behind.
const std::string toLds = R"(
  global_load_dwordx4 v[20:23], v1, s[4:5]
  s_waitcnt vmcnt(0)
  ds_write_b128 v16, v[20:23]
)";
const std::string fromLds = R"(
  s_waitcnt lgkmcnt(0)
  ds_read_b128 v[20:23], v16
  s_waitcnt lgkmcnt(0)
  global_store_dwordx4 v1, v[20:23], s[4:5]
)";
const std::string flatAddress = R"(
  v_mov_b32 v19, s5
  v_add_co_u32 v18, vcc, s4, v1
  v_addc_co_u32 v19, vcc, 0, v19, vcc
  v_cmp_ne_u32 vcc, 0, v15
)";

void apply(Values &v, const Operation &op, uint64_t data, uint64_t compare,
           bool returns, unsigned result = 0) {
  uint64_t old = op.dwords == 2 ? uint64_t(v.m[1]) << 32 | v.m[0] : v.m[0];
  uint64_t next = op.combine(old, data, compare);
  v.m[0] = uint32_t(next);
  if (op.dwords == 2)
    v.m[1] = uint32_t(next >> 32);
  if (returns) {
    v.r[result] = uint32_t(old);
    if (op.dwords == 2)
      v.r[result + 1] = uint32_t(old >> 32);
  }
}
std::string regs(const char *kind, unsigned first, unsigned dwords) {
  std::string a = std::to_string(first);
  return dwords == 1 ? kind + a
                     : std::string(kind) + "[" + a + ":" +
                           std::to_string(first + dwords - 1) + "]";
}

TEST(Atomics, InEveryMemory) {
  std::vector<InstructionCase> cases;
  for (const Operation &op : operations) {
    std::string d = regs("v", 8, op.dwords), x = regs("v", 4, op.dwords);
    for (bool returns : {false, true}) {
      auto host = [&op, returns](Values &v) {
        apply(v, op, op.dwords == 2 ? v.b : uint32_t(v.b), 0, returns);
      };
      if (op.vector[0]) {
        // The one that buffers have not.
        bool inBuffers = std::string(op.vector) != "pk_add_bf16";
        std::string name = op.vector, glc = returns ? " sc0" : "";
        std::string dst = returns ? d + ", " : "";
        cases.push_back({"  global_atomic_" + name + " " + dst + "v1, " + x +
                             ", s[4:5]" + glc,
                         host});
        cases.push_back({flatAddress + "  flat_atomic_" + name + " " + dst +
                             "v[18:19], " + x + glc,
                         host});
        // A buffer has one register for both.
        std::string copy;
        for (unsigned i = 0; returns && i < op.dwords; ++i)
          copy += "  v_mov_b32 v" + std::to_string(8 + i) + ", v" +
                  std::to_string(4 + i) + "\n";
        if (inBuffers)
          cases.push_back({copy + "  buffer_atomic_" + name + " " +
                               (returns ? d : x) + ", v1, s[4:7], 0 offen" +
                               glc,
                           host});
      }
      std::string suffix = returns ? "_rtn_" : "_";
      std::string lds = op.lds;
      if (lds == "wrxchg" && !returns)
        continue;
      cases.push_back({toLds + "  ds_" + lds + suffix + op.type + " " +
                           (returns ? d + ", " : "") + "v16, " + x + fromLds,
                       host});
    }
    if (op.scalar && op.vector[0]) {
      std::string s = regs("s", 16, op.dwords), y = regs("s", 10, op.dwords);
      auto host = [&op](Values &v) {
        apply(v, op, op.dwords == 2 ? v.b : uint32_t(v.b), 0, true);
      };
      auto blind = [&op](Values &v) {
        apply(v, op, op.dwords == 2 ? v.b : uint32_t(v.b), 0, false);
      };
      std::string copy = "  s_mov_b32 s16, s10\n";
      if (op.dwords == 2)
        copy += "  s_mov_b32 s17, s11\n";
      for (const std::string &form :
           {"s_atomic_" + std::string(op.vector) + " #, s[20:21], 0x0",
            "s_buffer_atomic_" + std::string(op.vector) +
                " #, s[20:23], 0x0"}) {
        size_t at = form.find('#');
        cases.push_back(
            {copy + "  " + std::string(form).replace(at, 1, s) + " glc", host,
             true});
        cases.push_back(
            {"  " + std::string(form).replace(at, 1, y), blind, true});
      }
    }
  }
  checkInstructions(cases);
}

// Two data operands: compare-and-swap (memory holds what is compared in some
// elements), masked or, conditional exchange, two exchanges.
TEST(Atomics, WithTwoOperands) {
  auto dataThenCompare32 = [](bool returns) {
    return [returns](Values &v) {
      uint32_t old = v.m[0];
      v.m[0] = old == uint32_t(v.b >> 32) ? uint32_t(v.b) : old;
      if (returns)
        v.r[0] = old;
    };
  };
  auto dataThenCompare64 = [](bool returns) {
    return [returns](Values &v) {
      uint64_t old = uint64_t(v.m[1]) << 32 | v.m[0];
      v.setMemory(old == v.c ? v.b : old);
      if (returns)
        v.setPair(old);
    };
  };
  // Makes what is compared equal to memory in half of the lanes.
  std::string even32 = R"(
  global_load_dword v24, v1, s[4:5]
  s_waitcnt vmcnt(0)
  v_cndmask_b32 v5, v5, v24, vcc
)";
  std::string even64 = R"(
  global_load_dwordx2 v[24:25], v1, s[4:5]
  s_waitcnt vmcnt(0)
  v_cndmask_b32 v6, v6, v24, vcc
  v_cndmask_b32 v7, v7, v25, vcc
)";
  auto even = [](auto host, bool wide) {
    return [host, wide](Values &v) {
      if (v.bit && wide)
        v.c = uint64_t(v.m[1]) << 32 | v.m[0];
      else if (v.bit)
        v.b = uint64_t(v.m[0]) << 32 | uint32_t(v.b);
      host(v);
    };
  };
  std::vector<InstructionCase> cases;
  for (bool returns : {false, true}) {
    std::string glc = returns ? " sc0" : "";
    std::string d1 = returns ? "v8, " : "", d2 = returns ? "v[8:9], " : "";
    auto one = even(dataThenCompare32(returns), false);
    auto two = even(dataThenCompare64(returns), true);
    cases.push_back(
        {even32 + "  global_atomic_cmpswap " + d1 + "v1, v[4:5], s[4:5]" + glc,
         one});
    cases.push_back({even32 + flatAddress + "  flat_atomic_cmpswap " + d1 +
                         "v[18:19], v[4:5]" + glc,
                     one});
    cases.push_back({even64 + "  global_atomic_cmpswap_x2 " + d2 +
                         "v1, v[4:7], s[4:5]" + glc,
                     two});
    cases.push_back({even64 + flatAddress + "  flat_atomic_cmpswap_x2 " + d2 +
                         "v[18:19], v[4:7]" + glc,
                     two});
    // The old value replaces the data, what is compared stays.
    cases.push_back({even32 +
                         "  v_mov_b32 v8, v4\n  v_mov_b32 v9, v5\n"
                         "  buffer_atomic_cmpswap v[8:9], v1, s[4:7], 0 offen" +
                         glc,
                     [one, returns](Values &v) {
                       uint32_t m = v.m[0];
                       one(v);
                       v.r[1] = v.bit ? m : uint32_t(v.b >> 32);
                       if (!returns)
                         v.r[0] = uint32_t(v.b);
                     }});
    cases.push_back({even64 +
                         "  v_mov_b32 v8, v4\n  v_mov_b32 v9, v5\n"
                         "  v_mov_b32 v10, v6\n  v_mov_b32 v11, v7\n"
                         "  buffer_atomic_cmpswap_x2 v[8:11], v1, s[4:7], 0 "
                         "offen" +
                         glc,
                     [two, returns](Values &v) {
                       uint64_t m = uint64_t(v.m[1]) << 32 | v.m[0];
                       two(v);
                       v.setPair(v.bit ? m : v.c, 2);
                       if (!returns)
                         v.setPair(v.b);
                     }});
    std::string rtn = returns ? "_rtn" : "";
    // LDS: what is compared comes first.
    cases.push_back({even32 + toLds + "  ds_cmpst" + rtn + "_b32 " + d1 +
                         "v16, v5, v4" + fromLds,
                     one});
    cases.push_back({even64 + toLds + "  ds_cmpst" + rtn + "_b64 " + d2 +
                         "v16, v[6:7], v[4:5]" + fromLds,
                     two});
    // As numbers: zeros are equal, NaNs are not.
    cases.push_back(
        {toLds + "  ds_cmpst" + rtn + "_f32 " + d1 + "v16, v2, v4" + fromLds,
         [returns](Values &v) {
           uint32_t old = v.m[0];
           if (bitsAs<float>(old) == bitsAs<float>(uint32_t(v.a)))
             v.m[0] = uint32_t(v.b);
           if (returns)
             v.r[0] = old;
         }});
    cases.push_back({even64 + toLds + "  ds_cmpst" + rtn + "_f64 " + d2 +
                         "v16, v[6:7], v[4:5]" + fromLds,
                     [returns](Values &v) {
                       uint64_t old = uint64_t(v.m[1]) << 32 | v.m[0];
                       uint64_t c = v.bit ? old : v.c;
                       if (bitsAs<double>(old) == bitsAs<double>(c))
                         v.setMemory(v.b);
                       if (returns)
                         v.setPair(old);
                     }});
    cases.push_back(
        {toLds + "  ds_mskor" + rtn + "_b32 " + d1 + "v16, v4, v6" + fromLds,
         [returns](Values &v) {
           uint32_t old = v.m[0];
           v.m[0] = (old & ~uint32_t(v.b)) | uint32_t(v.c);
           if (returns)
             v.r[0] = old;
         }});
    cases.push_back({toLds + "  ds_mskor" + rtn + "_b64 " + d2 +
                         "v16, v[4:5], v[6:7]" + fromLds,
                     [returns](Values &v) {
                       uint64_t old = uint64_t(v.m[1]) << 32 | v.m[0];
                       v.setMemory((old & ~v.b) | v.c);
                       if (returns)
                         v.setPair(old);
                     }});
  }
  cases.push_back(
      {toLds + "  ds_wrap_rtn_b32 v8, v16, v4, v6" + fromLds, [](Values &v) {
         uint32_t old = v.m[0], b = uint32_t(v.b);
         v.m[0] = old >= b ? old - b : old + uint32_t(v.c);
         v.r[0] = old;
       }});
  // Stores a half whose top bit is set, that bit cleared.
  cases.push_back(
      {toLds + "  ds_condxchg32_rtn_b64 v[8:9], v16, v[4:5]" + fromLds,
       [](Values &v) {
         v.setPair(uint64_t(v.m[1]) << 32 | v.m[0]);
         for (int i = 0; i < 2; ++i)
           if (uint32_t half = uint32_t(v.b >> 32 * i); half >> 31)
             v.m[i] = half & 0x7fffffff;
       }});
  // A lane's 16 bytes: offsets of one and three dwords.
  cases.push_back({toLds +
                       "  ds_wrxchg2_rtn_b32 v[8:9], v16, v4, v6 offset0:1 "
                       "offset1:3" +
                       fromLds,
                   [](Values &v) {
                     v.r[0] = v.m[1];
                     v.r[1] = v.m[3];
                     v.m[1] = uint32_t(v.b);
                     v.m[3] = uint32_t(v.c);
                   }});
  cases.push_back({toLds +
                       "  ds_wrxchg2_rtn_b64 v[8:11], v16, v[4:5], v[6:7] "
                       "offset1:1" +
                       fromLds,
                   [](Values &v) {
                     for (int i = 0; i < 4; ++i)
                       v.r[i] = v.m[i];
                     v.setMemory(v.b);
                     v.m[2] = uint32_t(v.c);
                     v.m[3] = uint32_t(v.c >> 32);
                   }});
  // The far forms: the second element 256 or 512 bytes on, where lane 16 or 32
  // further has its own.
  std::string half = "  s_mov_b64 exec, 0xffff\n";
  cases.push_back({toLds + half +
                       "  ds_wrxchg2st64_rtn_b32 v[8:9], v16, v4, v6 "
                       "offset0:0 offset1:4\n  s_mov_b64 exec, -1" +
                       fromLds,
                   [](Values &v) {
                     // 1024 bytes on lies nobody.
                     if (v.lane >= 16)
                       return;
                     v.r[0] = v.m[0];
                     v.r[1] = 0;
                     v.m[0] = uint32_t(v.b);
                   }});
  cases.push_back({toLds + half +
                       "  ds_wrxchg2st64_rtn_b64 v[8:11], v16, v[4:5], v[6:7] "
                       "offset0:0 offset1:2\n  s_mov_b64 exec, -1" +
                       fromLds,
                   [](Values &v) {
                     if (v.lane >= 16)
                       return;
                     v.setPair(uint64_t(v.m[1]) << 32 | v.m[0]);
                     v.setPair(0, 2);
                     v.setMemory(v.b);
                   }});
  for (unsigned wide : {0u, 1u}) {
    auto host = [wide](Values &v) {
      uint64_t old = wide ? uint64_t(v.m[1]) << 32 | v.m[0] : v.m[0];
      uint64_t compare = wide ? v.c : uint32_t(v.b >> 32);
      if (v.bit)
        compare = old;
      uint64_t data = wide ? v.b : uint32_t(v.b);
      if (old == compare) {
        v.m[0] = uint32_t(data);
        if (wide)
          v.m[1] = uint32_t(data >> 32);
      }
      v.r[0] = uint32_t(old);
      v.r[1] = wide ? uint32_t(old >> 32) : uint32_t(compare);
      if (wide)
        v.setPair(compare, 2);
    };
    // What is compared is memory's in the elements with SCC.
    std::string load = R"(
  s_load_dwordx2 s[28:29], s[20:21], 0x0
  s_waitcnt lgkmcnt(0)
)";
    std::string prepare = wide ? load + R"(
  s_mov_b64 s[16:17], s[10:11]
  s_cselect_b64 s[18:19], s[28:29], s[12:13]
)"
                               : load + R"(
  s_mov_b32 s16, s10
  s_cselect_b32 s17, s28, s11
)";
    std::string name = wide ? "cmpswap_x2 s[16:19]" : "cmpswap s[16:17]";
    cases.push_back(
        {prepare + "  s_atomic_" + name + ", s[20:21], 0x0 glc", host, true});
    cases.push_back(
        {prepare + "  s_buffer_atomic_" + name + ", s[20:23], 0x0 glc", host,
         true});
  }
  checkInstructions(cases);
}

} // namespace
