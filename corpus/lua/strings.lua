-- Patterns, formatting, packing, UTF-8, buffers.

print(("hello world from lua"):gsub("(%w+)", function(w) return w:sub(1, 1):upper() .. w:sub(2) end))
print(("x=1, y=22, zed=333"):gsub("(%w+)=(%w+)", "%2=%1"))
for k, v in ("a=1;b=2;c=3"):gmatch("(%w)=(%w)") do io.write(k, v, " ") end
print(("  trim me  "):match("^%s*(.-)%s*$") .. "|", ("f(a(b)c)d"):match("%b()"), ("THE (quick) fox"):find("%((%a+)%)"))
print(("key = value # note"):match("^(%w+)%s*=%s*([^#]-)%s*#"), ("abc"):find("b", 1, true), ("aaa"):find("a-", 2))
print(("%d %5.2f %-5s| %x %q %g %i"):format(42, 3.14159, "ab", 255, 'a "quoted"\n\0line', 1e20, -7))
print(("%a"):format(0.5), ("%10.4s|"):format("abcdefgh"), ("%+.3e"):format(12345.678), ("%c%c"):format(76, 117))
print(("frontier THE END"):gsub("%f[%a]%u+", "<%0>"), ("abc"):rep(3, "-"), ("abc"):reverse(), ("abc"):byte(1, -1))
print(pcall(string.find, "a", "[a"), pcall(string.rep, "x", 1 << 40))

local packed = string.pack(">I2 i4 z s1 d <f", 513, -2, "zero", "counted", 1.5, 0.25)
print(#packed, packed:byte(1, 6))
print(string.unpack(">I2 i4 z s1 d <f", packed))
print(utf8.char(955, 8364, 128512), utf8.len("λ€😀"), utf8.codepoint("λ€", 1, -1))
for p, c in utf8.codes("aλ€") do io.write(p, ":", c, " ") end
print(utf8.offset("aλ€", 3), utf8.len("\xff"))

local words, text = {}, {}
for i = 1, 400 do text[i] = ("w" .. (i * 7919) % 61) end
for w in table.concat(text, " "):gmatch("%S+") do words[w] = (words[w] or 0) + 1 end
local list = {}
for w, n in pairs(words) do list[#list + 1] = w .. "=" .. n end
table.sort(list)
print(#list, table.concat(list, " ", 1, 10))

local hash = 0
for i = 1, 20000 do
  local s = tostring(i) .. ":" .. string.format("%05d", (i * 31) % 99991)
  for j = 1, #s do hash = (hash * 31 + s:byte(j)) & 0xffffffff end
end
print(hash, tostring(1e15), tostring(2^53), 1e100, -0.0, 1/0, 10 // 3, -10 // 3, 10 % -3, 5.5 // 2, 7 / 2)
print(tonumber("0x1p4"), tonumber("  12  "), tonumber("1e"), tonumber("z", 36), tonumber("7fffffff", 16), "10" + 5, "3" * "4")
print(load("return 1 +")) print(load("local a, b = ... return a * b", "chunk", "t")(6, 7))
print(#string.dump(function(a) return a + 1 end) > 0, load(string.dump(function(a) return a + 1 end), "b", "b")(41))
