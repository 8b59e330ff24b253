# Shared by tools/* and .ci/run: what has to be installed, how a build directory is made.
# Sourced from the top of the source tree.

# What each group needs, as "Debian package: what it is". Later groups include the earlier ones.
run_packages='
build-essential: C and C++ compilers
pkg-config: pkg-config
meson: Meson 1.0 or newer
ninja-build: Ninja
python3: Python 3.9 or newer
python3-glad: glad 2, the OpenGL loader generator
libglfw3-dev: GLFW 3.3
libcglm-dev: cglm
libimgui-dev: Dear ImGui with its GLFW and OpenGL 3 back ends
libegl-dev: EGL
libgl-dev: OpenGL headers
libgl1-mesa-dri: an OpenGL 3.3 driver
libpng-dev: libpng
libinih-dev: inih
liblapacke-dev: LAPACKE, for the eigenvalues of small dense matrices
'
test_packages='
libcmocka-dev: cmocka
xvfb: Xvfb, a display in memory
xauth: xauth
xdotool: xdotool, which moves the mouse in tests
'
ci_packages='
clang-format: clang-format 14
'

fail() {
    printf '%s: %s\n' "${0##*/}" "$1" >&2
    exit 1
}

# install_packages run|test|ci
install_packages() {
    local wanted=$run_packages missing=()
    case $1 in
    run) ;;
    test) wanted+=$test_packages ;;
    ci) wanted+=$test_packages$ci_packages ;;
    *) fail "there is no group '$1'; the groups are run, test and ci" ;;
    esac
    if ! command -v apt-get >/dev/null; then
        printf 'This system has no apt-get. Needed (with the Debian packages that hold it):\n' >&2
        sed '/^$/d; s/^\(.*\): \(.*\)$/  \2 (\1)/' <<<"$wanted" >&2
        return
    fi

    local package
    for package in $(sed -n 's/:.*//p' <<<"$wanted"); do
        dpkg-query --show --showformat='${db:Status-Status}' "$package" 2>/dev/null |
            grep -qx installed || missing+=("$package")
    done
    ((${#missing[@]})) || return 0

    local as_root=()
    if ((EUID != 0)); then
        command -v sudo >/dev/null ||
            fail "as root, run: apt-get install --no-install-recommends ${missing[*]}"
        as_root=(sudo)
    fi
    printf 'installing %s\n' "${missing[*]}"
    quietly "${as_root[@]}" apt-get -o DPkg::Lock::Timeout=300 update
    quietly "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get \
        -o DPkg::Lock::Timeout=300 install --yes --no-install-recommends "${missing[@]}"
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

# build_in DIRECTORY MESON_SETUP_ARGUMENTS...
# Configure where needed and compile. A directory made with other arguments, elsewhere, or by
# another Meson is made anew.
build_in() {
    local directory=$1 stamp
    shift
    stamp="$PWD $(meson --version) $*"
    if [[ $stamp != "$(cat "$directory/setup.stamp" 2>/dev/null)" ]] ||
        ! quietly ninja -C "$directory" build.ninja 2>/dev/null; then
        rm -rf "$directory"
        quietly meson setup "$directory" "$@" || fail "the build in $directory was not configured"
        printf '%s\n' "$stamp" >"$directory/setup.stamp"
    fi
    if ninja -C "$directory" -n | grep -q 'no work to do'; then return; fi
    printf 'building in %s\n' "$directory"
    ninja --quiet -C "$directory" || fail "the build in $directory failed"
}

# run_tests DIRECTORY MESON_TEST_ARGUMENTS...
# Run tests, show what failed, and end with "N passed, N failed". Fails when one did or none ran.
run_tests() {
    local directory=$1
    shift
    local log=$directory/meson-logs/testlog.json
    rm -f "$log" # meson leaves the old one when it runs nothing
    meson test -C "$directory" --no-rebuild "$@" | grep -E '^ *[0-9]+/[0-9]+ ' || true
    tools/count-tests "$log"
}
