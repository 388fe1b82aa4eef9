-- Tables of every shape, the collector in both modes, weak tables, finalizers, a small interpreter.

local t = { 10, 20, 30, nil, 50, x = 1, [2.0] = "two", [-1] = "minus" }
print(#t >= 3, t[2], t[-1], t.x, next({}), rawlen({ 1, 2 }), rawequal(t, t), rawget(t, "x"))
print(table.unpack({ 1, 2, 3 }, 2), table.concat({ 1, 2.5, "x" }, "/"), table.pack(1, nil, 3).n, select("#", table.unpack({}, 1, 3)))
local list = { 1, 2, 3, 4, 5 }
table.insert(list, 6) table.insert(list, 1, 0) table.remove(list, 3) table.move(list, 2, 4, 5)
print(table.concat(list, ","), table.remove(list), #list)

local big = {}
for i = 1, 20000 do big["key" .. i] = i end
for i = 1, 20000, 3 do big["key" .. i] = nil end
local count, sum = 0, 0
for _, v in pairs(big) do count, sum = count + 1, sum + v end
print(count, sum)

local weak_values, weak_keys = setmetatable({}, { __mode = "v" }), setmetatable({}, { __mode = "k" })
local kept = {}
for i = 1, 200 do
  local o = { i }
  weak_values[i], weak_keys[o] = o, i
  if i % 10 == 0 then kept[#kept + 1] = o end
end
collectgarbage() collectgarbage()
local values, keys = 0, 0
for _ in pairs(weak_values) do values = values + 1 end
for _ in pairs(weak_keys) do keys = keys + 1 end
print(values, keys, #kept)

local finalized = 0
for _ = 1, 300 do setmetatable({}, { __gc = function() finalized = finalized + 1 end }) end
collectgarbage() collectgarbage()
print(finalized)
for _, mode in ipairs({ "generational", "incremental" }) do
  collectgarbage(mode)
  local live = {}
  for i = 1, 30000 do live[i % 97] = { i, tostring(i), function() return i end } end
  local total = 0
  for i = 0, 96 do total = total + live[i][1] + #live[i][2] + live[i][3]() end
  print(mode, total)
end
collectgarbage("step", 100)
print(collectgarbage("count") > 0, collectgarbage("isrunning"))

-- An expression parser and evaluator.
local function parse(text)
  local at = 1
  local function peek() at = text:find("%S", at) or #text + 1; return text:sub(at, at) end
  local expression
  local function atom()
    local c = peek()
    if c == "(" then
      at = at + 1
      local inner = expression(0)
      assert(peek() == ")", "expected )")
      at = at + 1
      return inner
    end
    local number = text:match("^%d+%.?%d*", at)
    assert(number, "expected a number at " .. at)
    at = at + #number
    return { op = "num", value = tonumber(number) }
  end
  local level = { ["+"] = 1, ["-"] = 1, ["*"] = 2, ["/"] = 2, ["^"] = 3 }
  function expression(min)
    local left = atom()
    while true do
      local op = peek()
      local p = level[op]
      if not p or p < min then return left end
      at = at + 1
      left = { op = op, left = left, right = expression(op == "^" and p or p + 1) }
    end
  end
  local tree = expression(0)
  assert(peek() == "", "trailing input")
  return tree
end
local eval = { num = function(n) return n.value end }
local function run(n) return eval[n.op](n) end
eval["+"] = function(n) return run(n.left) + run(n.right) end
eval["-"] = function(n) return run(n.left) - run(n.right) end
eval["*"] = function(n) return run(n.left) * run(n.right) end
eval["/"] = function(n) return run(n.left) / run(n.right) end
eval["^"] = function(n) return run(n.left) ^ run(n.right) end
for _, text in ipairs({ "1 + 2 * 3", "(1+2)*3", "2^3^2", "10 - 4 - 3", "7/2/7", "2*(3", "4 4" }) do
  local ok, result = pcall(function() return run(parse(text)) end)
  print(text, ok and result or (result:gsub("^.-:%d+: ", "")))
end
local file = assert(io.open("lua.txt", "w"))
for i = 1, 5 do file:write("line ", i, " ", i / 4, "\n") end
file:close()
for line in io.lines("lua.txt") do io.write(line, ";") end
for a, b in io.lines("lua.txt", "l", 3) do io.write("[", a, "|", b or "", "]") end
print(io.type(file), os.getenv("LANEWEAVER_UNSET"), os.date("!%Y-%m-%d", 86400), type(os.clock()))
