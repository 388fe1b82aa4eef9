-- Coroutines: generators, pipelines, a scheduler, errors and closing.

local function permutations(items)
  return coroutine.wrap(function()
    local function permute(n)
      if n <= 1 then coroutine.yield(table.concat(items)) return end
      for i = 1, n do
        items[n], items[i] = items[i], items[n]
        permute(n - 1)
        items[n], items[i] = items[i], items[n]
      end
    end
    permute(#items)
  end)
end
local seen = {}
for p in permutations({ "a", "b", "c", "d" }) do seen[#seen + 1] = p end
print(#seen, table.concat(seen, " "))

local function source(n) return coroutine.wrap(function() for i = 1, n do coroutine.yield(i) end end) end
local function filter(keep, from) return coroutine.wrap(function() for x in from do if keep(x) then coroutine.yield(x) end end end) end
local function primes(n)
  local from, out = source(n), {}
  from()
  while true do
    local p = from()
    if not p then break end
    out[#out + 1] = p
    from = filter(function(x) return x % p ~= 0 end, from)
  end
  return out
end
print(table.concat(primes(120), " "))

local tasks, trace = {}, {}
for id = 1, 3 do
  tasks[id] = coroutine.create(function(first)
    local sum = first
    for step = 1, id + 1 do sum = sum + coroutine.yield(id * 10 + step) end
    return "done", sum
  end)
end
local round = 0
repeat
  local alive = 0
  round = round + 1
  for id, task in ipairs(tasks) do
    if coroutine.status(task) ~= "dead" then
      alive = alive + 1
      trace[#trace + 1] = table.concat({ id, ":", tostring(select(2, coroutine.resume(task, round))) })
    end
  end
until alive == 0
print(table.concat(trace, " "))

local co = coroutine.create(function() local x <close> = setmetatable({}, { __close = function() print("closing") end }); coroutine.yield(1); error("never") end)
print(coroutine.resume(co))
print(coroutine.close(co), coroutine.status(co))
co = coroutine.create(function() error({ code = 42 }) end)
local ok, err = coroutine.resume(co)
print(ok, err.code, coroutine.resume(co))
print(coroutine.isyieldable(), coroutine.running() ~= nil)
print(pcall(coroutine.wrap(function() return pcall(function() coroutine.yield("inside pcall") error("after", 0) end) end)))
local sorted = {}
local w = coroutine.wrap(function() for k, v in pairs({ 5, 4, 3 }) do coroutine.yield(k, v) end end)
for k, v in w do sorted[#sorted + 1] = k .. "=" .. v end
print(table.concat(sorted, ","))
