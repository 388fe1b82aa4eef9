/* zstd_driver FILE…: levels that use every match finder, threads, long distances, dictionaries. */
#define ZSTD_STATIC_LINKING_ONLY
#include "driver.h"
#include "zdict.h"
#include "zstd.h"

static int good(size_t code) {
    if (ZSTD_isError(code)) printf("zstd: %s\n", ZSTD_getErrorName(code));
    return !ZSTD_isError(code);
}

static void round_trip(const char *name, const char *how, ZSTD_CCtx *cctx, ZSTD_DCtx *dctx, Bytes data, Bytes packed,
                       Bytes restored) {
    size_t size = ZSTD_compress2(cctx, packed.at, packed.size, data.at, data.size);
    must(good(size), name, how);
    if (ZSTD_isError(size)) return;
    size_t back = ZSTD_decompressDCtx(dctx, restored.at, restored.size, packed.at, size);
    must(good(back), name, how);
    verdict(name, how, data, packed.at, size, restored.at, back);
}

/* Small pieces in, small pieces out. */
static void stream(const char *name, ZSTD_CCtx *cctx, ZSTD_DCtx *dctx, Bytes data, Bytes packed, Bytes restored) {
    ZSTD_outBuffer out = {packed.at, packed.size, 0};
    for (size_t at = 0; at < data.size || at == 0;) {
        size_t left = data.size - at, now = left < 3001 ? left : 3001;
        ZSTD_inBuffer in = {data.at + at, now, 0};
        at += now ? now : 1;
        ZSTD_EndDirective end = at >= data.size ? ZSTD_e_end : at % 7 == 0 ? ZSTD_e_flush : ZSTD_e_continue;
        size_t rest;
        do rest = ZSTD_compressStream2(cctx, &out, &in, end);
        while (good(rest) && (end == ZSTD_e_continue ? in.pos < in.size : rest != 0));
    }
    ZSTD_outBuffer back = {restored.at, restored.size, 0};
    for (size_t at = 0; at < out.pos; at += 1009) {
        size_t left = out.pos - at, now = left < 1009 ? left : 1009;
        ZSTD_inBuffer in = {packed.at + at, now, 0};
        while (in.pos < in.size && good(ZSTD_decompressStream(dctx, &back, &in))) {}
    }
    verdict(name, "stream", data, packed.at, out.pos, restored.at, back.pos);
    keep(name, "zst", packed.at, out.pos);
}

/* Trains a dictionary on pieces of the file and compresses its first piece with it. */
static void dictionary(const char *name, ZSTD_CCtx *cctx, ZSTD_DCtx *dctx, Bytes data, Bytes packed, Bytes restored) {
    enum { PIECE = 700, PIECES = 500, ROOM = 8000 };
    static unsigned char dict[ROOM];
    static size_t sizes[PIECES];
    if (data.size < (size_t)PIECE * PIECES) return;
    for (int i = 0; i < PIECES; i++) sizes[i] = PIECE;
    size_t size = ZDICT_trainFromBuffer(dict, ROOM, data.at, sizes, PIECES);
    if (ZDICT_isError(size)) {
        printf("%s no dictionary: %s\n", name, ZDICT_getErrorName(size));
        return;
    }
    printf("%s dictionary %zu %08x id %u\n", name, size, checksum(dict, size), ZDICT_getDictID(dict, size));
    must(good(ZSTD_CCtx_loadDictionary(cctx, dict, size)), name, "load dictionary");
    must(good(ZSTD_DCtx_loadDictionary(dctx, dict, size)), name, "load dictionary");
    Bytes piece = {data.at, PIECE};
    round_trip(name, "with dictionary", cctx, dctx, piece, packed, restored);
}

int main(int argc, char **argv) {
    static const int levels[] = {-7, 1, 3, 5, 8, 13, 16, 19};
    printf("zstd %s\n", ZSTD_versionString());
    for (int i = 1; i < argc; i++) {
        const char *name = base_name(argv[i]);
        Bytes data = read_file(argv[i]);
        Bytes packed = allocate(ZSTD_compressBound(data.size) + 4096);
        Bytes restored = allocate(data.size + 64);
        ZSTD_CCtx *cctx = ZSTD_createCCtx();
        ZSTD_DCtx *dctx = ZSTD_createDCtx();
        for (size_t l = 0; l < sizeof levels / sizeof *levels; l++) {
            char how[32];
            snprintf(how, sizeof how, "level %d", levels[l]);
            ZSTD_CCtx_reset(cctx, ZSTD_reset_session_and_parameters);
            ZSTD_CCtx_setParameter(cctx, ZSTD_c_compressionLevel, levels[l]);
            ZSTD_CCtx_setParameter(cctx, ZSTD_c_checksumFlag, (int)(l & 1));
            round_trip(name, how, cctx, dctx, data, packed, restored);
        }
        ZSTD_CCtx_reset(cctx, ZSTD_reset_session_and_parameters);
        must(good(ZSTD_CCtx_setParameter(cctx, ZSTD_c_nbWorkers, 2)), name, "two workers");
        ZSTD_CCtx_setParameter(cctx, ZSTD_c_jobSize, 1 << 19);
        ZSTD_CCtx_setParameter(cctx, ZSTD_c_enableLongDistanceMatching, 1);
        round_trip(name, "two workers, long", cctx, dctx, data, packed, restored);
        ZSTD_CCtx_reset(cctx, ZSTD_reset_session_and_parameters);
        stream(name, cctx, dctx, data, packed, restored);
        keep(name, "restored", restored.at, data.size);
        ZSTD_CCtx_reset(cctx, ZSTD_reset_session_and_parameters);
        dictionary(name, cctx, dctx, data, packed, restored);
        ZSTD_freeCCtx(cctx);
        ZSTD_freeDCtx(dctx);
        free(data.at), free(packed.at), free(restored.at);
    }
    return finish();
}
