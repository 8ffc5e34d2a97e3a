# common.sh: shared by setup.sh and test.sh. Sourced, not run.
#
# Packages, configuration and build of one CMake preset. Every step first looks
# whether it has anything to do, so that a second call is quick.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

preset=${TLC_PRESET:-release}
build=build/$preset

build_packages=(
  cmake ninja-build g++ clang-22 lld-22 ccache
  libmlir-22-dev mlir-22-tools llvm-22-dev liblld-22-dev
  libfmt-dev zlib1g-dev libzstd-dev
)
test_packages=(llvm-22-tools libgtest-dev libbenchmark-dev)

say() { printf '\n\033[1m== %s\033[0m\n' "$*" | if [ -t 1 ]; then cat; else sed 's/\x1b\[[0-9]*m//g'; fi; }

as_root() { if [ "$(id -u)" = 0 ]; then "$@"; else sudo "$@"; fi; }

# LLVM 22 is in Debian 12's security suite. A system bootstrapped without that
# suite gets it for this installation only; its own sources are left alone.
apt_options=()
add_security_suite() {
  local parts
  parts=$(mktemp -d)
  cp /etc/apt/sources.list.d/* "$parts" 2>/dev/null || true
  echo 'deb http://deb.debian.org/debian-security bookworm-security main' >"$parts/tlc-security.list"
  chmod 755 "$parts"
  apt_options=(-o "Dir::Etc::SourceParts=$parts")
  as_root apt-get "${apt_options[@]}" update
}

has_candidate() {
  local policy
  policy=$(LC_ALL=C apt-cache "${apt_options[@]}" policy "$1")
  [[ $policy == *Candidate:* && $policy != *"Candidate: (none)"* ]]
}

# install_packages NAME...: what is missing of them, from the distribution.
install_packages() {
  local missing=() package
  for package in "$@"; do
    dpkg-query -W -f '${Status}' "$package" 2>/dev/null | grep -q 'ok installed' || missing+=("$package")
  done
  [ ${#missing[@]} = 0 ] && return
  say "Installing ${missing[*]}"
  as_root apt-get update
  has_candidate libmlir-22-dev || add_security_suite
  if ! has_candidate libmlir-22-dev; then
    echo "error: this system has no package libmlir-22-dev; Debian 12 (bookworm) with its security suite has it" >&2
    exit 1
  fi
  as_root env DEBIAN_FRONTEND=noninteractive \
    apt-get "${apt_options[@]}" install -y --no-install-recommends "${missing[@]}"
}

# One job a core, but no more than memory holds: a compilation takes up to 2 GB.
jobs=$(nproc)
memory_jobs=$(($(awk '/MemTotal/ { print $2 }' /proc/meminfo) / 2000000))
[ "$memory_jobs" -ge "$jobs" ] || jobs=$((memory_jobs > 0 ? memory_jobs : 1))

# configure [cmake option...]
configure() {
  say "Configuring $build"
  cmake --preset "$preset" --log-level=WARNING "$@"
}

# compile [target...]
compile() {
  say "Building with $jobs jobs"
  NINJA_STATUS='[%f/%t %es] ' ninja -C "$build" -j "$jobs" "$@"
}
