/* lua_driver SCRIPT…: runs each script in a state of its own and prints what went wrong, if anything. */
#include <stdio.h>

#include "lauxlib.h"
#include "lua.h"
#include "lualib.h"

static int traceback(lua_State *L) {
    luaL_traceback(L, L, lua_tostring(L, 1), 1);
    return 1;
}

int main(int argc, char **argv) {
    int failures = 0;
    for (int i = 1; i < argc; i++) {
        const char *slash = argv[i], *name = argv[i];
        for (; *slash; slash++)
            if (*slash == '/') name = slash + 1;
        printf("-- %s\n", name);
        fflush(stdout);
        lua_State *L = luaL_newstate();
        luaL_openlibs(L);
        lua_pushcfunction(L, traceback);
        if (luaL_loadfile(L, argv[i]) != LUA_OK || lua_pcall(L, 0, 0, 1) != LUA_OK) {
            printf("error: %s\n", lua_tostring(L, -1));
            failures++;
        }
        lua_close(L);
    }
    printf("%s\n", failures ? "failed" : "ok");
    return failures != 0;
}
