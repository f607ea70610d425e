# Sourced by the scripts beside it: finds Swift, installs from Debian what is missing.
# shellcheck shell=bash

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

# What Swift itself needs on a bare Debian, then the libraries, then the fonts that documents name by default.
build_packages=(
    binutils git libc6-dev libcurl4 libedit2 libgcc-12-dev libstdc++-12-dev libsqlite3-0 libxml2 libncurses6 tzdata
    pkg-config libvips-dev libpango1.0-dev libpolyclipping-dev libjpeg62-turbo-dev libtiff-dev libzstd-dev zlib1g-dev
    libexif-dev libexempi-dev liblcms2-dev libglib2.0-dev libmicrohttpd-dev
    fontconfig fonts-liberation fonts-dejavu-core
)
# What only the tests use: fonts with their traps, small real pictures, tools to look from outside.
test_packages=(
    fonts-dejavu-extra fonts-inter-variable fonts-inter fonts-noto-color-emoji fonts-droid-fallback
    golang-github-disintegration-imaging-dev golang-1.19-src colord-data libvips-tools libjpeg-turbo-progs strace gcc g++
    python3-jsonschema man-db mandoc groff-base zsh fish
    chromium chromium-driver python3-selenium
    libimage-exiftool-perl parallel
)
# What Scripts/package packs with.
package_packages=(dpkg-dev binutils)
# What Scripts/package-check looks at packages with.
check_packages=(debootstrap lintian)
# What lintian says of every package that no archive built.
lintian_known=initial-upload-closes-no-bugs

# What only the benchmarks use: the peers, and what builds them.
bench_packages=(gcc libvips-tools imagemagick graphicsmagick libjpeg-turbo-progs python3 python3-venv fonts-liberation)

# What Scripts/torture makes faults with, and decides with what is good and what is bad.
torture_packages=(
    python3 python3-pil strace e2fsprogs util-linux libvips-tools libjpeg-turbo-progs pngcheck giflib-tools libtiff-tools
    golang-github-disintegration-imaging-dev parallel
)
# Real files by the thousand and the engines, for its long form.
torture_all_packages=(
    python3-pip golang-1.19-src plasma-workspace-wallpapers libheif-examples slurm-wlm default-jre-headless python3-venv
)

say() { printf '%s\n' "$*" >&2; }
fail() { say "$*"; exit 1; }

require_swift() {
    command -v swift >/dev/null 2>&1 ||
        fail "No Swift toolchain: put Swift 6.3 or newer for Linux on the PATH (swift.org, Install), then run this again."
}

# Installs the named packages that are not there yet.
install_packages() {
    local missing=() package
    for package in "$@"; do
        [ "$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null)" = installed ] || missing+=("$package")
    done
    [ ${#missing[@]} -eq 0 ] && return
    command -v apt-get >/dev/null 2>&1 || fail "Missing: ${missing[*]}. This is no Debian; install what they hold by hand."
    local as_root=()
    if [ "$(id -u)" -ne 0 ]; then
        command -v sudo >/dev/null 2>&1 || fail "Missing: ${missing[*]}. Run once as root: apt-get install ${missing[*]}"
        as_root=(sudo)
    fi
    say "Installing ${missing[*]}"
    "${as_root[@]}" apt-get update -qq || say "apt-get update failed; trying with the lists that are there."
    "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null ||
        fail "apt-get could not install ${missing[*]}."
}

# One configuration for everything: kernels without optimisation are too slow to test. Quiet unless it fails.
build() {
    local log status
    log=$(mktemp)
    say "Building (a few minutes the first time)"
    swift build -c release --package-path "$root" "$@" >"$log" 2>&1
    status=$?
    if [ $status -ne 0 ]; then
        grep -E "error" "$log" >&2 || tail -40 "$log" >&2
        rm -f "$log"
        fail "The build failed."
    fi
    rm -f "$log"
}

binary() { printf '%s/%s' "$(swift build -c release --package-path "$root" --show-bin-path)" "$1"; }
