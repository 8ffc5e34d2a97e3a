//===- CodeObject.cpp - An AMDGPU code object, parsed ---------------------===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The ELF half of the reader: header, segments, dynamic table. What the kernels
// are is read in KernelInfo.cpp. Only what a loader sees is used (program
// headers and the dynamic segment); section headers may be damaged or absent.
//
// The order of the steps is that of their needs: the header gives the program
// headers, those give the segments, the dynamic segment (read through them, by
// address) gives symbols and relocations, and only then can kernels be found by
// name. Kernels come from files that users bring, so a damaged one must give a
// message and never a crash.
//
//===----------------------------------------------------------------------===//

#include "ElfImage.h"

#include "llvm/BinaryFormat/ELF.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

using namespace tlc::sim;
namespace ELF = llvm::ELF;

namespace {

// A kernel of a gigabyte is no kernel: refuse before allocating for it.
constexpr uint64_t maxImageBytes = uint64_t(1) << 30;
constexpr uint64_t maxSymbols = 1 << 20;

/// Addresses and sizes from the dynamic segment; 0 where it has none.
struct DynamicTable {
  uint64_t symbols = 0, strings = 0, stringBytes = 0, hash = 0, gnuHash = 0;
  uint64_t rela = 0, relaBytes = 0, pltRela = 0, pltRelaBytes = 0;
};

/// Every step returns false with the reason in `error`; nothing read from the
/// file is believed before it is checked.
class Parser {
public:
  Parser(CodeObject &object, std::string &error)
      : object(object), error(error), image(object) {}

  bool run() {
    return header() && segments() && dynamicSegment() &&
           readKernels(object, notes, error);
  }

private:
  template <typename... Args>
  bool fail(fmt::format_string<Args...> text, Args &&...args) {
    error = fmt::format(text, std::forward<Args>(args)...);
    return false;
  }

  bool header();
  bool segments();
  bool notesOf(const ELF::Elf64_Phdr &program);
  bool dynamicSegment();
  bool symbols(const DynamicTable &table);
  bool symbolCount(const DynamicTable &table, uint64_t &count);
  bool relocations(uint64_t address, uint64_t bytes);

