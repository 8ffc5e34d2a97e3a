//===- ComgrLinker.cpp - ROCm's code object manager -----------------------===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The second linker: libamd_comgr, opened at run time. Version 3 renumbered the
// actions, so the version is asked first. A library that does not know gfx942
// (ROCm 5) refuses the target by name, and that is the error reported.
//
// The interface is declared here once more rather than included: ROCm is not
// needed to build tlc. Every object that comgr hands out is released on every
// path.
//
//===----------------------------------------------------------------------===//

#include "tlc/Target/AMDGPU.h"
#include <dlfcn.h>

using namespace llvm;

namespace tlc::target {
namespace {

/// Handles of comgr's C interface are structs of one 64-bit number.
struct Handle {
  uint64_t value = 0;
};
using Status = int;
enum DataKind { kLog = 0x5, kRelocatable = 0x7, kExecutable = 0x8 };

// NOLINTBEGIN(readability-identifier-naming): comgr's names
/// The entry points used, by their names.
struct Comgr {
  void (*get_version)(size_t *major, size_t *minor);
  Status (*status_string)(Status, const char **);
  Status (*create_data)(int kind, Handle *);
  Status (*release_data)(Handle);
  Status (*set_data)(Handle, size_t, const char *);
  Status (*set_data_name)(Handle, const char *);
  Status (*get_data)(Handle, size_t *, char *);
  Status (*create_data_set)(Handle *);
  Status (*destroy_data_set)(Handle);
  Status (*data_set_add)(Handle set, Handle data);
  Status (*create_action_info)(Handle *);
  Status (*destroy_action_info)(Handle);
  Status (*action_info_set_isa_name)(Handle, const char *);
  Status (*action_info_set_logging)(Handle, bool);
  Status (*do_action)(int kind, Handle info, Handle input, Handle result);
  Status (*action_data_get_data)(Handle set, int kind, size_t, Handle *);
};
// NOLINTEND(readability-identifier-naming)

/// One entry point by its name without the common prefix.
template <typename Fn>
bool resolve(void *library, const char *name, Fn &function) {
  function = reinterpret_cast<Fn>(
      dlsym(library, (std::string("amd_comgr_") + name).c_str()));
  return function != nullptr;
}

/// False if one is missing.
bool resolveAll(void *library, Comgr &c) {
#define TLC_RESOLVE(name) resolve(library, #name, c.name)
  return TLC_RESOLVE(get_version) && TLC_RESOLVE(status_string) &&
         TLC_RESOLVE(create_data) && TLC_RESOLVE(release_data) &&
         TLC_RESOLVE(set_data) && TLC_RESOLVE(set_data_name) &&
         TLC_RESOLVE(get_data) && TLC_RESOLVE(create_data_set) &&
         TLC_RESOLVE(destroy_data_set) && TLC_RESOLVE(data_set_add) &&
         TLC_RESOLVE(create_action_info) && TLC_RESOLVE(destroy_action_info) &&
         TLC_RESOLVE(action_info_set_isa_name) &&
         TLC_RESOLVE(action_info_set_logging) && TLC_RESOLVE(do_action) &&
         TLC_RESOLVE(action_data_get_data);
#undef TLC_RESOLVE
}

/// Owns the library: it is closed with the linker.
class ComgrLinker : public Linker {
public:
  ComgrLinker(void *library, const Comgr &comgr)
      : library(library), comgr(comgr) {
    size_t minor = 0;
    comgr.get_version(&major, &minor);
  }
  ~ComgrLinker() override { dlclose(library); }

  StringRef getName() const override { return "comgr"; }

  /// Object in, code object out, in memory; the error has comgr's own log.
  Expected<std::string> link(StringRef object) override {
    Handle input, output, info, data;
    std::string result;
    Status status = comgr.create_data_set(&input);
    if (!status && !(status = comgr.create_data_set(&output))) {
      if (!(status = comgr.create_action_info(&info))) {
        status = run(object, input, output, info, data);
        if (!status)
          status = extract(output, kExecutable, result);
        if (status && log.empty())
          extract(output, kLog, log);
        comgr.destroy_action_info(info);
      }
      comgr.destroy_data_set(output);
    }
    comgr.destroy_data_set(input);
    if (!status)
      return result;
    const char *text = nullptr;
    if (comgr.status_string(status, &text) || !text)
      text = "unknown error";
    return createStringError(inconvertibleErrorCode(),
                             Twine("comgr: ") + text +
                                 (log.empty() ? "" : ": ") + log);
  }

private:
  /// Puts the object into `input`, describes the target, links into `output`.
  /// The data is released as soon as the set holds it.
  Status run(StringRef object, Handle input, Handle output, Handle info,
             Handle data) {
    // Link relocatable to executable.
    int action = major >= 3 ? 0x7 : 0x9;
    log.clear();
    Status status = comgr.create_data(kRelocatable, &data);
    if (status)
      return status;
    status = comgr.set_data(data, object.size(), object.data());
    if (!status)
      status = comgr.set_data_name(data, "tlc.o");
    if (!status)
      status = comgr.data_set_add(input, data);
    comgr.release_data(data);
    if (!status) {
      status =
          comgr.action_info_set_isa_name(info, "amdgcn-amd-amdhsa--gfx942");
      if (status)
        log = "this version of ROCm does not know gfx942";
    }
    if (!status)
      status = comgr.action_info_set_logging(info, true);
    return status ? status : comgr.do_action(action, info, input, output);
  }

  /// The first piece of data of a kind; its size is asked for before its bytes.
  Status extract(Handle set, DataKind kind, std::string &result) {
    Handle data;
    Status status = comgr.action_data_get_data(set, kind, 0, &data);
    if (status)
      return status;
    size_t size = 0;
    status = comgr.get_data(data, &size, nullptr);
    if (!status) {
      result.resize(size);
      status = comgr.get_data(data, &size, result.data());
    }
    comgr.release_data(data);
    return status;
  }

  void *library;
  Comgr comgr;
  size_t major = 0;
  std::string log;
};

} // namespace

/// `path` names one library; otherwise the sonames, newest first. Fails with
/// the last reason if none opens.
Expected<std::unique_ptr<Linker>> createComgrLinker(StringRef path) {
  std::vector<std::string> candidates{"libamd_comgr.so.3", "libamd_comgr.so.2",
                                      "libamd_comgr.so"};
  if (!path.empty())
    candidates = {path.str()};
  std::string reason;
  for (const std::string &candidate : candidates) {
    void *library = dlopen(candidate.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!library) {
      const char *text = dlerror();
      reason = text ? text : candidate;
      continue;
    }
    Comgr comgr;
    if (resolveAll(library, comgr))
      return std::make_unique<ComgrLinker>(library, comgr);
    dlclose(library);
    reason = candidate + " lacks an entry point";
  }
  return createStringError(inconvertibleErrorCode(),
                           "ROCm comgr cannot be opened: " + reason);
}

} // namespace tlc::target
