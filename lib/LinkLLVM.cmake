# How tlc links LLVM, MLIR and lld.
#
# Debian's exported archives carry the shared libLLVM in their link interface.
# For a static build that edge is removed from every target, and the AMDGPU
# components are linked by name instead (target tlcLLVM).

if(NOT TLC_STATIC)
  add_library(tlcLLVM INTERFACE)
  target_link_libraries(tlcLLVM INTERFACE LLVM)
  return()
endif()

# The compression libraries are linked as archives.
macro(use_compression_archives libs)
  list(TRANSFORM ${libs} REPLACE "^ZLIB::ZLIB$" "-l:libz.a")
  list(TRANSFORM ${libs} REPLACE "^zstd::libzstd_shared$" "-l:libzstd.a")
endmacro()

foreach(target IN LISTS MLIR_EXPORTED_TARGETS LLD_EXPORTED_TARGETS)
  if(NOT TARGET ${target})
    continue()
  endif()
  get_target_property(type ${target} TYPE)
  if(NOT type STREQUAL "STATIC_LIBRARY")
    continue()
  endif()
  get_target_property(libs ${target} INTERFACE_LINK_LIBRARIES)
  if(libs)
    list(REMOVE_ITEM libs LLVM "\$<LINK_ONLY:LLVM>")
    use_compression_archives(libs)
    set_target_properties(${target} PROPERTIES INTERFACE_LINK_LIBRARIES "${libs}")
  endif()
endforeach()
if(TARGET LLVMExtensions)
  # The interface names Polly, which tlc does not use.
  set_target_properties(LLVMExtensions PROPERTIES INTERFACE_LINK_LIBRARIES LLVMSupport)
endif()

# Z3 and libxml2 serve nothing that tlc calls, and --as-needed drops them.
if(TARGET LLVMSupport)
  get_target_property(libs LLVMSupport INTERFACE_LINK_LIBRARIES)
  use_compression_archives(libs)
  set_target_properties(LLVMSupport PROPERTIES INTERFACE_LINK_LIBRARIES "${libs}")
endif()

llvm_map_components_to_libnames(TLC_LLVM_LIBS
  AMDGPUCodeGen AMDGPUAsmParser AMDGPUDesc AMDGPUDisassembler AMDGPUInfo AMDGPUUtils
  Core Support Object BinaryFormat MC MCDisassembler DebugInfoDWARF Passes IPO
  CodeGen SelectionDAG AsmPrinter Target TargetParser Analysis TransformUtils
  BitReader BitWriter IRReader Linker LTO DTLTO Option ProfileData Symbolize
  Demangle MCParser WindowsManifest LibDriver)
add_library(tlcLLVM INTERFACE)
target_link_libraries(tlcLLVM INTERFACE ${TLC_LLVM_LIBS})
target_link_options(tlcLLVM INTERFACE -static-libstdc++ -static-libgcc -Wl,--as-needed -Wl,--gc-sections)
