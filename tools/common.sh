# Shared by tools/* and .ci/run: required packages, building, running tests.
# Sourced from the top of the source tree.

# The packages of each group: what it is | Debian and Ubuntu | Fedora | Arch. Later groups include
# the earlier ones.
run_packages='
a C compiler                 | build-essential | gcc                | base-devel
a C++ compiler               | build-essential | gcc-c++            | base-devel
pkg-config                   | pkgconf         | pkgconf-pkg-config | pkgconf
Meson 1.0 or newer           | meson           | meson              | meson
Ninja                        | ninja-build     | ninja-build        | ninja
Python 3.9 or newer          | python3         | python3            | python
glad 2, for OpenGL           | python3-glad    | glad2              | glad
GLFW 3.3 or newer            | libglfw3-dev    | glfw-devel         | glfw
cglm                         | libcglm-dev     | cglm-devel         | cglm
Dear ImGui 1.84 or newer     | libimgui-dev    | imgui-devel        | imgui
window frames on Wayland     | libdecor-0-plugin-1-cairo | libdecor | libdecor
EGL                          | libegl-dev      | libglvnd-devel     | libglvnd
OpenGL headers               | libgl-dev       | libglvnd-devel     | libglvnd
an OpenGL 3.3 driver         | libgl1-mesa-dri | mesa-dri-drivers   | mesa
libpng                       | libpng-dev      | libpng-devel       | libpng
FFTW, for spectra            | libfftw3-dev    | fftw-devel         | fftw
LAPACKE                      | liblapacke-dev  | lapack-devel       | lapacke
'
test_packages='
cmocka                       | libcmocka-dev   | libcmocka-devel    | cmocka
Xvfb, a display in memory    | xvfb            | xorg-x11-server-Xvfb | xorg-server-xvfb
xauth                        | xauth           | xorg-x11-xauth     | xorg-xauth
xdotool, the mouse in tests  | xdotool         | xdotool            | xdotool
cage, for tests on Wayland   | cage            | cage               | cage
rsvg-convert, for figures    | librsvg2-bin    | librsvg2-tools     | librsvg
'
ci_packages='
clang                        | clang           | clang              | clang
libFuzzer and sanitizers     | libclang-rt-dev | compiler-rt        | compiler-rt
clang-format                 | clang-format    | clang-tools-extra  | clang
debootstrap                  | debootstrap     | debootstrap        | debootstrap
'

fail() {
    printf '%s: %s\n' "${0##*/}" "$1" >&2
    exit 1
}

# Run a command as root, with sudo if needed.
as_root() {
    if ((EUID == 0)); then
        "$@"
    else
        sudo "$@"
    fi
}

# For each package manager: is a package installed, and install packages.
apt_installed() {
    dpkg-query --show --showformat='${db:Status-Status}' "$1" 2>/dev/null | grep -qx installed
}
apt_install() {
    as_root apt-get -o DPkg::Lock::Timeout=300 update &&
        as_root env DEBIAN_FRONTEND=noninteractive apt-get -o DPkg::Lock::Timeout=300 \
            install --yes --no-install-recommends "$@"
}
dnf_installed() { rpm --query --quiet --whatprovides "$1"; }
dnf_install() { as_root dnf install --assumeyes --setopt=install_weak_deps=False "$@"; }
pacman_installed() { pacman --query "$1" >/dev/null 2>&1; }
pacman_install() { as_root pacman --sync --noconfirm --needed "$@"; }

# The names in one column of a table, without duplicates.
package_names() {
    awk -F'|' -v column="$2" 'NF == 4 { gsub(/ /, "", $column); print $column }' <<<"$1" | sort -u
}

# install_missing apt|dnf|pacman PACKAGE...
install_missing() {
    local system=$1 package missing=()
    shift
    for package; do
        ${system}_installed "$package" || missing+=("$package")
    done
    ((${#missing[@]})) || return 0
    ((EUID == 0)) || command -v sudo >/dev/null ||
        fail "these packages are missing, install them as root: ${missing[*]}"
    printf 'installing %s\n' "${missing[*]}"
    quietly ${system}_install "${missing[@]}" || fail "not all packages could be installed"
}

# install_packages run|test|ci
install_packages() {
    local wanted=$run_packages
    case $1 in
    run) ;;
    test) wanted+=$test_packages ;;
    ci) wanted+=$test_packages$ci_packages ;;
    *) fail "there is no group '$1'; the groups are run, test and ci" ;;
    esac

    local system column
    if command -v apt-get >/dev/null; then
        system=apt column=2
    elif command -v dnf >/dev/null; then
        system=dnf column=3
    elif command -v pacman >/dev/null; then
        system=pacman column=4
    else
        printf 'Found neither apt-get, dnf nor pacman. Needed, with the names on Debian:\n' >&2
        awk -F'|' 'NF == 4 { gsub(/ +$/, "", $1); gsub(/ /, "", $2); print "  " $1 " (" $2 ")" }' \
            <<<"$wanted" >&2
        return
    fi

    install_missing $system $(package_names "$wanted" $column)
}

# Run a command; show its output only when it fails.
quietly() {
    local output
    output=$("$@" 2>&1) || {
        local code=$?
        printf '%s\n' "$output" >&2
        return $code
    }
}

# build_in DIRECTORY MESON_SETUP_ARGUMENTS... [-- NINJA_TARGETS...]
# Configure if needed and compile, all of it if no target is named. A directory made with other
# arguments, at another place, or by another Meson is rebuilt from scratch.
build_in() {
    local directory=$1 stamp arguments=()
    shift
    while (($#)) && [[ $1 != -- ]]; do
        arguments+=("$1")
        shift
    done
    (($# == 0)) || shift
    stamp="$PWD $(meson --version) ${arguments[*]}"
    if [[ $stamp != "$(cat "$directory/setup.stamp" 2>/dev/null)" ]] ||
        ! quietly ninja -C "$directory" build.ninja 2>/dev/null; then
        rm -rf "$directory"
        quietly meson setup "$directory" "${arguments[@]}" ||
            fail "the build in $directory was not configured"
        printf '%s\n' "$stamp" >"$directory/setup.stamp"
    fi
    if ninja -C "$directory" -n "$@" | grep -q 'no work to do'; then return; fi
    printf 'building in %s\n' "$directory"
    ninja --quiet -C "$directory" "$@" || fail "the build in $directory failed"
}

# run_tests DIRECTORY MESON_TEST_ARGUMENTS...
# Run tests, show what failed, and end with "N passed, N failed". Fails if one failed or none ran.
run_tests() {
    local directory=$1
    shift
    local log=$directory/meson-logs/testlog.json
    rm -f "$log" # meson keeps the old one if it runs no test
    meson test -C "$directory" --no-rebuild "$@" | grep -E '^ *[0-9]+/[0-9]+ ' || true
    tools/count-tests "$log"
}