  // Filled in as the steps go; after a failure its contents mean nothing.
  CodeObject &object;
  std::string &error;
  ElfImage image;
  ELF::Elf64_Ehdr elf;
  uint64_t dynamicAddress = 0, dynamicBytes = 0;
  std::vector<std::span<const uint8_t>> notes;
};

/// 64-bit little-endian AMDGPU, HSA, code object version 4 to 6, gfx942 or the
/// generic target that includes it.
/// The messages name the field and the value found, for the usual mistake is a
/// file for another processor or another kind of object.
bool Parser::header() {
  if (!image.readFile(0, elf))
    return fail("not a code object: only {} bytes", object.bytes.size());
  if (std::memcmp(elf.e_ident, ELF::ElfMagic, 4) != 0)
    return fail("not a code object: no ELF magic at its start");
  if (elf.e_ident[ELF::EI_CLASS] != ELF::ELFCLASS64 ||
      elf.e_ident[ELF::EI_DATA] != ELF::ELFDATA2LSB)
    return fail("not a code object: no 64-bit little-endian ELF");
  if (elf.e_machine != ELF::EM_AMDGPU)
    return fail("not a code object: ELF machine {} is not AMDGPU",
                elf.e_machine);
  if (elf.e_ident[ELF::EI_OSABI] != ELF::ELFOSABI_AMDGPU_HSA)
    return fail("not a code object for HSA: OS/ABI {}",
                elf.e_ident[ELF::EI_OSABI]);
  // A relocatable object (ET_REL) has no addresses yet.
  if (elf.e_type != ELF::ET_DYN)
    return fail("not a linked code object: ELF type {}, must be a shared "
                "object (3)",
                elf.e_type);
  unsigned abi = elf.e_ident[ELF::EI_ABIVERSION];
  if (abi < ELF::ELFABIVERSION_AMDGPU_HSA_V4 ||
      abi > ELF::ELFABIVERSION_AMDGPU_HSA_V6)
    return fail("code object version with ABI number {}: must be 2, 3 or 4 "
                "(version 4, 5 or 6)",
                abi);
  // ABI number 2 is code object version 4, and so on.
  object.version = abi + 2;
  object.flags = elf.e_flags;
  unsigned machine = elf.e_flags & ELF::EF_AMDGPU_MACH;
  if (machine != ELF::EF_AMDGPU_MACH_AMDGCN_GFX942 &&
      machine != ELF::EF_AMDGPU_MACH_AMDGCN_GFX9_4_GENERIC)
    return fail("code object for another processor (machine {:#x}), this is "
                "gfx942",
                machine);
  // Program headers of another size are none that this reader knows.
  if (elf.e_phentsize != sizeof(ELF::Elf64_Phdr) || elf.e_phnum == 0)
    return fail("program headers: {} of {} bytes each", elf.e_phnum,
                elf.e_phentsize);
  return true;
}

/// Loadable segments must lie in the file and not overlap.
/// Also finds the dynamic segment, and reads notes on the way. Quadratic in the
/// number of segments, of which there are a handful.
bool Parser::segments() {
  object.lowAddress = UINT64_MAX;
  for (unsigned i = 0; i < elf.e_phnum; ++i) {
    ELF::Elf64_Phdr program;
    uint64_t offset = elf.e_phoff + i * sizeof(program);
    if (elf.e_phoff > object.bytes.size() || !image.readFile(offset, program))
      return fail("program header {} lies outside the file", i);
    if (program.p_type == ELF::PT_DYNAMIC) {
      dynamicAddress = program.p_vaddr;
      dynamicBytes = program.p_memsz;
    }
    if (program.p_type == ELF::PT_NOTE && !notesOf(program))
      return false;
    if (program.p_type != ELF::PT_LOAD || program.p_memsz == 0)
      continue;
    if (!image.inFile(program.p_offset, program.p_filesz))
      return fail("segment {} lies outside the file", i);
    // The bound on address and size keeps sums below 2^31, so no later sum can
    // wrap.
    if (program.p_filesz > program.p_memsz || program.p_memsz > maxImageBytes ||
        program.p_vaddr > maxImageBytes)
      return fail("segment {}: {:#x} bytes in the file, {:#x} in memory at "
                  "{:#x}",
                  i, program.p_filesz, program.p_memsz, program.p_vaddr);
    Segment segment{program.p_vaddr, program.p_offset, program.p_filesz,
                    program.p_memsz, (program.p_flags & ELF::PF_X) != 0};
    // Overlap would make the loaded bytes depend on the order of the headers.
    for (const Segment &other : object.segments)
      if (segment.address < other.address + other.memorySize &&
          other.address < segment.address + segment.memorySize)
        return fail("segment {} overlaps another", i);
    object.segments.push_back(segment);
    object.lowAddress = std::min(object.lowAddress, segment.address);
    object.highAddress =
        std::max(object.highAddress, segment.address + segment.memorySize);
  }
  if (object.segments.empty())
    return fail("no segment to load");
  return true;
}

/// Collects metadata notes; others are passed over.
/// A note is three words (sizes of name and text, type), the name and the text,
/// the latter two padded to four bytes. The name tells who defined the type.
bool Parser::notesOf(const ELF::Elf64_Phdr &program) {
  if (!image.inFile(program.p_offset, program.p_filesz))
    return fail("note segment lies outside the file");
  uint64_t position = program.p_offset;
  uint64_t end = position + program.p_filesz;
  ELF::Elf64_Nhdr note;
  while (end - position >= sizeof(note)) {
    image.readFile(position, note);
    position += sizeof(note);
    uint64_t nameBytes = (uint64_t(note.n_namesz) + 3) & ~uint64_t(3);
    uint64_t textBytes = (uint64_t(note.n_descsz) + 3) & ~uint64_t(3);
    if (nameBytes > end - position ||
        note.n_descsz > end - position - nameBytes)
      return fail("note at {:#x} is longer than its segment", position);
    const uint8_t *name = object.bytes.data() + position;
    if (note.n_type == ELF::NT_AMDGPU_METADATA && note.n_namesz >= 6 &&
        std::memcmp(name, "AMDGPU", 6) == 0)
      notes.push_back({name + nameBytes, note.n_descsz});
    // The padding of the last note may be missing.
    position += std::min(nameBytes + textBytes, end - position);
  }
  return true;
}

/// Collects the table's entries of interest, ended by DT_NULL or by the
/// segment's size, then reads symbols before relocations, which refer to them.
bool Parser::dynamicSegment() {
  DynamicTable table;
  bool more = true;
  for (uint64_t at = 0; more && at + sizeof(ELF::Elf64_Dyn) <= dynamicBytes;
       at += sizeof(ELF::Elf64_Dyn)) {
    ELF::Elf64_Dyn entry;
    if (!image.readMemory(dynamicAddress + at, entry))
      return fail("dynamic table lies outside the segments");
    uint64_t value = entry.d_un.d_val;
    switch (entry.d_tag) {
    case ELF::DT_NULL:
      more = false;
      break;
    case ELF::DT_SYMTAB:
      table.symbols = value;
      break;
    case ELF::DT_STRTAB:
      table.strings = value;
      break;
    case ELF::DT_STRSZ:
      table.stringBytes = value;
      break;
    case ELF::DT_HASH:
      table.hash = value;
      break;
    case ELF::DT_GNU_HASH:
      table.gnuHash = value;
      break;
    case ELF::DT_RELA:
      table.rela = value;
      break;
    case ELF::DT_RELASZ:
      table.relaBytes = value;
      break;
    case ELF::DT_JMPREL:
      table.pltRela = value;
      break;
    case ELF::DT_PLTRELSZ:
      table.pltRelaBytes = value;
      break;
    }
  }
  // Without dynamic symbols no kernel can be found.
  if (!table.symbols || !table.strings)
    return fail("no dynamic symbol table");
  return symbols(table) && relocations(table.rela, table.relaBytes) &&
         relocations(table.pltRela, table.pltRelaBytes);
}

/// The dynamic table does not give the number of symbols. DT_HASH holds it as
/// its second word. DT_GNU_HASH has buckets with the first symbol of a chain
/// each; the chain from the highest such number ends, at an entry with bit 0
/// set, at the last symbol of all.
bool Parser::symbolCount(const DynamicTable &table, uint64_t &count) {
  uint32_t word;
  if (table.hash) {
    if (!image.readMemory(table.hash + 4, word))
      return fail("symbol hash table lies outside the segments");
    count = word;
    return true;
  }
  uint32_t header[4]; // buckets, first symbol, bloom words, shift
  if (!table.gnuHash || !image.readMemory(table.gnuHash, header))
    return fail("no symbol hash table");
  // Behind the four words of the header and the bloom filter's 64-bit words.
  uint64_t buckets = table.gnuHash + 16 + uint64_t(header[2]) * 8;
  uint32_t last = 0;
  if (header[0] > maxSymbols)
    return fail("symbol hash table with {} buckets", header[0]);
  for (uint32_t i = 0; i < header[0]; ++i) {
    if (!image.readMemory(buckets + uint64_t(i) * 4, word))
      return fail("symbol hash table lies outside the segments");
    last = std::max(last, word);
  }
  count = header[1];
  // All buckets are empty: only the symbols before the first hashed one exist.
  if (last < header[1])
    return true;
  uint64_t chains = buckets + uint64_t(header[0]) * 4;
  do {
    if (!image.readMemory(chains + uint64_t(last - header[1]) * 4, word))
      return fail("symbol hash table lies outside the segments");
    ++last;
  } while (!(word & 1) && last < maxSymbols);
  count = last;
  return true;
}

/// Names are copied out of the string table. The index of a symbol is its
/// number in relocations.
bool Parser::symbols(const DynamicTable &table) {
  uint64_t count = 0;
  if (!symbolCount(table, count))
    return false;
  if (count > maxSymbols)
    return fail("{} dynamic symbols", count);
  for (uint64_t i = 0; i < count; ++i) {
    ELF::Elf64_Sym raw;
    if (!image.readMemory(table.symbols + i * sizeof(raw), raw))
      return fail("dynamic symbol {} lies outside the segments", i);
    ObjectSymbol symbol;
    symbol.value = raw.st_value;
    symbol.size = raw.st_size;
    symbol.type = raw.st_info & 0xf;
    symbol.defined = raw.st_shndx != ELF::SHN_UNDEF;
    if (raw.st_name >= table.stringBytes ||
        !image.readString(table.strings + raw.st_name,
                          table.stringBytes - raw.st_name, symbol.name))
      return fail("name of dynamic symbol {} lies outside its table", i);
    object.symbols.push_back(std::move(symbol));
  }
  return true;
}

/// Adds one table's entries; the kinds are judged when the object is loaded.
bool Parser::relocations(uint64_t address, uint64_t bytes) {
  for (uint64_t at = 0; at + sizeof(ELF::Elf64_Rela) <= bytes;
       at += sizeof(ELF::Elf64_Rela)) {
    ELF::Elf64_Rela raw;
    if (!image.readMemory(address + at, raw))
      return fail("relocation table lies outside the segments");
    Relocation relocation{raw.r_offset, static_cast<uint32_t>(raw.r_info),
                          static_cast<uint32_t>(raw.r_info >> 32),
                          raw.r_addend};
    if (relocation.symbol >= object.symbols.size())
      return fail("relocation at {:#x} names symbol {} of {}",
                  relocation.offset, relocation.symbol, object.symbols.size());
    object.relocations.push_back(relocation);
  }
  return true;
}

} // namespace

