//===- Npy.cpp - Arrays in .npy files -------------------------------------===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A file is a magic string, a version, the length of a header, the header (a
// dictionary literal with the keys descr, fortran_order and shape), and the
// elements. Every length is checked before it is believed.
//
// bfloat16 and fp8 have no type in .npy: they are stored as unsigned integers
// of their bits, and read back as such (asType).
//
//   \x93NUMPY 1 0  <length>  {'descr': '<f4', 'fortran_order': False,
//                             'shape': (64, 128), }  padding \n  elements
//
//===----------------------------------------------------------------------===//

#include "tlc/Runtime/Npy.h"
#include "tlc/Support/Files.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace tlc;
using llvm::StringRef;

namespace {

/// A type as NumPy's headers name it.
struct Descr {
  const char *text; ///< without the byte order
  DType type;
};
// The types that both NumPy and tlc have.
const Descr descrs[] = {
    {"b1", DType::Bool},    {"i1", DType::Int8},    {"i2", DType::Int16},
    {"i4", DType::Int32},   {"i8", DType::Int64},   {"u1", DType::UInt8},
    {"u2", DType::UInt16},  {"u4", DType::UInt32},  {"u8", DType::UInt64},
    {"f2", DType::Float16}, {"f4", DType::Float32}, {"f8", DType::Float64},
};

llvm::Error fail(const llvm::Twine &message) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(), message);
}

/// The text after `'key':` in the header's dictionary; empty if missing. A
/// search for the quoted key, not a parser of Python: NumPy writes the header,
/// and its values are simple.
StringRef valueOf(StringRef header, StringRef key) {
  for (char quote : {'\'', '"'}) {
    std::string quoted = quote + key.str() + quote;
    size_t at = header.find(quoted);
    if (at == StringRef::npos)
      continue;
    StringRef rest = header.substr(at + quoted.size()).ltrim();
    if (rest.consume_front(":"))
      return rest.ltrim();
  }
  return "";
}

/// "'<f4'" to a type. Byte-sized types only.
llvm::Expected<DType> parseDescr(StringRef text) {
  if (text.empty() || (text[0] != '\'' && text[0] != '"'))
    return fail("its element type is not a simple one");
  // Byte order, kind, size: '<f4', '>i8', '|b1'.
  StringRef descr =
      text.drop_front().take_until([&](char c) { return c == text[0]; });
  if (descr.size() < 3)
    return fail("unknown element type '" + descr + "'");
  for (const Descr &entry : descrs)
    if (descr.drop_front() == entry.text)
      return entry.type;
  return fail("element type '" + descr + "' is not one of tlc's");
}

/// "(64, 128)", with Python 2's trailing L allowed.
/// "(64, )" is one dimension, "()" none: a scalar
llvm::Expected<llvm::SmallVector<int64_t, 4>> parseShape(StringRef text) {
  llvm::SmallVector<int64_t, 4> shape;
  if (!text.consume_front("("))
    return fail("its shape is not a tuple");
  size_t end = text.find(')');
  if (end == StringRef::npos)
    return fail("its shape does not end");
  text = text.take_front(end);
  llvm::SmallVector<StringRef> parts;
  text.split(parts, ',');
  for (StringRef part : parts) {
    part = part.trim();
    if (part.empty())
      continue;
    int64_t extent;
    part.consume_back("L");
    if (part.getAsInteger(10, extent) || extent < 0)
      return fail("its shape has the extent '" + part + "'");
    shape.push_back(extent);
  }
  if (shape.size() > 32)
    return fail("its shape has " + llvm::Twine(shape.size()) + " dimensions");
  return shape;
}

/// Elements stored with the first index fastest, put into C order. Costs a copy
/// of the array.
void toCOrder(Array &array) {
  std::vector<uint8_t> from = array.bytes;
  unsigned size = byteSize(array.type);
  int64_t n = array.elements();
  for (int64_t i = 0; i < n; ++i) {
    // Element i of the file has index (i0, i1, ...) with i0 fastest.
    int64_t rest = i, index = 0;
    llvm::SmallVector<int64_t, 4> at(array.shape.size());
    for (size_t d = 0; d < array.shape.size(); ++d) {
      at[d] = rest % array.shape[d];
      rest /= array.shape[d];
    }
    for (size_t d = 0; d < array.shape.size(); ++d)
      index = index * array.shape[d] + at[d];
    std::memcpy(array.bytes.data() + index * size, from.data() + i * size,
                size);
  }
}

} // namespace

