/* bzip2_driver FILE…: block sizes, work factors, both decoders, streams and files. */
#include "driver.h"
#include "bzlib.h"

/* The library calls this when an invariant breaks, if it is built without its own reporting. */
void bz_internal_error(int code) {
    printf("bzip2 internal error %d\n", code);
    exit(4);
}

/* Through BZ2_bzCompress with a flush in the middle and a small output window. */
static size_t compress_stream(Bytes in, Bytes out) {
    bz_stream z;
    memset(&z, 0, sizeof z);
    must(BZ2_bzCompressInit(&z, 2, 0, 0) == BZ_OK, "bzip2", "BZ2_bzCompressInit");
    unsigned half = (unsigned)(in.size / 2);
    size_t written = 0;
    z.next_in = (char *)in.at;
    z.avail_in = half;
    int action = BZ_FLUSH, status;
    do {
        z.next_out = (char *)out.at + written;
        z.avail_out = 1000;
        status = BZ2_bzCompress(&z, action);
        written += 1000 - z.avail_out;
        if (status == BZ_RUN_OK && action == BZ_FLUSH) {
            action = BZ_FINISH;
            z.avail_in = (unsigned)in.size - half;
        }
    } while (status == BZ_RUN_OK || status == BZ_FLUSH_OK || status == BZ_FINISH_OK);
    must(status == BZ_STREAM_END, "bzip2", "BZ2_bzCompress");
    BZ2_bzCompressEnd(&z);
    return written;
}

/* Through the stdio-like interface. */
static void through_file(const char *name, Bytes data, Bytes out) {
    char path[256];
    snprintf(path, sizeof path, "%s.bz2", name);
    BZFILE *file = BZ2_bzopen(path, "wb3");
    must(BZ2_bzwrite(file, data.at, (int)data.size) == (int)data.size, name, "BZ2_bzwrite");
    BZ2_bzclose(file);
    file = BZ2_bzopen(path, "rb");
    size_t size = 0;
    int now;
    while ((now = BZ2_bzread(file, out.at + size, 4093)) > 0) size += (size_t)now;
    BZ2_bzclose(file);
    Bytes packed = read_file(path);
    verdict(name, "bz2 file", data, packed.at, packed.size, out.at, size);
    free(packed.at);
}

int main(int argc, char **argv) {
    static const struct {
        const char *how;
        int blocks, work, small;
    } ways[] = {{"1 block", 1, 0, 0}, {"5 blocks, lazy", 5, 250, 1}, {"9 blocks, impatient", 9, 1, 0}};
    printf("bzip2 %s\n", BZ2_bzlibVersion());
    for (int i = 1; i < argc; i++) {
        const char *name = base_name(argv[i]);
        Bytes data = read_file(argv[i]);
        Bytes packed = allocate(data.size + data.size / 8 + 4096);
        Bytes restored = allocate(data.size + 8192);
        for (size_t w = 0; w < sizeof ways / sizeof *ways; w++) {
            unsigned size = (unsigned)packed.size, back = (unsigned)restored.size;
            must(BZ2_bzBuffToBuffCompress((char *)packed.at, &size, (char *)data.at, (unsigned)data.size,
                                          ways[w].blocks, 0, ways[w].work) == BZ_OK, name, "compress");
            must(BZ2_bzBuffToBuffDecompress((char *)restored.at, &back, (char *)packed.at, size,
                                            ways[w].small, 0) == BZ_OK, name, "decompress");
            verdict(name, ways[w].how, data, packed.at, size, restored.at, back);
        }
        size_t size = compress_stream(data, packed);
        unsigned back = (unsigned)restored.size;
        must(BZ2_bzBuffToBuffDecompress((char *)restored.at, &back, (char *)packed.at, (unsigned)size, 0, 0) == BZ_OK,
             name, "decompress stream");
        verdict(name, "stream", data, packed.at, size, restored.at, back);
        packed.at[size / 2] ^= 0x10;
        back = (unsigned)restored.size;
        printf("%s damaged: %d\n", name,
               BZ2_bzBuffToBuffDecompress((char *)restored.at, &back, (char *)packed.at, (unsigned)size, 0, 0));
        through_file(name, data, restored);
        keep(name, "restored", restored.at, data.size);
        free(data.at), free(packed.at), free(restored.at);
    }
    return finish();
}
