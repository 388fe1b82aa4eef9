-- Closures, upvalues shared and fresh, varargs, tail calls, goto, metatables, inheritance, errors.

local function counter(start)
  local n = start
  return function(by) n = n + (by or 1); return n end, function() return n end
end
local up, get = counter(10)
up(); up(5)
print(get(), select("#", nil, nil), select(-2, "a", "b", "c"))

local fns = {}
for i = 1, 5 do fns[i] = function() i = i * 2; return i end end
print(fns[2](), fns[2](), fns[3](), fns[5]())

local function compose(f, ...)
  if not f then return function(...) return ... end end
  local rest = compose(...)
  return function(...) return f(rest(...)) end
end
print(compose(math.abs, function(x) return x * 2 end, tonumber)("-21"))

local function loop(n, acc) if n == 0 then return acc end return loop(n - 1, acc + n) end
print(loop(100000, 0))

for i = 1, 3 do
  for j = 1, 3 do
    if j == 2 then goto continue end
    io.write(i, ":", j, " ")
    ::continue::
  end
end
print()

local Vector = {}
Vector.__index = Vector
Vector.__add = function(a, b) return setmetatable({ x = a.x + b.x, y = a.y + b.y }, Vector) end
Vector.__eq = function(a, b) return a.x == b.x and a.y == b.y end
Vector.__lt = function(a, b) return a:norm() < b:norm() end
Vector.__le = function(a, b) return a:norm() <= b:norm() end
Vector.__tostring = function(a) return "(" .. a.x .. ", " .. a.y .. ")" end
Vector.__call = function(a, k) return setmetatable({ x = a.x * k, y = a.y * k }, Vector) end
Vector.__concat = function(a, b) return tostring(a) .. tostring(b) end
Vector.__len = function() return 2 end
Vector.__close = function(a) print("closed " .. tostring(a)) end
function Vector:norm() return self.x ^ 2 + self.y ^ 2 end
local a, b = setmetatable({ x = 1, y = 2 }, Vector), setmetatable({ x = 3, y = 4 }, Vector)
print(tostring(a + b), a == b, a < b, a <= b, a(3) .. b, #a)
do local scoped <close> = a(7); print("inside") end

local Base = setmetatable({}, { __call = function(class, ...) local o = setmetatable({}, class); o:init(...); return o end })
Base.__index = Base
function Base:init(name) self.name = name end
function Base:speak() return self.name .. " says " .. self:sound() end
local Cat = setmetatable({}, { __index = Base, __call = getmetatable(Base).__call })
Cat.__index = Cat
function Cat:sound() return "meow" end
print(Cat("Tom"):speak())

local log = {}
local proxy = setmetatable({}, {
  __index = function(_, k) log[#log + 1] = "get " .. k; return k .. "!" end,
  __newindex = function(t, k, v) log[#log + 1] = "set " .. k; rawset(t, k, v) end,
})
proxy.one = 1
print(proxy.one, proxy.two, table.concat(log, ", "))

print(pcall(error, { code = 7 }) and "no" or "yes", select(2, pcall(error, "text", 0)))
print(select(2, pcall(function() local t = nil; return t.field end)):gsub("^.-:", ""))
print(xpcall(function() error("deep", 0) end, function(m) return "handled " .. m end))
print(pcall(string.rep, "x", -1), pcall(setmetatable, 1, {}))
local ok, message = pcall(function() local function deeper() return deeper() + 1 end return deeper() end)
print(ok, message:match("stack overflow"))
