# The lit suite: every .mlir, .tile and .test file below this folder.
#
# Substitutions:
#   tlc, tlc-opt         the programs of this build
#   FileCheck, not, count, split-file, llvm-objdump, llvm-readelf, llvm-mc, clang   LLVM 22's
#   %examples            python-free-examples/
#   %tlc_hip             the folder of the simulator's own libamdhip64.so.5
#   %shared_data         the data folder of the CMake option TLC_SHARED_DATA
#   %rocm-tlc            tlc among the libraries of the CMake option TLC_ROCM_PREFIX
# Features (for REQUIRES:):
#   shared-data          TLC_SHARED_DATA is set and exists
#   hip-clang            clang-22 can compile device code for gfx942
#   offload-bundler      and pack it for several targets (clang-tools-22)
#   rocm-prefix          TLC_ROCM_PREFIX has a comgr that knows gfx942
#   static               everything but the C library is linked statically
#   hip-runtime          the distribution's libamdhip64 is installed
import os
import shutil
import subprocess

import lit.formats

config.name = "tlc"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".mlir", ".tile", ".test"]
config.excludes = ["Inputs", "Unit", "Perf", "Examples", "Docs", "Malformed", "CMakeLists.txt"]
config.test_source_root = os.path.dirname(__file__)
config.test_exec_root = os.path.join(config.tlc_obj_root, "lit")


def llvm_tool(name):
    for candidate in (
        os.path.join(config.llvm_tools_dir, name),
        "/usr/bin/%s-22" % name,
    ):
        if os.path.exists(candidate):
            return candidate
    return None


def substitute_tool(name, path):
    # A word of its own: not part of a path, a file name or an option. The '-'
    # keeps `tlc` from matching inside `tlc-opt`.
    pattern = r"(?<![\w./=%-])" + name + r"(?![\w./=-])"
    config.substitutions.append((pattern, path))


for tool in ("tlc-opt", "tlc"):
    substitute_tool(tool, os.path.join(config.tlc_bin_dir, tool))
for tool in (
    "FileCheck",
    "not",
    "count",
    "split-file",
    "llvm-objdump",
    "llvm-readelf",
    "llvm-mc",
    "clang",
):
    path = llvm_tool(tool)
    if path:
        substitute_tool(tool, path)

config.substitutions.append(("%{tlc-path}", os.path.join(config.tlc_bin_dir, "tlc")))
config.substitutions.append(("%examples", os.path.join(config.tlc_source_dir, "python-free-examples")))
config.substitutions.append(("%shared_data", config.shared_data))
config.substitutions.append(("%tlc_hip", os.path.join(os.path.dirname(config.tlc_bin_dir), "hip", "5")))
config.environment["FILECHECK_OPTS"] = "--dump-input=fail"

if config.shared_data and os.path.isdir(config.shared_data):
    config.available_features.add("shared-data")

# ROCm libraries of a newer suite, unpacked with the C library they need: tlc
# runs under that suite's loader.
rocm = os.path.join(config.rocm_prefix, "usr/lib/x86_64-linux-gnu")
rocm_loader = os.path.join(rocm, "ld-linux-x86-64.so.2")
if config.rocm_prefix and os.path.exists(rocm_loader):
    config.available_features.add("rocm-prefix")
    config.substitutions.insert(
        0, ("%rocm-tlc", "%s --library-path %s %s" % (rocm_loader, rocm, os.path.join(config.tlc_bin_dir, "tlc")))
    )
if config.static_link:
    config.available_features.add("static")

clang = llvm_tool("clang")
if clang:
    probe = subprocess.run(
        [clang, "-x", "cl", "-target", "amdgcn-amd-amdhsa", "-mcpu=gfx942", "-nogpulib", "-S", "-o", os.devnull, "-"],
        input=b"kernel void k(global int *p) { *p = 1; }",
        capture_output=True,
    )
    if probe.returncode == 0:
        config.available_features.add("hip-clang")
        if shutil.which("clang-offload-bundler", path=os.path.dirname(clang) + os.pathsep + os.environ["PATH"]):
            config.available_features.add("offload-bundler")

if any(
    os.path.exists(os.path.join(folder, "libamdhip64.so.5"))
    for folder in ("/usr/lib/x86_64-linux-gnu", "/opt/rocm/lib")
):
    config.available_features.add("hip-runtime")

# A partial build runs what it can.
if not os.path.exists(os.path.join(config.tlc_bin_dir, "tlc")):
    lit_config.note("tlc is not built: only the tests of tlc-opt run")
    config.suffixes = [".mlir"]
