/* What the drivers of the compressors share: whole files in memory, a checksum, a verdict per step. */
#ifndef LANEWEAVER_CORPUS_DRIVER_H
#define LANEWEAVER_CORPUS_DRIVER_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    unsigned char *at;
    size_t size;
} Bytes;

static int failures;

static Bytes allocate(size_t size) {
    Bytes bytes = {malloc(size ? size : 1), size};
    if (!bytes.at) {
        fprintf(stderr, "out of memory\n");
        exit(3);
    }
    return bytes;
}

static Bytes read_file(const char *path) {
    FILE *file = fopen(path, "rb");
    if (!file) {
        perror(path);
        exit(3);
    }
    fseek(file, 0, SEEK_END);
    Bytes bytes = allocate((size_t)ftell(file));
    rewind(file);
    if (fread(bytes.at, 1, bytes.size, file) != bytes.size) {
        perror(path);
        exit(3);
    }
    fclose(file);
    return bytes;
}

/* Leaves `bytes` in the working directory as NAME.SUFFIX; what lies there is compared too. */
static void keep(const char *name, const char *suffix, const unsigned char *at, size_t size) {
    char path[256];
    snprintf(path, sizeof path, "%s.%s", name, suffix);
    FILE *file = fopen(path, "wb");
    if (!file || fwrite(at, 1, size, file) != size || fclose(file) != 0) {
        perror(path);
        exit(3);
    }
}

static const char *base_name(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static unsigned checksum(const unsigned char *at, size_t size) {
    unsigned hash = 0x811c9dc5u;
    for (size_t i = 0; i < size; i++) hash = (hash ^ at[i]) * 0x01000193u;
    return hash;
}

/* One line: what was compressed to what, and whether `restored` is `original` again. */
static void verdict(const char *name, const char *how, Bytes original, const unsigned char *packed,
                    size_t packed_size, const unsigned char *restored, size_t restored_size) {
    int same = restored_size == original.size && memcmp(restored, original.at, original.size) == 0;
    printf("%s %s: %zu -> %zu %08x %s\n", name, how, original.size, packed_size, checksum(packed, packed_size),
           same ? "restored" : "NOT RESTORED");
    failures += !same;
}

/* A step of the library that must succeed. */
static void must(int good, const char *name, const char *step) {
    if (!good) {
        printf("%s: %s failed\n", name, step);
        failures++;
    }
}

static int finish(void) {
    printf("%s\n", failures ? "failed" : "ok");
    return failures != 0;
}

#endif
