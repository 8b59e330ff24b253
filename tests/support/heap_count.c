// Preloaded into a program (LD_PRELOAD): counts the bytes and blocks of the heap that are in use,
// in the file that HEAP_COUNT names, so that a test can read them at any time: first those that the
// program itself has asked for, then those of its libraries, such as an OpenGL driver, which keeps
// what it may need again. The resident memory of a process says less: the C library keeps what was
// freed.
//
// A sanitizer has an allocator of its own; the two do not go together.
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <malloc.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

// The C library's own allocator, under the names by which it can be called from here.
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *old, size_t size);
void *__libc_memalign(size_t alignment, size_t size);
void __libc_free(void *block);

typedef struct Count {
    atomic_llong bytes, blocks;
} Count;
enum { OF_PROGRAM, OF_LIBRARIES, OWNERS };

static Count before_start[OWNERS];
static Count *counts = before_start;
static uintptr_t program_start, program_end;

// A block ends with its owner, behind what was asked for.
static uint64_t *owner_of(void *block, size_t size)
{
    return (uint64_t *)((char *)block + size) - 1;
}

static void *add(void *block, const void *caller)
{
    if (!block) return NULL;
    size_t size = malloc_usable_size(block);
    uintptr_t from = (uintptr_t)caller;
    uint64_t owner = from >= program_start && from < program_end ? OF_PROGRAM : OF_LIBRARIES;
    memcpy(owner_of(block, size), &owner, sizeof owner);
    atomic_fetch_add_explicit(&counts[owner].bytes, (long long)size, memory_order_relaxed);
    atomic_fetch_add_explicit(&counts[owner].blocks, 1, memory_order_relaxed);
    return block;
}

static void subtract(void *block)
{
    if (!block) return;
    size_t size = malloc_usable_size(block);
    uint64_t owner;
    memcpy(&owner, owner_of(block, size), sizeof owner);
    if (owner != OF_PROGRAM) owner = OF_LIBRARIES;
    atomic_fetch_sub_explicit(&counts[owner].bytes, (long long)size, memory_order_relaxed);
    atomic_fetch_sub_explicit(&counts[owner].blocks, 1, memory_order_relaxed);
}

// The program is the first object.
static int find_program(struct dl_phdr_info *info, size_t size, void *user)
{
    (void)size, (void)user;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *part = &info->dlpi_phdr[i];
        if (part->p_type != PT_LOAD || !(part->p_flags & PF_X)) continue;
        program_start = info->dlpi_addr + part->p_vaddr;
        program_end = program_start + part->p_memsz;
    }
    return 1;
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
    memcpy(shared, before_start, size);
    counts = shared;
    dl_iterate_phdr(find_program, NULL);
    unsetenv("HEAP_COUNT");
    unsetenv("LD_PRELOAD");
}

#define CALLER __builtin_return_address(0)

// Room for the owner; too much stays too much.
static size_t with_owner(size_t size)
{
    return size <= SIZE_MAX - sizeof(uint64_t) ? size + sizeof(uint64_t) : SIZE_MAX;
}

void *malloc(size_t size)
{
    return add(__libc_malloc(with_owner(size)), CALLER);
}

void *calloc(size_t number, size_t size)
{
    size_t all;
    if (__builtin_mul_overflow(number, size, &all)) all = SIZE_MAX;
    return add(__libc_calloc(1, with_owner(all)), CALLER);
}

// A block that cannot grow stays as it is.
void *realloc(void *old, size_t size)
{
    if (old && size == 0) {
        free(old);
        return NULL;
    }
    uint64_t *end = old ? owner_of(old, malloc_usable_size(old)) : NULL, owner = 0;
    if (end) memcpy(&owner, end, sizeof owner);
    subtract(old);
    void *block = __libc_realloc(old, with_owner(size));
    if (block || !old) return add(block, CALLER);
    add(old, owner == OF_PROGRAM ? (void *)program_start : NULL);
    return NULL;
}

void free(void *block)
{
    subtract(block);
    __libc_free(block);
}

static void *aligned(size_t alignment, size_t size, const void *caller)
{
    return add(__libc_memalign(alignment, with_owner(size)), caller);
}

void *memalign(size_t alignment, size_t size)
{
    return aligned(alignment, size, CALLER);
}

void *aligned_alloc(size_t alignment, size_t size)
{
    return aligned(alignment, size, CALLER);
}

int posix_memalign(void **out, size_t alignment, size_t size)
{
    if (alignment < sizeof(void *) || (alignment & (alignment - 1))) return EINVAL;
    void *block = aligned(alignment, size, CALLER);
    if (!block) return ENOMEM;
    *out = block;
    return 0;
}