/// From a file's bytes; every error says what is wrong with them.
llvm::Expected<Array> tlc::parseNpy(StringRef bytes) {
  if (!bytes.starts_with("\x93NUMPY"))
    return fail("not a .npy file");
  if (bytes.size() < 10)
    return fail("the file ends inside its header");
  unsigned major = uint8_t(bytes[6]);
  if (major < 1 || major > 3)
    return fail("version " + llvm::Twine(major) + " of .npy is not known");
  auto byte = [&](size_t i) { return uint64_t(uint8_t(bytes[i])); };
  // The length has two bytes in version 1, four in later ones.
  size_t start = major == 1 ? 10 : 12;
  if (bytes.size() < start)
    return fail("the file ends inside its header");
  uint64_t length = byte(8) | byte(9) << 8;
  if (major > 1)
    length |= byte(10) << 16 | byte(11) << 24;
  if (bytes.size() - start < length)
    return fail("the file ends inside its header");
  StringRef header = bytes.substr(start, length);
  llvm::Expected<DType> type = parseDescr(valueOf(header, "descr"));
  if (!type)
    return type.takeError();
  auto shape = parseShape(valueOf(header, "shape"));
  if (!shape)
    return shape.takeError();
  StringRef order = valueOf(header, "fortran_order");
  if (!order.starts_with("True") && !order.starts_with("False"))
    return fail("its header does not tell the order of elements");
  // More than needed is not an error: NumPy too reads what the header says.
  StringRef data = bytes.substr(start + length);
  uint64_t size = byteSize(*type);
  // In bytes, checked: a header may claim anything.
  for (int64_t extent : *shape)
    if (__builtin_mul_overflow(size, uint64_t(extent), &size))
      return fail("its shape " + shapeString(*shape) + " is too large");
  if (data.size() < size)
    return fail("the file is truncated: shape " + shapeString(*shape) + " of " +
                toString(*type) + " needs " + llvm::Twine(size) +
                " bytes, the file has " + llvm::Twine(data.size()));
  Array array;
  array.type = *type;
  array.shape = *shape;
  array.bytes.assign(data.begin(), data.begin() + size);
  if (valueOf(header, "descr").drop_front().starts_with(">"))
    for (size_t i = 0, n = byteSize(*type); i < size; i += n)
      std::reverse(&array.bytes[i], &array.bytes[i] + n);
  if (order.starts_with("True") && array.shape.size() > 1)
    toCOrder(array);
  return array;
}

/// The same from a file; errors name it.
llvm::Expected<Array> tlc::readNpy(StringRef path) {
  std::string error;
  auto buffer = readFile(path, error);
  if (!buffer)
    return fail(error);
  llvm::Expected<Array> array = parseNpy(buffer->getBuffer());
  if (!array)
    return fail("cannot read '" + path +
                "': " + llvm::toString(array.takeError()));
  return array;
}

/// Version 1.0, which every reader knows.
std::string tlc::formatNpy(const Array &array) {
  DType stored = array.type;
  if (stored == DType::BFloat16)
    stored = DType::UInt16;
  else if (floatFormat(stored) && byteSize(stored) == 1)
    stored = DType::UInt8;
  std::string descr;
  for (const Descr &entry : descrs)
    if (entry.type == stored)
      descr = (byteSize(stored) == 1 ? "|" : "<") + std::string(entry.text);
  // A tuple as Python writes it: (64, 128), (64,) and ().
  std::string header =
      "{'descr': '" + descr + "', 'fortran_order': False, 'shape': (";
  for (int64_t extent : array.shape)
    header += std::to_string(extent) + ", ";
  if (array.shape.size() > 1)
    header.resize(header.size() - 2);
  else if (array.shape.size() == 1)
    header.pop_back();
  header += "), }";
  // Elements start at a multiple of 64 bytes.
  size_t total = llvm::alignTo(10 + header.size() + 1, 64);
  header.append(total - 10 - header.size() - 1, ' ');
  header += '\n';
  std::string bytes("\x93NUMPY\x01\x00", 8);
  bytes += char(header.size() & 0xff);
  bytes += char(header.size() >> 8);
  bytes += header;
  bytes.append(reinterpret_cast<const char *>(array.bytes.data()),
               array.bytes.size());
  return bytes;
}

/// The same bytes as another type, where that is what was stored; none
/// otherwise. Values are never converted: a float32 file does not pass for
/// float16.
std::optional<Array> tlc::asType(Array array, DType type) {
  auto is = [&](DType stored) { return array.type == stored; };
  bool bits = (type == DType::BFloat16 && is(DType::UInt16)) ||
              (type == DType::Bool && is(DType::UInt8)) ||
              (type == DType::UInt8 && is(DType::Bool)) ||
              (floatFormat(type) && byteSize(type) == 1 && is(DType::UInt8));
  if (array.type != type && !bits)
    return std::nullopt;
  array.type = type;
  return array;
}