/// Copies the file, so the caller's bytes may go. On false \p error says why.
bool CodeObject::parse(std::span<const uint8_t> file, CodeObject &object,
                       std::string &error) {
  object = CodeObject();
  object.bytes.assign(file.begin(), file.end());
  return Parser(object, error).run();
}

/// From the headers of an image whose end is unknown; 0 if they are damaged.
/// Reads as far as they lead.
uint64_t CodeObject::imageSize(const void *image) {
  ELF::Elf64_Ehdr elf;
  std::memcpy(&elf, image, sizeof(elf));
  if (std::memcmp(elf.e_ident, ELF::ElfMagic, 4) != 0 ||
      elf.e_ident[ELF::EI_CLASS] != ELF::ELFCLASS64)
    return 0;
  const char *base = static_cast<const char *>(image);
  uint64_t size = sizeof(elf);
  // Section headers, if any, usually stand last in the file.
  uint64_t programs = uint64_t(elf.e_phnum) * sizeof(ELF::Elf64_Phdr);
  uint64_t sections = uint64_t(elf.e_shnum) * sizeof(ELF::Elf64_Shdr);
  if (elf.e_phoff > maxImageBytes || elf.e_shoff > maxImageBytes)
    return 0;
  size = std::max({size, elf.e_phoff + programs, elf.e_shoff + sections});
  for (unsigned i = 0; i < elf.e_phnum; ++i) {
    ELF::Elf64_Phdr program;
    std::memcpy(&program, base + elf.e_phoff + i * sizeof(program),
                sizeof(program));
    if (program.p_filesz > maxImageBytes || program.p_offset > maxImageBytes)
      return 0;
    size = std::max(size, program.p_offset + program.p_filesz);
  }
  return size;
}

