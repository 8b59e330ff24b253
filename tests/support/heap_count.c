// Preloaded into a program (LD_PRELOAD): counts what is in use of the heap, in the file that
// HEAP_COUNT names, so that a test can read it at any time: bytes and blocks that the program
// itself has asked for; those of its libraries, such as an OpenGL driver, which keeps what it may
// need again; and those of each place in the program that asks for one. The resident memory of
// a process says less: the C library keeps what was freed.
//
// HEAP_FAIL_AT=N: the N-th request of the program, or of the C library, is refused, and no other;
// HEAP_FAIL_IN=program leaves out those of the C library, which may ask on behalf of any other. The
// file's last number counts these requests, the one before it those that were refused.
// HEAP_WAYS=FILE: the numbers of those requests that are the first to come by their chain of calls.
// HEAP_FAIL_BESIDE=1: of the threads beside the main one these are refused, one after the other.
// With heap_fork.so all requests of the main thread are refused in one run, each in a child.
//
// A sanitizer has an allocator of its own; the two do not go together.
#include "heap_fork.h"

#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <malloc.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <unwind.h>

// The C library's own allocator, under the names by which it can be called from here.
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *old, size_t size);
void *__libc_memalign(size_t alignment, size_t size);
void __libc_free(void *block);

enum { SITES = 4096 };
typedef struct Count {
    atomic_llong bytes, blocks;
} Count;
typedef struct Site {
    atomic_llong address; // after the call, as in the program's file; 0: not used
    Count count;
} Site;
typedef struct Heap {
    Count program, libraries;
    Site sites[SITES];     // the first: those for which there is no room
    atomic_llong refused;  // requests
    atomic_llong requests; // that could be refused
} Heap;
enum { OF_LIBRARIES = SITES }; // in place of a site

static Heap before_start;
static Heap *heap = &before_start;
static uintptr_t program_base, program_start, program_end;
static uintptr_t library_start, library_end; // of the C library, if its requests can be refused
static long long fail_at;                    // 0: none is refused
static bool fail_beside;

// A block ends with the number of its site, behind what was asked for.
static char *tag_of(void *block, size_t size)
{
    return (char *)block + size - sizeof(uint64_t);
}

static bool is_within(const void *caller, uintptr_t start, uintptr_t end)
{
    return (uintptr_t)caller >= start && (uintptr_t)caller < end;
}

static uint64_t site_of(const void *caller)
{
    if (!is_within(caller, program_start, program_end)) return OF_LIBRARIES;
    long long address = (long long)((uintptr_t)caller - program_base);
    for (int i = 0; i < SITES - 1; i++) {
        uint64_t at = 1 + (uint64_t)(address + i) % (SITES - 1);
        long long there = 0;
        if (atomic_compare_exchange_strong(&heap->sites[at].address, &there, address) ||
            there == address)
            return at;
    }
    return 0;
}

static void count(uint64_t site, size_t size, int sign)
{
    Count *of[] = {site == OF_LIBRARIES ? &heap->libraries : &heap->program,
                   site == OF_LIBRARIES ? NULL : &heap->sites[site].count};
    for (int i = 0; i < 2 && of[i]; i++) {
        atomic_fetch_add_explicit(&of[i]->bytes, sign * (long long)size, memory_order_relaxed);
        atomic_fetch_add_explicit(&of[i]->blocks, sign, memory_order_relaxed);
    }
}

// ---- ways: the chains of calls that requests come by

enum { WAYS = 1 << 16 };
static int ways_file = -1;
static atomic_ullong ways[WAYS];      // hashes; 0: not used
static _Thread_local bool looks_back; // which may take memory itself

static _Unwind_Reason_Code mix(struct _Unwind_Context *frame, void *user)
{
    uint64_t *hash = user;
    *hash = (*hash ^ (uint64_t)_Unwind_GetIP(frame)) * 1099511628211u; // FNV-1a
    return _URC_NO_REASON;
}

static bool is_new_way(void)
{
    uint64_t hash = 14695981039346656037u;
    looks_back = true;
    _Unwind_Backtrace(mix, &hash);
    looks_back = false;
    for (uint64_t i = 0; i < WAYS; i++) {
        unsigned long long there = 0;
        if (atomic_compare_exchange_strong(&ways[(hash + i) % WAYS], &there, hash | 1)) return true;
        if (there == (hash | 1)) return false;
    }
    return true;
}

static bool notes_ways(void)
{
    return ways_file >= 0 || fail_beside;
}

static void note_way(long long number)
{
    if (ways_file < 0) return;
    ssize_t written = write(ways_file, &number, sizeof number);
    (void)written;
}

// In a child: the notes are its parent's.
static void leave_notes(void)
{
    heap = &before_start;
    ways_file = -1;
}

