// Preloaded into a program (LD_PRELOAD): counts the bytes and blocks of its heap that are in use,
// in the file that HEAP_COUNT names, so that a test can read them at any time. The resident memory
// of a process says less: the C library keeps what was freed.
//
// A sanitizer has an allocator of its own; the two do not go together.
#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
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

static Count before_start;
static Count *count = &before_start;

static void *add(void *block)
{
    if (!block) return NULL;
    atomic_fetch_add_explicit(&count->bytes, (long long)malloc_usable_size(block),
                              memory_order_relaxed);
    atomic_fetch_add_explicit(&count->blocks, 1, memory_order_relaxed);
    return block;
}

static void subtract(long long bytes)
{
    atomic_fetch_sub_explicit(&count->bytes, bytes, memory_order_relaxed);
    atomic_fetch_sub_explicit(&count->blocks, 1, memory_order_relaxed);
}

// What was in use before is counted too. Programs that this one starts are not.
__attribute__((constructor)) static void start(void)
{
    const char *path = getenv("HEAP_COUNT");
    int file = path ? open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600) : -1;
    if (file < 0 || ftruncate(file, sizeof *count) != 0) return;
    Count *shared = mmap(NULL, sizeof *count, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    close(file);
    if (shared == MAP_FAILED) return;
    atomic_store(&shared->bytes, atomic_load(&count->bytes));
    atomic_store(&shared->blocks, atomic_load(&count->blocks));
    count = shared;
    unsetenv("HEAP_COUNT");
    unsetenv("LD_PRELOAD");
}

void *malloc(size_t size)
{
    return add(__libc_malloc(size));
}

void *calloc(size_t number, size_t size)
{
    return add(__libc_calloc(number, size));
}

void *realloc(void *old, size_t size)
{
    long long before = old ? (long long)malloc_usable_size(old) : 0;
    void *block = __libc_realloc(old, size);
    if (old && (block || size == 0)) subtract(before);
    return add(block);
}

void free(void *block)
{
    if (block) subtract((long long)malloc_usable_size(block));
    __libc_free(block);
}

void *memalign(size_t alignment, size_t size)
{
    return add(__libc_memalign(alignment, size));
}

void *aligned_alloc(size_t alignment, size_t size)
{
    return memalign(alignment, size);
}

int posix_memalign(void **out, size_t alignment, size_t size)
{
    if (alignment < sizeof(void *) || (alignment & (alignment - 1))) return EINVAL;
    void *block = memalign(alignment, size);
    if (!block) return ENOMEM;
    *out = block;
    return 0;
}