/// By its name, or by that of its descriptor symbol (with ".kd"). Null if there
/// is none.
const KernelInfo *CodeObject::findKernel(const std::string &name) const {
  for (const KernelInfo &kernel : kernels)
    if (kernel.name == name || kernel.symbol == name)
      return &kernel;
  return nullptr;
}

/// Copies the segments and applies relocations. Bytes between and behind
/// segments stay as they are, which is zero for fresh memory.
/// \p memory must have highAddress - lowAddress bytes; it will be seen by the
/// program at \p loadAddress, which need not be its host address.
bool CodeObject::load(uint8_t *memory, uint64_t loadAddress,
                      std::string &error) const {
  for (const Segment &segment : segments)
    std::memcpy(memory + (segment.address - lowAddress),
                bytes.data() + segment.fileOffset, segment.fileSize);
  // What the linker assumed and what the loader chose differ by this.
  uint64_t delta = loadAddress - lowAddress;
  for (const Relocation &relocation : relocations) {
    const ObjectSymbol &symbol = symbols[relocation.symbol];
    bool relative = relocation.type == ELF::R_AMDGPU_RELATIVE64;
    // Symbol 0 stands for no symbol. A reference to another object cannot be
    // filled in.
    if (!relative && relocation.symbol != 0 && !symbol.defined) {
      error = fmt::format("undefined symbol '{}'", symbol.name);
      return false;
    }
    // All supported kinds are S + A, or B + A, with the load address added;
    // half of it for the 32-bit ones.
    uint64_t base = relative ? 0 : symbol.value;
    uint64_t value = base + relocation.addend + delta;
    unsigned width = 8;
    switch (relocation.type) {
    case ELF::R_AMDGPU_NONE:
      continue;
    case ELF::R_AMDGPU_RELATIVE64:
    case ELF::R_AMDGPU_ABS64:
      break;
    case ELF::R_AMDGPU_ABS32_HI:
      value >>= 32;
      width = 4;
      break;
    case ELF::R_AMDGPU_ABS32_LO:
    case ELF::R_AMDGPU_ABS32:
      width = 4;
      break;
    default:
      error = fmt::format("relocation of unknown type {} at {:#x}",
                          relocation.type, relocation.offset);
      return false;
    }
    // The place to patch comes from the file and is checked as such.
    if (relocation.offset < lowAddress || relocation.offset >= highAddress ||
        highAddress - relocation.offset < width) {
      error = fmt::format("relocation at {:#x} lies outside the segments",
                          relocation.offset);
      return false;
    }
    std::memcpy(memory + (relocation.offset - lowAddress), &value, width);
  }
  return true;
}
