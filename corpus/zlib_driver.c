/* zlib_driver FILE…: every level and strategy, raw, zlib and gzip framing, in small pieces and in one go. */
#include "driver.h"
#include "zlib.h"

static size_t deflate_in_pieces(Bytes in, Bytes out, int level, int window_bits, int strategy, unsigned piece) {
    z_stream z;
    memset(&z, 0, sizeof z);
    must(deflateInit2(&z, level, Z_DEFLATED, window_bits, 8, strategy) == Z_OK, "zlib", "deflateInit2");
    z.next_out = out.at;
    z.avail_out = (uInt)out.size;
    size_t at = 0;
    int status;
    do {
        size_t left = in.size - at, now = left < piece ? left : piece;
        z.next_in = in.at + at;
        z.avail_in = (uInt)now;
        at += now;
        status = deflate(&z, at == in.size ? Z_FINISH : Z_NO_FLUSH);
    } while (status == Z_OK);
    must(status == Z_STREAM_END, "zlib", "deflate");
    size_t size = z.total_out;
    deflateEnd(&z);
    return size;
}

static size_t inflate_in_pieces(const unsigned char *packed, size_t packed_size, Bytes out, int window_bits,
                                unsigned piece) {
    z_stream z;
    memset(&z, 0, sizeof z);
    must(inflateInit2(&z, window_bits) == Z_OK, "zlib", "inflateInit2");
    size_t at = 0;
    int status = Z_OK;
    while (status == Z_OK && (at < packed_size || z.avail_in)) {
        if (z.avail_in == 0) {
            size_t left = packed_size - at, now = left < piece ? left : piece;
            z.next_in = (Bytef *)packed + at;
            z.avail_in = (uInt)now;
            at += now;
        }
        size_t room = out.size - z.total_out;
        z.next_out = out.at + z.total_out;
        z.avail_out = (uInt)(room < 3 * piece ? room : 3 * piece);
        status = inflate(&z, Z_NO_FLUSH);
        if (status == Z_BUF_ERROR && z.avail_in == 0 && at < packed_size) status = Z_OK;
    }
    must(status == Z_STREAM_END, "zlib", "inflate");
    size_t size = z.total_out;
    inflateEnd(&z);
    return size;
}

/* The stdio-like interface, through a real file. */
static void gzip_file(const char *name, Bytes data, Bytes out) {
    char path[256];
    snprintf(path, sizeof path, "%s.gz", name);
    gzFile file = gzopen(path, "wb7");
    must(gzwrite(file, data.at, (unsigned)data.size) == (int)data.size, name, "gzwrite");
    must(gzprintf(file, "%s %d\n", "tail", 42) == 8, name, "gzprintf");
    must(gzclose(file) == Z_OK, name, "gzclose");
    file = gzopen(path, "rb");
    int size = gzread(file, out.at, (unsigned)data.size);
    char tail[32] = "";
    gzgets(file, tail, sizeof tail);
    printf("%s gzip tail: %s", name, tail);
    gzclose(file);
    Bytes packed = read_file(path);
    verdict(name, "gz file", data, packed.at, packed.size, out.at, size < 0 ? 0 : (size_t)size);
    free(packed.at);
}

int main(int argc, char **argv) {
    static const struct {
        const char *how;
        int level, window_bits, strategy;
        unsigned piece;
    } ways[] = {
        {"store", 0, 15, Z_DEFAULT_STRATEGY, 65536},   {"fast", 1, 15, Z_DEFAULT_STRATEGY, 4096},
        {"level 4", 4, 15, Z_DEFAULT_STRATEGY, 777},   {"level 6 raw", 6, -15, Z_DEFAULT_STRATEGY, 1 << 30},
        {"level 9 gzip", 9, 31, Z_DEFAULT_STRATEGY, 5000}, {"filtered", 6, 12, Z_FILTERED, 1000},
        {"huffman", 6, 15, Z_HUFFMAN_ONLY, 1 << 20},   {"rle", 6, 9, Z_RLE, 313},
        {"fixed", 5, 15, Z_FIXED, 8192},
    };
    printf("zlib %s\n", zlibVersion());
    uLong all = crc32(0, NULL, 0);
    for (int i = 1; i < argc; i++) {
        const char *name = base_name(argv[i]);
        Bytes data = read_file(argv[i]);
        Bytes packed = allocate(data.size + data.size / 8 + 1024);
        Bytes restored = allocate(data.size + 64);
        uLong crc = crc32(0, data.at, (uInt)data.size);
        all = crc32_combine(all, crc, (z_off_t)data.size);
        printf("%s crc %08lx adler %08lx all %08lx\n", name, crc, adler32(1, data.at, (uInt)data.size), all);
        for (size_t w = 0; w < sizeof ways / sizeof *ways; w++) {
            size_t size = deflate_in_pieces(data, packed, ways[w].level, ways[w].window_bits, ways[w].strategy, ways[w].piece);
            size_t back = inflate_in_pieces(packed.at, size, restored, ways[w].window_bits, ways[w].piece);
            verdict(name, ways[w].how, data, packed.at, size, restored.at, back);
            if (ways[w].level == 9) keep(name, "level9", packed.at, size);
        }
        uLongf size = packed.size, back = restored.size;
        must(compress2(packed.at, &size, data.at, data.size, 6) == Z_OK, name, "compress2");
        must(uncompress(restored.at, &back, packed.at, size) == Z_OK, name, "uncompress");
        verdict(name, "one go", data, packed.at, size, restored.at, back);
        packed.at[size / 2] ^= 0x55;
        back = restored.size;
        printf("%s damaged: %d\n", name, uncompress(restored.at, &back, packed.at, size));
        gzip_file(name, data, restored);
        keep(name, "restored", restored.at, data.size);
        free(data.at), free(packed.at), free(restored.at);
    }
    return finish();
}