// Is this the request that fails?
static bool is_refused(const void *caller)
{
    if (!is_within(caller, program_start, program_end) &&
        !is_within(caller, library_start, library_end))
        return false;
    if (looks_back) return false;
    long long number = atomic_fetch_add_explicit(&heap->requests, 1, memory_order_relaxed) + 1;
    bool is_new = notes_ways() && is_new_way(), in_child = heap_fork && heap_fork(number);
    if (in_child) leave_notes();
    if (is_new) note_way(number);
    bool fails_beside = fail_beside && is_new && gettid() != getpid();
    if (number != fail_at && !fails_beside && !in_child) return false;
    atomic_fetch_add_explicit(&heap->refused, 1, memory_order_relaxed);
    errno = ENOMEM;
    return true;
}

static void *add(void *block, uint64_t site)
{
    if (!block) return NULL;
    size_t size = malloc_usable_size(block);
    memcpy(tag_of(block, size), &site, sizeof site);
    count(site, size, 1);
    return block;
}

static uint64_t subtract(void *block)
{
    if (!block) return OF_LIBRARIES;
    size_t size = malloc_usable_size(block);
    uint64_t site;
    memcpy(&site, tag_of(block, size), sizeof site);
    if (site > OF_LIBRARIES) site = OF_LIBRARIES;
    count(site, size, -1);
    return site;
}

static void find_code(const struct dl_phdr_info *info, uintptr_t *start, uintptr_t *end)
{
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *part = &info->dlpi_phdr[i];
        if (part->p_type != PT_LOAD || !(part->p_flags & PF_X)) continue;
        *start = info->dlpi_addr + part->p_vaddr;
        *end = *start + part->p_memsz;
    }
}

// The program is the first object.
static int find_program(struct dl_phdr_info *info, size_t size, void *user)
{
    (void)size;
    bool *with_library = user;
    if (program_end == 0) {
        program_base = info->dlpi_addr;
        find_code(info, &program_start, &program_end);
    } else if (*with_library && strstr(info->dlpi_name, "/libc.so")) {
        find_code(info, &library_start, &library_end);
    }
    return 0;
}

// What was in use before is counted too. Programs that this one starts are not.
__attribute__((constructor)) static void start(void)
{
    const size_t size = sizeof before_start;
    const char *path = getenv("HEAP_COUNT");
    int file = path ? open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600) : -1;
    if (file < 0 || ftruncate(file, (off_t)size) != 0) return;
    void *shared = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    close(file);
    if (shared == MAP_FAILED) return;
    memcpy(shared, &before_start, size);
    heap = shared;
    const char *wanted = getenv("HEAP_FAIL_AT"), *where = getenv("HEAP_FAIL_IN");
    bool with_library = !where || strcmp(where, "program") != 0;
    dl_iterate_phdr(find_program, &with_library);
    fail_at = wanted ? atoll(wanted) : 0;
    fail_beside = getenv("HEAP_FAIL_BESIDE");
    const char *ways_path = getenv("HEAP_WAYS");
    if (ways_path) ways_file = open(ways_path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    unsetenv("HEAP_WAYS");
    unsetenv("HEAP_COUNT");
    unsetenv("HEAP_FAIL_AT");
    unsetenv("HEAP_FAIL_IN");
    unsetenv("HEAP_FAIL_BESIDE");
    unsetenv("LD_PRELOAD");
}

#define CALLER site_of(__builtin_return_address(0))
#define REFUSED is_refused(__builtin_return_address(0))

// Room for the tag; too much stays too much.
static size_t with_tag(size_t size)
{
    return size <= SIZE_MAX - sizeof(uint64_t) ? size + sizeof(uint64_t) : SIZE_MAX;
}

void *malloc(size_t size)
{
    return REFUSED ? NULL : add(__libc_malloc(with_tag(size)), CALLER);
}

void *calloc(size_t number, size_t size)
{
    size_t all;
    if (__builtin_mul_overflow(number, size, &all)) all = SIZE_MAX;
    return REFUSED ? NULL : add(__libc_calloc(1, with_tag(all)), CALLER);
}

// A block that cannot grow stays as it is.
void *realloc(void *old, size_t size)
{
    if (old && size == 0) {
        free(old);
        return NULL;
    }
    if (REFUSED) return NULL;
    uint64_t before = subtract(old), now = CALLER;
    void *block = __libc_realloc(old, with_tag(size));
    if (block) return add(block, now);
    add(old, before);
    return NULL;
}

void free(void *block)
{
    subtract(block);
    __libc_free(block);
}

static void *aligned(size_t alignment, size_t size, uint64_t site)
{
    return add(__libc_memalign(alignment, with_tag(size)), site);
}

void *memalign(size_t alignment, size_t size)
{
    return REFUSED ? NULL : aligned(alignment, size, CALLER);
}

void *aligned_alloc(size_t alignment, size_t size)
{
    return REFUSED ? NULL : aligned(alignment, size, CALLER);
}

int posix_memalign(void **out, size_t alignment, size_t size)
{
    if (alignment < sizeof(void *) || (alignment & (alignment - 1))) return EINVAL;
    void *block = REFUSED ? NULL : aligned(alignment, size, CALLER);
    if (!block) return ENOMEM;
    *out = block;
    return 0;
}
