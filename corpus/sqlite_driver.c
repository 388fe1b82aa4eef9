/* sqlite_driver SCRIPT: runs the statements of a SQL script on a database in memory and prints every row.
 * A statement that fails prints its error; the script goes on. It adds a scalar function, an aggregate with a
 * window form, a collation and an update hook, so that SQLite calls back. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sqlite3.h"

static long changes;

static void reversed(sqlite3_context *context, int count, sqlite3_value **values) {
    (void)count;
    const unsigned char *text = sqlite3_value_text(values[0]);
    if (!text) return;
    int size = sqlite3_value_bytes(values[0]);
    char *copy = sqlite3_malloc(size + 1);
    for (int i = 0; i < size; i++) copy[i] = (char)text[size - 1 - i];
    sqlite3_result_text(context, copy, size, sqlite3_free);
}

static void total_step(sqlite3_context *context, int count, sqlite3_value **values) {
    (void)count;
    double *sum = sqlite3_aggregate_context(context, sizeof *sum);
    if (sum) *sum += sqlite3_value_double(values[0]);
}

static void total_inverse(sqlite3_context *context, int count, sqlite3_value **values) {
    (void)count;
    double *sum = sqlite3_aggregate_context(context, sizeof *sum);
    if (sum) *sum -= sqlite3_value_double(values[0]);
}

static void total_value(sqlite3_context *context) {
    double *sum = sqlite3_aggregate_context(context, sizeof *sum);
    sqlite3_result_double(context, sum ? *sum : 0.0);
}

/* Orders by length first. */
static int by_length(void *unused, int a_size, const void *a, int b_size, const void *b) {
    (void)unused;
    return a_size != b_size ? a_size - b_size : memcmp(a, b, (size_t)a_size);
}

static void count_change(void *unused, int what, const char *database, const char *table, sqlite3_int64 row) {
    (void)unused, (void)what, (void)database, (void)table, (void)row;
    changes++;
}

static char *read_script(const char *path) {
    FILE *file = fopen(path, "rb");
    if (!file) {
        perror(path);
        exit(3);
    }
    fseek(file, 0, SEEK_END);
    size_t size = (size_t)ftell(file);
    rewind(file);
    char *text = malloc(size + 1);
    if (!text || fread(text, 1, size, file) != size) {
        perror(path);
        exit(3);
    }
    text[size] = 0;
    fclose(file);
    return text;
}

static void print_row(sqlite3_stmt *statement) {
    for (int i = 0; i < sqlite3_column_count(statement); i++) {
        if (i) putchar('|');
        switch (sqlite3_column_type(statement, i)) {
        case SQLITE_NULL: printf("NULL"); break;
        case SQLITE_INTEGER: printf("%lld", (long long)sqlite3_column_int64(statement, i)); break;
        case SQLITE_FLOAT: printf("%.15g", sqlite3_column_double(statement, i)); break;
        case SQLITE_BLOB: {
            const unsigned char *blob = sqlite3_column_blob(statement, i);
            int size = sqlite3_column_bytes(statement, i);
            printf("x'");
            for (int b = 0; b < size; b++) printf("%02x", blob[b]);
            printf("'");
            break;
        }
        default: printf("%s", (const char *)sqlite3_column_text(statement, i));
        }
    }
    putchar('\n');
}

/* One past the semicolon that ends the statement at `start`: a trigger has more than one. */
static char *statement_end(char *start) {
    for (char *at = start;;) {
        char *semicolon = strchr(at, ';');
        if (!semicolon) return at + strlen(at);
        at = semicolon + 1;
        char after = *at;
        *at = 0;
        int complete = sqlite3_complete(start);
        *at = after;
        if (complete) return at;
    }
}

static void run(sqlite3 *db, const char *sql) {
    sqlite3_stmt *statement = NULL;
    int status = sqlite3_prepare_v2(db, sql, -1, &statement, NULL);
    if (status == SQLITE_OK && statement) {
        while ((status = sqlite3_step(statement)) == SQLITE_ROW) print_row(statement);
        if (status == SQLITE_DONE) status = SQLITE_OK;
    }
    if (status != SQLITE_OK) printf("error: %s\n", sqlite3_errmsg(db));
    sqlite3_finalize(statement);
}

int main(int argc, char **argv) {
    if (argc != 2) {
        fprintf(stderr, "usage: %s SCRIPT\n", argv[0]);
        return 2;
    }
    sqlite3 *db;
    if (sqlite3_open(":memory:", &db) != SQLITE_OK) return 3;
    sqlite3_create_function(db, "reversed", 1, SQLITE_UTF8 | SQLITE_DETERMINISTIC, NULL, reversed, NULL, NULL);
    sqlite3_create_window_function(db, "total_of", 1, SQLITE_UTF8, NULL, total_step, total_value, total_value,
                                   total_inverse, NULL);
    sqlite3_create_collation(db, "by_length", SQLITE_UTF8, NULL, by_length);
    sqlite3_update_hook(db, count_change, NULL);
    char *script = read_script(argv[1]);
    for (char *start = script; *start;) {
        char *end = statement_end(start);
        char after = *end;
        *end = 0;
        run(db, start);
        *end = after;
        start = end;
    }
    printf("changes %ld\n", changes);
    int closed = sqlite3_close(db) == SQLITE_OK;
    printf("%s\n", closed ? "ok" : "not closed");
    free(script);
    return !closed;
}
