//===- LaneMask.cpp - Which lanes take part, unexecuted -------------------===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Logic of three values, bit by bit. a | b is b itself where a is a part of it:
// that is how EXEC gets back to what it was before a branch.
//
//===----------------------------------------------------------------------===//

#include "LaneMask.h"

using namespace tlc::sim;
using namespace tlc::sim::predict;

MaskRef predict::exactMask(uint64_t ones) {
  auto mask = std::make_shared<LaneMask>();
  mask->ones = ones;
  return mask;
}

MaskRef predict::unknownMask(uint64_t cause, LaneMask::Name name) {
  auto mask = std::make_shared<LaneMask>();
  mask->known = 0;
  mask->cause = cause;
  mask->name = name;
  return mask;
}

bool predict::same(const MaskRef &a, const MaskRef &b) {
  if (a == b)
    return true;
  return a && b && a->known == b->known && a->on() == b->on() &&
         a->name == b->name && a->above == b->above && a->under == b->under &&
         a->underKnown == b->underKnown && a->underOnes == b->underOnes &&
         a->together == b->together;
}

/// All names of what a mask is a part of, its own first.
static std::vector<LaneMask::Name> namesOf(const LaneMask &mask) {
  std::vector<LaneMask::Name> names;
  if (mask.name)
    names.push_back(mask.name);
  names.insert(names.end(), mask.above.begin(), mask.above.end());
  return names;
}

/// An empty mask is a part of any.
static bool isPartOf(const LaneMask &mask, LaneMask::Name name) {
  return (mask.isExact() && !mask.ones) || mask.isWithin(name);
}

/// What two masks are both a part of, but for `except`.
static std::vector<LaneMask::Name>
commonNames(const LaneMask &a, const LaneMask &b, LaneMask::Name except) {
  std::vector<LaneMask::Name> names;
  for (const LaneMask *mask : {&a, &b})
    for (LaneMask::Name name : namesOf(*mask))
      if (name != except && isPartOf(a, name) && isPartOf(b, name) &&
          std::find(names.begin(), names.end(), name) == names.end())
        names.push_back(name);
  return names;
}

MaskRef predict::combine(MaskLogic logic, const MaskRef &a, const MaskRef &b,
                         LaneMask::Name name) {
  bool inverts = logic == MaskLogic::AndNot || logic == MaskLogic::OrNot;
  if (!inverts) {
    bool isOr = logic == MaskLogic::Or, isAnd = logic == MaskLogic::And;
    if ((isOr && a->isWithin(b->name)) || (isAnd && b->isWithin(a->name)))
      return b;
    if ((isOr && b->isWithin(a->name)) || (isAnd && a->isWithin(b->name)))
      return a;
  }
  uint64_t on = inverts ? b->off() : b->on();
  uint64_t off = inverts ? b->on() : b->off();
  auto result = std::make_shared<LaneMask>();
  if (logic == MaskLogic::And || logic == MaskLogic::AndNot) {
    result->ones = a->on() & on;
    result->known = result->ones | a->off() | off;
  } else if (logic == MaskLogic::Xor) {
    result->known = a->known & b->known;
    result->ones = (a->ones ^ b->ones) & result->known;
  } else {
    result->ones = a->on() | on;
    result->known = result->ones | (a->off() & off);
  }
  if (result->isExact())
    return result;
  result->name = name;
  result->cause = a->isExact() ? b->cause : a->cause;
  result->together = a->isExact() ? b->together
                     : b->isExact()
                         ? a->together
                         : a->together && b->together && !a->known && !b->known;
  // Turned round in some of them, they differ.
  if (logic == MaskLogic::Xor && result->together)
    result->together =
        !(a->on() & result->maybe()) && !(b->on() & result->maybe());
  // An intersection is a part of both, a union of what both are parts of.
  if (logic == MaskLogic::And || logic == MaskLogic::AndNot) {
    result->above = namesOf(*a);
    if (!inverts)
      for (LaneMask::Name above : namesOf(*b))
        if (!result->isWithin(above))
          result->above.push_back(above);
  } else if (logic == MaskLogic::Or) {
    result->above = commonNames(*a, *b, name);
  }
  std::erase(result->above, name);
  return result;
}

MaskRef predict::join(const MaskRef &a, const MaskRef &b, LaneMask::Name name) {
  if (!a || !b)
    return a ? a : b;
  if (same(a, b))
    return a;
  auto result = std::make_shared<LaneMask>();
  result->known = a->known & b->known & ~(a->ones ^ b->ones);
  result->ones = a->ones & result->known;
  if (result->isExact())
    return result;
  result->cause = a->isExact() ? b->cause : a->cause;
  result->name = name;
  result->above = commonNames(*a, *b, name);
  // On one way all lanes, on the other none: all together.
  auto rest = result->maybe();
  auto whole = [&](const LaneMask &mask) {
    return (mask.isExact() && (!(mask.ones & rest) || !(rest & ~mask.ones))) ||
           (mask.together && mask.maybe() == rest);
  };
  result->together = whole(*a) && whole(*b);
  return same(result, a) ? a : result;
}
