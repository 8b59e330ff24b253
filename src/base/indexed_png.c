// PNG (ISO/IEC 15948): a signature and chunks; the pixels are a zlib stream (RFC 1950) of stored
// blocks (RFC 1951).
#include "base/indexed_png.h"

#include <stdlib.h>
#include <string.h>

enum { BLOCK_MAX = 65535 };

typedef struct Bytes {
    uint8_t *data;
    size_t size;
} Bytes;

static void put(Bytes *out, const void *data, size_t size)
{
    memcpy(out->data + out->size, data, size);
    out->size += size;
}

static void put_u32(Bytes *out, uint32_t value)
{
    uint8_t bytes[4] = {(uint8_t)(value >> 24), (uint8_t)(value >> 16), (uint8_t)(value >> 8),
                        (uint8_t)value};
    put(out, bytes, sizeof bytes);
}

static uint32_t crc(const uint8_t *data, size_t size)
{
    uint32_t value = 0xffffffffu;
    for (size_t i = 0; i < size; i++) {
        value ^= data[i];
        for (int bit = 0; bit < 8; bit++) value = value >> 1 ^ (value & 1 ? 0xedb88320u : 0);
    }
    return ~value;
}

static void put_chunk(Bytes *out, const char *kind, const uint8_t *data, size_t size)
{
    put_u32(out, (uint32_t)size);
    size_t start = out->size;
    put(out, kind, 4);
    if (size > 0) put(out, data, size);
    put_u32(out, crc(out->data + start, out->size - start));
}

static uint32_t adler(const uint8_t *data, size_t size)
{
    uint32_t a = 1, b = 0;
    for (size_t i = 0; i < size; i++) {
        a = (a + data[i]) % 65521;
        b = (b + a) % 65521;
    }
    return b << 16 | a;
}

// Each line starts with the number of its filter: 0, none.
static void put_lines(Bytes *out, int width, int height, const uint8_t *cells)
{
    for (int row = 0; row < height; row++) {
        uint8_t none = 0;
        put(out, &none, 1);
        put(out, cells + (size_t)row * (size_t)width, (size_t)width);
    }
}

static void put_zlib(Bytes *out, const Bytes *raw)
{
    const uint8_t start[2] = {0x78, 0x01};
    put(out, start, sizeof start);
    for (size_t at = 0; at < raw->size;) {
        size_t size = raw->size - at < BLOCK_MAX ? raw->size - at : BLOCK_MAX;
        uint8_t head[5] = {at + size == raw->size, (uint8_t)size, (uint8_t)(size >> 8),
                           (uint8_t)~size, (uint8_t)(~size >> 8)};
        put(out, head, sizeof head);
        put(out, raw->data + at, size);
        at += size;
    }
    put_u32(out, adler(raw->data, raw->size));
}

static void write_base64(FILE *file, const Bytes *bytes)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (size_t i = 0; i < bytes->size; i += 3) {
        size_t rest = bytes->size - i;
        uint32_t three = (uint32_t)bytes->data[i] << 16 |
                         (rest > 1 ? (uint32_t)bytes->data[i + 1] << 8 : 0) |
                         (rest > 2 ? bytes->data[i + 2] : 0);
        fputc(digits[three >> 18], file);
        fputc(digits[three >> 12 & 63], file);
        fputc(rest > 1 ? digits[three >> 6 & 63] : '=', file);
        fputc(rest > 2 ? digits[three & 63] : '=', file);
    }
}

bool indexed_png_write_base64(FILE *file, int width, int height, const uint8_t *cells,
                              const uint32_t *palette, int colours)
{
    size_t lines = ((size_t)width + 1) * (size_t)height, blocks = lines / BLOCK_MAX + 1;
    uint8_t *memory = malloc(3 * lines + 20 * blocks + 2000);
    if (!memory) return false;
    Bytes raw = {memory, 0}, packed = {memory + lines, 0},
          png = {memory + 2 * lines + 10 * blocks + 20, 0};
    uint8_t header[13], colour[768];
    Bytes head = {header, 0};
    put_u32(&head, (uint32_t)width);
    put_u32(&head, (uint32_t)height);
    put(&head, "\x08\x03\0\0\0", 5); // 8 bits, a palette
    for (int i = 0; i < colours; i++) {
        for (int k = 0; k < 3; k++) colour[3 * i + k] = (uint8_t)(palette[i] >> (16 - 8 * k));
    }
    put_lines(&raw, width, height, cells);
    put_zlib(&packed, &raw);
    put(&png, "\x89PNG\r\n\x1a\n", 8);
    put_chunk(&png, "IHDR", header, sizeof header);
    put_chunk(&png, "PLTE", colour, 3 * (size_t)colours);
    put_chunk(&png, "IDAT", packed.data, packed.size);
    put_chunk(&png, "IEND", NULL, 0);
    write_base64(file, &png);
    free(memory);
    return true;
}
