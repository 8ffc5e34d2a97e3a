//===- ScalarTests.cpp - Scalar instructions ------------------------------===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A in s[8:9], B in s[10:11], C in s[12:13]; results in s[16:19], which begin
// with random words.
//
//===----------------------------------------------------------------------===//

#include "Instructions.h"

#include <bit>

using namespace tlc::test;

namespace {

using Host = std::function<void(Values &)>;
uint32_t lo(uint64_t v) { return uint32_t(v); }

/// A result of 32 or 64 bits, SCC set if it is not zero (or as it was).
Host word(std::function<uint32_t(const Values &)> f, bool setsBit = true) {
  return [=](Values &v) {
    uint32_t result = f(v);
    v.r[0] = result;
    if (setsBit)
      v.bit = result != 0;
  };
}
Host pair(std::function<uint64_t(const Values &)> f, bool setsBit = true) {
  return [=](Values &v) {
    uint64_t result = f(v);
    v.setPair(result);
    if (setsBit)
      v.bit = result != 0;
  };
}
Host bit(std::function<bool(const Values &)> f) {
  return [=](Values &v) { v.bit = f(v); };
}
/// Sum with the carry as SCC.
Host carry(std::function<uint64_t(const Values &)> f) {
  return [=](Values &v) {
    uint64_t sum = f(v);
    v.bit = sum >> 32 & 1;
    v.r[0] = uint32_t(sum);
  };
}
/// Sum of signed numbers with the overflow as SCC.
Host overflow(std::function<int64_t(const Values &)> f) {
  return [=](Values &v) {
    int64_t sum = f(v);
    v.bit = sum != int32_t(sum);
    v.r[0] = uint32_t(sum);
  };
}
template <typename T> T wholeQuads(T v) {
  T result = 0;
  for (unsigned i = 0; i < sizeof(T) * 8; i += 4)
    if (v >> i & 15)
      result |= T(15) << i;
  return result;
}
template <typename T> T quadMask(T v) {
  T result = 0;
  for (unsigned i = 0; i < sizeof(T) * 2; ++i)
    if (v >> 4 * i & 15)
      result |= T(1) << i;
  return result;
}
/// Position of the first bit from the top that differs from the sign.
template <typename T> uint32_t firstOther(T v) {
  constexpr unsigned bits = sizeof(T) * 8;
  for (unsigned i = 1; i < bits; ++i)
    if ((v >> (bits - 1 - i) & 1) != (v >> (bits - 1) & 1))
      return i;
  return ~0u;
}
template <typename T> uint32_t fromTop(T v) {
  return v ? uint32_t(std::countl_zero(v)) : ~0u;
}
template <typename T> uint32_t fromBottom(T v) {
  return v ? uint32_t(std::countr_zero(v)) : ~0u;
}
template <typename T> T reversed(T v) {
  T result = 0;
  for (unsigned i = 0; i < sizeof(T) * 8; ++i)
    result |= (v >> i & 1) << (sizeof(T) * 8 - 1 - i);
  return result;
}
/// A field: offset in the low bits, width in [22:16].
template <typename T> T field(T v, uint32_t place) {
  unsigned offset = place & (sizeof(T) * 8 - 1), width = place >> 16 & 127;
  T shifted = v >> offset;
  return width >= sizeof(T) * 8 ? shifted : shifted & ((T(1) << width) - 1);
}
template <typename T> T signedField(T v, uint32_t place) {
  unsigned width = place >> 16 & 127;
  using S = std::make_signed_t<T>;
  constexpr unsigned bits = sizeof(T) * 8;
  T value = T(S(v) >> (place & (bits - 1)));
  if (width == 0)
    return 0;
  return width >= bits ? value
                       : T(S(value << (bits - width)) >> (bits - width));
}

std::vector<InstructionCase> scalarCases() {
  std::vector<InstructionCase> cases;
  auto add = [&](std::string code, Host host) {
    cases.push_back({"  " + code, std::move(host), true});
  };
  // One operand.
  auto one = [&](std::string name, Host host) {
    bool to64 = name.ends_with("b64") || name.ends_with("b64_b32");
    bool from64 = name.ends_with("b64") || name.ends_with("i64");
    if (name.starts_with("s_bcnt") || name.starts_with("s_ff") ||
        name.starts_with("s_flbit"))
      to64 = false;
    if (name.starts_with("s_bitset"))
      from64 = false;
    add(name + (to64 ? " s[16:17], " : " s16, ") + (from64 ? "s[8:9]" : "s8"),
        std::move(host));
  };
  one("s_mov_b32", word([](const Values &v) { return lo(v.a); }, false));
  one("s_mov_b64", pair([](const Values &v) { return v.a; }, false));
  one("s_cmov_b32", [](Values &v) {
    if (v.bit)
      v.r[0] = lo(v.a);
  });
  one("s_cmov_b64", [](Values &v) {
    if (v.bit)
      v.setPair(v.a);
  });
  one("s_not_b32", word([](const Values &v) { return ~lo(v.a); }));
  one("s_not_b64", pair([](const Values &v) { return ~v.a; }));
  one("s_wqm_b32", word([](const Values &v) { return wholeQuads(lo(v.a)); }));
  one("s_wqm_b64", pair([](const Values &v) { return wholeQuads(v.a); }));
  one("s_brev_b32",
      word([](const Values &v) { return reversed(lo(v.a)); }, false));
  one("s_brev_b64", pair([](const Values &v) { return reversed(v.a); }, false));
  one("s_bcnt0_i32_b32", word([](const Values &v) {
        return 32u - unsigned(std::popcount(lo(v.a)));
      }));
  one("s_bcnt0_i32_b64",
      word([](const Values &v) { return 64u - unsigned(std::popcount(v.a)); }));
  one("s_bcnt1_i32_b32",
      word([](const Values &v) { return uint32_t(std::popcount(lo(v.a))); }));
  one("s_bcnt1_i32_b64",
      word([](const Values &v) { return uint32_t(std::popcount(v.a)); }));
  one("s_ff0_i32_b32",
      word([](const Values &v) { return fromBottom(~lo(v.a)); }, false));
  one("s_ff0_i32_b64",
      word([](const Values &v) { return fromBottom(~v.a); }, false));
  one("s_ff1_i32_b32",
      word([](const Values &v) { return fromBottom(lo(v.a)); }, false));
  one("s_ff1_i32_b64",
      word([](const Values &v) { return fromBottom(v.a); }, false));
  one("s_flbit_i32_b32",
      word([](const Values &v) { return fromTop(lo(v.a)); }, false));
  one("s_flbit_i32_b64",
      word([](const Values &v) { return fromTop(v.a); }, false));
  one("s_flbit_i32",
      word([](const Values &v) { return firstOther(lo(v.a)); }, false));
  one("s_flbit_i32_i64",
      word([](const Values &v) { return firstOther(v.a); }, false));
  one("s_sext_i32_i8",
      word([](const Values &v) { return uint32_t(int8_t(v.a)); }, false));
  one("s_sext_i32_i16",
      word([](const Values &v) { return uint32_t(int16_t(v.a)); }, false));
  one("s_bitset0_b32",
      word([](const Values &v) { return v.r[0] & ~(1u << (v.a & 31)); },
           false));
  one("s_bitset1_b32",
      word([](const Values &v) { return v.r[0] | 1u << (v.a & 31); }, false));
  one("s_bitset0_b64",
      pair([](const Values &v) { return v.pair() & ~(1ull << (v.a & 63)); },
           false));
  one("s_bitset1_b64",
      pair([](const Values &v) { return v.pair() | 1ull << (v.a & 63); },
           false));
  one("s_abs_i32", word([](const Values &v) {
        return int32_t(v.a) < 0 ? 0u - lo(v.a) : lo(v.a);
      }));
  one("s_quadmask_b32",
      word([](const Values &v) { return quadMask(lo(v.a)); }));
  one("s_quadmask_b64", pair([](const Values &v) { return quadMask(v.a); }));
  one("s_bitreplicate_b64_b32", pair(
                                    [](const Values &v) {
                                      uint64_t result = 0;
                                      for (unsigned i = 0; i < 32; ++i)
                                        result |=
                                            (v.a >> i & 1) * (3ull << 2 * i);
                                      return result;
                                    },
                                    false));
  // EXEC: the old one is kept, the new one is looked at through vcc.
  struct Save {
    const char *name;
    uint64_t (*combine)(uint64_t, uint64_t);
  };
  const uint64_t mask = 0x00ff00ff12345678;
  for (Save save :
       {Save{"and", [](uint64_t s, uint64_t e) { return s & e; }},
        Save{"or", [](uint64_t s, uint64_t e) { return s | e; }},
        Save{"xor", [](uint64_t s, uint64_t e) { return s ^ e; }},
        Save{"andn2", [](uint64_t s, uint64_t e) { return s & ~e; }},
        Save{"orn2", [](uint64_t s, uint64_t e) { return s | ~e; }},
        Save{"andn1", [](uint64_t s, uint64_t e) { return ~s & e; }},
        Save{"orn1", [](uint64_t s, uint64_t e) { return ~s | e; }},
        Save{"nand", [](uint64_t s, uint64_t e) { return ~(s & e); }},
        Save{"nor", [](uint64_t s, uint64_t e) { return ~(s | e); }},
        Save{"xnor", [](uint64_t s, uint64_t e) { return ~(s ^ e); }}}) {
    std::string set =
        "s_mov_b32 exec_lo, 0x12345678\n  s_mov_b32 exec_hi, 0xff00ff\n  ";
    std::string get = "\n  s_mov_b64 s[18:19], exec\n  s_mov_b64 exec, -1";
    add(set + "s_" + save.name + "_saveexec_b64 s[16:17], s[8:9]" + get,
        [=](Values &v) {
          uint64_t next = save.combine(v.a, mask);
          v.setPair(mask);
          v.setPair(next, 2);
          v.bit = next != 0;
        });
    if (std::string(save.name) == "andn1" || std::string(save.name) == "andn2")
      add(set + "s_" + save.name + "_wrexec_b64 s[16:17], s[8:9]" + get,
          [=](Values &v) {
            uint64_t next = save.combine(v.a, mask);
            v.setPair(next);
            v.setPair(next, 2);
            v.bit = next != 0;
          });
  }
  // Registers by number.
  add("s_and_b32 m0, s8, 1\n  s_movrels_b32 s16, s10", [](Values &v) {
    v.bit = v.a & 1;
    v.r[0] = uint32_t(v.b >> (v.a & 1) * 32);
  });
  add("s_and_b32 m0, s8, 2\n  s_movrels_b64 s[16:17], s[10:11]", [](Values &v) {
    v.bit = v.a & 2;
    v.setPair(v.a & 2 ? v.c : v.b);
  });
  add("s_and_b32 m0, s8, 3\n  s_movreld_b32 s16, s10", [](Values &v) {
    v.bit = (v.a & 3) != 0;
    v.r[v.a & 3] = lo(v.b);
  });
  add("s_and_b32 m0, s8, 2\n  s_movreld_b64 s[16:17], s[10:11]", [](Values &v) {
    v.bit = v.a & 2;
    v.setPair(v.b, v.a & 2);
  });
  // Two operands.
  auto two = [&](std::string name, Host host, bool shiftOnly = false) {
    bool wide = name.ends_with("64");
    add(name + (wide ? " s[16:17], s[8:9], " : " s16, s8, ") +
            (wide && !shiftOnly ? "s[10:11]" : "s10"),
        std::move(host));
  };
  two("s_add_u32",
      carry([](const Values &v) { return uint64_t(lo(v.a)) + lo(v.b); }));
  two("s_sub_u32",
      carry([](const Values &v) { return uint64_t(lo(v.a)) - lo(v.b); }));
  two("s_addc_u32", carry([](const Values &v) {
        return uint64_t(lo(v.a)) + lo(v.b) + v.bit;
      }));
  two("s_subb_u32", carry([](const Values &v) {
        return uint64_t(lo(v.a)) - lo(v.b) - v.bit;
      }));
  two("s_add_i32", overflow([](const Values &v) {
        return int64_t(int32_t(v.a)) + int32_t(v.b);
      }));
  two("s_sub_i32", overflow([](const Values &v) {
        return int64_t(int32_t(v.a)) - int32_t(v.b);
      }));
  for (unsigned i = 1; i <= 4; ++i)
    two("s_lshl" + std::to_string(i) + "_add_u32", [i](Values &v) {
      uint64_t sum = (uint64_t(lo(v.a)) << i) + lo(v.b);
      v.bit = sum >> 32 != 0;
      v.r[0] = uint32_t(sum);
    });
  auto choose = [&](const char *name, auto better, auto as) {
    two(name, [better, as](Values &v) {
      auto a = as(v.a), b = as(v.b);
      v.bit = better(a, b);
      v.r[0] = uint32_t(v.bit ? a : b);
    });
  };
  auto asSigned = [](uint64_t v) { return int32_t(v); };
  auto asUnsigned = [](uint64_t v) { return uint32_t(v); };
  choose("s_min_i32", std::less<>(), asSigned);
  choose("s_min_u32", std::less<>(), asUnsigned);
  choose("s_max_i32", std::greater<>(), asSigned);
  choose("s_max_u32", std::greater<>(), asUnsigned);
  two("s_cselect_b32",
      word([](const Values &v) { return lo(v.bit ? v.a : v.b); }, false));
  two("s_cselect_b64",
      pair([](const Values &v) { return v.bit ? v.a : v.b; }, false));
  struct Logic {
    const char *name;
    uint64_t (*f)(uint64_t, uint64_t);
  };
  for (Logic logic :
       {Logic{"and", [](uint64_t a, uint64_t b) { return a & b; }},
        Logic{"or", [](uint64_t a, uint64_t b) { return a | b; }},
        Logic{"xor", [](uint64_t a, uint64_t b) { return a ^ b; }},
        Logic{"andn2", [](uint64_t a, uint64_t b) { return a & ~b; }},
        Logic{"orn2", [](uint64_t a, uint64_t b) { return a | ~b; }},
        Logic{"nand", [](uint64_t a, uint64_t b) { return ~(a & b); }},
        Logic{"nor", [](uint64_t a, uint64_t b) { return ~(a | b); }},
        Logic{"xnor", [](uint64_t a, uint64_t b) { return ~(a ^ b); }}}) {
    two("s_" + std::string(logic.name) + "_b32",
        word([=](const Values &v) { return lo(logic.f(v.a, v.b)); }));
    two("s_" + std::string(logic.name) + "_b64",
        pair([=](const Values &v) { return logic.f(v.a, v.b); }));
  }
  two("s_lshl_b32",
      word([](const Values &v) { return lo(v.a) << (v.b & 31); }));
  two("s_lshr_b32",
      word([](const Values &v) { return lo(v.a) >> (v.b & 31); }));
  two("s_ashr_i32", word([](const Values &v) {
        return uint32_t(int32_t(v.a) >> (v.b & 31));
      }));
  two("s_lshl_b64", pair([](const Values &v) { return v.a << (v.b & 63); }),
      true);
  two("s_lshr_b64", pair([](const Values &v) { return v.a >> (v.b & 63); }),
      true);
  two("s_ashr_i64", pair([](const Values &v) {
        return uint64_t(int64_t(v.a) >> (v.b & 63));
      }),
      true);
  two("s_bfm_b32", word(
                       [](const Values &v) {
                         return ((1u << (v.a & 31)) - 1) << (v.b & 31);
                       },
                       false));
  add("s_bfm_b64 s[16:17], s8, s10", pair(
                                         [](const Values &v) {
                                           return ((1ull << (v.a & 63)) - 1)
                                                  << (v.b & 63);
                                         },
                                         false));
  two("s_mul_i32",
      word([](const Values &v) { return lo(v.a) * lo(v.b); }, false));
  two("s_mul_hi_u32", word(
                          [](const Values &v) {
                            return uint32_t(uint64_t(lo(v.a)) * lo(v.b) >> 32);
                          },
                          false));
  two("s_mul_hi_i32",
      word(
          [](const Values &v) {
            return uint32_t(int64_t(int32_t(v.a)) * int32_t(v.b) >> 32);
          },
          false));
  two("s_bfe_u32",
      word([](const Values &v) { return field(lo(v.a), lo(v.b)); }));
  two("s_bfe_i32",
      word([](const Values &v) { return signedField(lo(v.a), lo(v.b)); }));
  two("s_bfe_u64", pair([](const Values &v) { return field(v.a, lo(v.b)); }),
      true);
  two("s_bfe_i64",
      pair([](const Values &v) { return signedField(v.a, lo(v.b)); }), true);
  two("s_absdiff_i32", word([](const Values &v) {
        int32_t difference = int32_t(lo(v.a) - lo(v.b));
        return difference < 0 ? 0u - uint32_t(difference)
                              : uint32_t(difference);
      }));
  two("s_pack_ll_b32_b16",
      word([](const Values &v) { return lo(v.b) << 16 | (v.a & 0xffff); },
           false));
  two("s_pack_lh_b32_b16", word(
                               [](const Values &v) {
                                 return lo((v.b & 0xffff0000) | (v.a & 0xffff));
                               },
                               false));
  two("s_pack_hh_b32_b16",
      word(
          [](const Values &v) {
            return lo((v.b & 0xffff0000) | (lo(v.a) >> 16));
          },
          false));
  // Comparisons of registers and with 16 bits of the instruction.
  struct Test {
    const char *name;
    bool (*s)(int64_t, int64_t);
  };
  for (Test test : {Test{"eq", [](int64_t a, int64_t b) { return a == b; }},
                    Test{"lg", [](int64_t a, int64_t b) { return a != b; }},
                    Test{"gt", [](int64_t a, int64_t b) { return a > b; }},
                    Test{"ge", [](int64_t a, int64_t b) { return a >= b; }},
                    Test{"lt", [](int64_t a, int64_t b) { return a < b; }},
                    Test{"le", [](int64_t a, int64_t b) { return a <= b; }}}) {
    std::string name = test.name;
    add("s_cmp_" + name + "_i32 s8, s10", bit([=](const Values &v) {
          return test.s(int32_t(v.a), int32_t(v.b));
        }));
    add("s_cmp_" + name + "_u32 s8, s10",
        bit([=](const Values &v) { return test.s(lo(v.a), lo(v.b)); }));
    add("s_cmpk_" + name + "_i32 s8, 0xffc0",
        bit([=](const Values &v) { return test.s(int32_t(v.a), -64); }));
    add("s_cmpk_" + name + "_u32 s8, 0xffc0",
        bit([=](const Values &v) { return test.s(lo(v.a), 0xffc0); }));
    add("s_cmpk_" + name + "_i32 s8, 0x20",
        bit([=](const Values &v) { return test.s(int32_t(v.a), 32); }));
    if (name == "eq" || name == "lg")
      add("s_cmp_" + name + "_u64 s[8:9], s[10:11]", bit([=](const Values &v) {
            return test.s(int64_t(v.a), int64_t(v.b));
          }));
  }
  for (bool set : {false, true}) {
    std::string name = set ? "s_bitcmp1_b" : "s_bitcmp0_b";
    add(name + "32 s8, s10",
        bit([=](const Values &v) { return (v.a >> (v.b & 31) & 1) == set; }));
    add(name + "64 s[8:9], s10",
        bit([=](const Values &v) { return (v.a >> (v.b & 63) & 1) == set; }));
  }
  add("s_movk_i32 s16, 0x8001", [](Values &v) { v.r[0] = 0xffff8001; });
  add("s_cmovk_i32 s16, 0x8001", [](Values &v) {
    if (v.bit)
      v.r[0] = 0xffff8001;
  });
  add("s_addk_i32 s16, 0x8001", [](Values &v) {
    int64_t sum = int64_t(int32_t(v.r[0])) - 32767;
    v.bit = sum != int32_t(sum);
    v.r[0] = uint32_t(sum);
  });
  add("s_mulk_i32 s16, 0x8001", [](Values &v) { v.r[0] *= 0xffff8001; });
  // Jumps and calls leave the address behind them.
  add("s_call_b64 s[16:17], .Lcalled%=\n.Lback%=:\n  s_branch .Lend%=\n"
      ".Lcalled%=:\n  s_getpc_b64 s[18:19]\n.Lhere%=:\n"
      "  s_sub_u32 s18, s18, s16\n  s_subb_u32 s19, s19, s17\n"
      "  s_mov_b32 s27, 5\n  s_setpc_b64 s[16:17]\n.Lend%=:\n"
      "  s_mov_b32 s16, s27\n  s_mov_b32 s17, s18\n  s_mov_b32 s18, 0\n"
      "  s_cmp_eq_u32 s19, 0",
      [](Values &v) {
        v.r[0] = 5;
        v.r[1] = 8; // the branch, and s_getpc itself
        v.r[2] = v.r[3] = 0;
        v.bit = true;
      });
  add("s_getpc_b64 s[16:17]\n.Lfrom%=:\n  s_add_u32 s16, s16, .Lto%=-.Lfrom%=\n"
      "  s_addc_u32 s17, s17, 0\n  s_swappc_b64 s[18:19], s[16:17]\n"
      "  s_branch .Lover%=\n.Lto%=:\n  s_sub_u32 s16, s16, s18\n"
      "  s_mov_b32 s17, 9\n  s_setpc_b64 s[18:19]\n.Lover%=:\n"
      "  s_mov_b64 s[18:19], 0\n  s_cmp_eq_u32 s17, 8",
      [](Values &v) {
        v.r[0] = 4;
        v.r[1] = 9;
        v.r[2] = v.r[3] = 0;
        v.bit = false;
      });
  // A field of MODE, whole and in part; the rounding is put back.
  add("s_setreg_imm32_b32 hwreg(HW_REG_MODE, 0, 4), 0x9\n"
      "  s_getreg_b32 s16, hwreg(HW_REG_MODE, 0, 4)\n"
      "  s_setreg_imm32_b32 hwreg(HW_REG_MODE, 1, 2), 0x3\n"
      "  s_getreg_b32 s17, hwreg(HW_REG_MODE, 0, 4)\n"
      "  s_setreg_b32 hwreg(HW_REG_MODE, 0, 4), s8\n"
      "  s_getreg_b32 s18, hwreg(HW_REG_MODE, 0, 4)\n"
      "  s_setreg_imm32_b32 hwreg(HW_REG_MODE, 0, 4), 0\n"
      "  s_getreg_b32 s19, hwreg(HW_REG_MODE, 0, 2)",
      [](Values &v) {
        v.r[0] = 9;
        v.r[1] = 15;
        v.r[2] = v.a & 15;
        v.r[3] = 0;
      });
  // Accesses of each width.
  for (unsigned n : {1u, 2u, 4u}) {
    std::string x = n > 1 ? "x" + std::to_string(n) : "";
    std::string to = n == 1 ? "s16" : "s[16:" + std::to_string(15 + n) + "]";
    auto load = [n](Values &v) {
      for (unsigned i = 0; i < n; ++i)
        v.r[i] = v.m[i];
    };
    add("s_load_dword" + x + " " + to + ", s[20:21], 0x0", load);
    add("s_buffer_load_dword" + x + " " + to + ", s[20:23], 0x0", load);
    auto store = [n](Values &v) {
      for (unsigned i = 0; i < n; ++i)
        v.m[i] = v.r[i];
    };
    add("s_store_dword" + x + " " + to + ", s[20:21], 0x0", store);
    add("s_buffer_store_dword" + x + " " + to + ", s[20:23], 0x0", store);
  }
  // Beyond the resource's 16 bytes a load gives 0 and a store does nothing.
  add("s_buffer_load_dwordx4 s[16:19], s[20:23], 0x8", [](Values &v) {
    v.r[0] = v.m[2];
    v.r[1] = v.m[3];
    v.r[2] = v.r[3] = 0;
  });
  add("s_buffer_store_dwordx2 s[16:17], s[20:23], 0xc",
      [](Values &v) { v.m[3] = v.r[0]; });
  // Eight and sixteen dwords: of the input, which begins at s[4:5] with A.
  for (std::string n : {"8", "16"})
    for (bool buffer : {false, true}) {
      std::string to = n == "8" ? " s[32:39], " : " s[32:47], ";
      std::string name = buffer ? "s_buffer_load_dwordx" : "s_load_dwordx";
      std::string from = buffer ? "s[28:31], 0x0" : "s[4:5], 0x0";
      add("s_mov_b64 s[28:29], s[4:5]\n  s_mov_b32 s30, 64\n"
          "  s_mov_b32 s31, 0x20000\n  " +
              name + n + to + from +
              "\n  s_waitcnt lgkmcnt(0)\n  s_mov_b64 s[16:17], s[32:33]\n"
              "  s_mov_b64 s[18:19], s[36:37]",
          [](Values &v) {
            v.setPair(v.a);
            v.setPair(v.c, 2);
          });
    }
  return cases;
}

TEST(Scalar, EveryInstruction) {
  std::vector<InstructionCase> cases = scalarCases();
  // Labels of each case are its own.
  for (size_t i = 0; i < cases.size(); ++i)
    for (size_t at; (at = cases[i].code.find("%=")) != std::string::npos;)
      cases[i].code.replace(at, 2, std::to_string(i));
  checkInstructions(cases);
}

} // namespace
