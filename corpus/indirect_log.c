/* What a program linked with a module from `lw callgraph --instrument` calls: each pair of call and callee once, with the address of
 * the callee, written to the file that LW_CALL_LOG names when the program ends. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define PAIRS (1u << 20)

static struct { uint32_t site; uintptr_t callee; } pairs[PAIRS];
static uint32_t used;

static void write_log(void) {
    const char *name = getenv("LW_CALL_LOG");
    FILE *file = name ? fopen(name, "w") : NULL;
    if (!file) return;
    for (uint32_t i = 0; i < PAIRS; i++)
        if (pairs[i].callee) fprintf(file, "%u %lx\n", pairs[i].site, (unsigned long)pairs[i].callee);
    fclose(file);
}

void lw_indirect_call(uint32_t site, void *callee) {
    uintptr_t address = (uintptr_t)callee;
    uint64_t hash = (address * 31u + site) * 0x9e3779b97f4a7c15u;
    uint32_t at = (uint32_t)(hash >> 44);
    while (pairs[at].callee && (pairs[at].site != site || pairs[at].callee != address)) at = (at + 1) % PAIRS;
    if (pairs[at].callee) return;
    if (used == 0) atexit(write_log);
    if (++used == PAIRS) abort();
    pairs[at].site = site;
    pairs[at].callee = address;
}
