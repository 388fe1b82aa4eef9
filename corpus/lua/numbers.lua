-- Integer and float arithmetic, tables as arrays, sorting, and a few classic kernels.

print(math.maxinteger + 1 == math.mininteger, math.mininteger // -1, 7 // 0.0, -7 % math.huge, 3 | 4 ~ 1, ~0 >> 60, 1 << 63, 1 << 64)
print(math.tointeger(3.0), math.tointeger(3.5), math.type(1), math.type(1.0), math.type("1"), 1 == 1.0, math.ult(1, -1))
print(pcall(function() return 1 // 0 end)) print(pcall(function() return 1.5 | 1 end))
print(math.floor(-3.5), math.ceil(-3.5), math.fmod(-7, 3), math.max(1, 2.5), math.min(3, -1), math.sqrt(2), math.pi)
print(string.format("%.12f %.12f %.12f %.12f", math.sin(1), math.cos(1), math.exp(1), math.log(10, 2)))

local function sieve(n)
  local composite, count = {}, 0
  for i = 2, n do
    if not composite[i] then
      count = count + 1
      for j = i * i, n, i do composite[j] = true end
    end
  end
  return count
end
print(sieve(100000))

local function fib(n) if n < 2 then return n end return fib(n - 1) + fib(n - 2) end
print(fib(24))

local function queens(n)
  local count, cols, up, down = 0, {}, {}, {}
  local function place(row)
    if row > n then count = count + 1 return end
    for c = 1, n do
      if not (cols[c] or up[row + c] or down[row - c + n]) then
        cols[c], up[row + c], down[row - c + n] = true, true, true
        place(row + 1)
        cols[c], up[row + c], down[row - c + n] = nil, nil, nil
      end
    end
  end
  place(1)
  return count
end
print(queens(7))

local n, a, b = 24, {}, {}
for i = 1, n do
  a[i], b[i] = {}, {}
  for j = 1, n do a[i][j], b[i][j] = i * j % 7 - 3, (i + j) / 8 end
end
local trace = 0.0
for i = 1, n do
  for j = 1, n do
    local sum = 0.0
    for k = 1, n do sum = sum + a[i][k] * b[k][j] end
    if i == j then trace = trace + sum end
  end
end
print(trace)

local seed = 12345
local function random() seed = (seed * 1103515245 + 12345) & 0x7fffffff; return seed end
local list = {}
for i = 1, 5000 do list[i] = random() % 10000 end
table.sort(list)
local sum = 0
for i, v in ipairs(list) do sum = sum + i * v end
print(sum, list[1], list[2500], list[5000])
table.sort(list, function(x, y) if x % 100 ~= y % 100 then return x % 100 < y % 100 end return x > y end)
print(list[1], list[2500], list[5000], pcall(table.sort, { 3, 1, 2, 5, 4, 9, 8, 7 }, function() return true end) ~= nil)
math.randomseed(42)
print(math.random(100), math.random(5, 6), math.random() < 1)

for y = -1.2, 1.2, 0.2 do
  local line = {}
  for x = -2, 0.6, 0.06 do
    local zr, zi, i = 0.0, 0.0, 0
    while zr * zr + zi * zi < 4 and i < 40 do zr, zi, i = zr * zr - zi * zi + x, 2 * zr * zi + y, i + 1 end
    line[#line + 1] = i == 40 and "#" or i > 6 and "+" or i > 3 and "." or " "
  end
  print((table.concat(line):gsub("%s+$", "")))
end
for i = 10, 1, -4 do io.write(i, " ") end
for x = 1.0, 2.0, 0.25 do io.write(x, " ") end
print()
