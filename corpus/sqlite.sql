-- What SQLite is used for, on deterministic data: no clock, no random numbers, an ORDER BY wherever order matters.

SELECT 'tables, constraints, generated columns';
CREATE TABLE maker(id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, town TEXT COLLATE NOCASE);
CREATE TABLE cloth(
  id INTEGER PRIMARY KEY,
  maker INTEGER REFERENCES maker(id) ON DELETE CASCADE,
  kind TEXT CHECK (kind IN ('linen', 'wool', 'silk', 'cotton')),
  width REAL, length REAL, price INTEGER,
  area REAL GENERATED ALWAYS AS (width * length) STORED,
  label TEXT GENERATED ALWAYS AS (kind || '#' || id) VIRTUAL);
CREATE TABLE sale(id INTEGER PRIMARY KEY, cloth INTEGER REFERENCES cloth(id), day INTEGER, amount INTEGER, note TEXT);
CREATE TABLE log(at INTEGER PRIMARY KEY AUTOINCREMENT, what TEXT);

SELECT 'triggers';
CREATE TRIGGER sold AFTER INSERT ON sale WHEN new.amount > 90 BEGIN
  INSERT INTO log(what) VALUES ('large sale ' || new.id || ' of ' || new.cloth);
END;
CREATE TRIGGER repriced AFTER UPDATE OF price ON cloth WHEN old.price <> new.price BEGIN
  INSERT INTO log(what) VALUES (old.id || ': ' || old.price || ' -> ' || new.price);
END;
CREATE TRIGGER removed BEFORE DELETE ON cloth BEGIN
  DELETE FROM sale WHERE cloth = old.id;
  SELECT RAISE(IGNORE) WHERE old.price > 990;
END;
CREATE VIEW catalogue AS SELECT c.id, m.name AS maker, c.kind, c.price FROM cloth c JOIN maker m ON m.id = c.maker;
CREATE TRIGGER through_view INSTEAD OF UPDATE ON catalogue BEGIN
  UPDATE cloth SET price = new.price WHERE id = new.id;
END;

SELECT 'bulk inserts from recursive queries';
BEGIN;
INSERT INTO maker SELECT value, 'maker ' || value, CASE value % 3 WHEN 0 THEN 'Ghent' WHEN 1 THEN 'LYON' ELSE 'leeds' END
  FROM (WITH RECURSIVE n(value) AS (SELECT 1 UNION ALL SELECT value + 1 FROM n WHERE value < 40) SELECT value FROM n);
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2000)
  INSERT INTO cloth(id, maker, kind, width, length, price)
  SELECT i, 1 + (i * 7) % 40, CASE (i * 31) % 4 WHEN 0 THEN 'linen' WHEN 1 THEN 'wool' WHEN 2 THEN 'silk' ELSE 'cotton' END,
         0.5 + (i % 13) * 0.25, 1 + (i * 17) % 29, (i * 7919) % 1000 FROM n;
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20000)
  INSERT INTO sale SELECT i, 1 + (i * 48271) % 2000, (i * 69621) % 365, (i * 16807) % 100,
         CASE WHEN i % 50 = 0 THEN printf('note %05d %s', i, hex(i * i)) END FROM n;
COMMIT;
SELECT count(*), sum(price), avg(area), min(label), max(label) FROM cloth;
SELECT count(*), sum(amount), count(note) FROM sale;
SELECT count(*), min(what), max(what) FROM log;

SELECT 'constraints that fail';
INSERT INTO cloth(maker, kind) VALUES (1, 'paper');
INSERT INTO maker VALUES (99, 'maker 1', 'Ghent');
INSERT INTO sale VALUES (99999, 123456, 1, 1, NULL);
INSERT INTO maker VALUES (99, 'maker 99', 'Gent') ON CONFLICT DO NOTHING RETURNING id, name;
INSERT INTO maker VALUES (99, 'x', 'y') ON CONFLICT(id) DO UPDATE SET town = excluded.town || '!' RETURNING *;

SELECT 'joins, indices, and the plans they give';
SELECT m.name, c.kind, count(*), sum(s.amount * c.price) FROM maker m JOIN cloth c ON c.maker = m.id
  JOIN sale s ON s.cloth = c.id WHERE m.town = 'GHENT' AND s.day BETWEEN 30 AND 60
  GROUP BY 1, 2 HAVING count(*) > 9 ORDER BY 4 DESC, 1, 2 LIMIT 12;
CREATE INDEX sale_by_cloth ON sale(cloth, day);
CREATE INDEX cloth_by_maker ON cloth(maker) WHERE price > 500;
CREATE UNIQUE INDEX cloth_by_label ON cloth(kind, price DESC, id);
CREATE INDEX sale_by_expression ON sale(amount % 10, length(note));
ANALYZE;
EXPLAIN QUERY PLAN SELECT * FROM sale WHERE cloth = 7 AND day > 100;
EXPLAIN QUERY PLAN SELECT * FROM cloth WHERE maker = 3 AND price > 600;
SELECT m.name, c.kind, count(*), sum(s.amount * c.price) FROM maker m JOIN cloth c ON c.maker = m.id
  JOIN sale s ON s.cloth = c.id WHERE m.town = 'GHENT' AND s.day BETWEEN 30 AND 60
  GROUP BY 1, 2 HAVING count(*) > 9 ORDER BY 4 DESC, 1, 2 LIMIT 12;
SELECT m.id, c.id FROM maker m LEFT JOIN cloth c ON c.maker = m.id AND c.price = 999 ORDER BY 1, 2 LIMIT 8;
SELECT count(*) FROM (SELECT id FROM maker) a FULL OUTER JOIN (SELECT 5 * id AS id FROM maker) b ON a.id = b.id;
SELECT count(*), max(length(note)) FROM sale WHERE amount % 10 = 0 AND length(note) IS NOT NULL;
SELECT kind, group_concat(id, ',') FROM (SELECT kind, id FROM cloth WHERE price IN (SELECT DISTINCT amount FROM sale WHERE day = 3)
  ORDER BY kind, id) GROUP BY kind ORDER BY kind;
SELECT name FROM maker WHERE EXISTS (SELECT 1 FROM cloth WHERE maker = maker.id AND price = 7 AND kind GLOB 'w*')
  UNION SELECT name FROM maker WHERE name LIKE '%r 3_' EXCEPT SELECT 'maker 31' ORDER BY 1;

SELECT 'triggers at work';
UPDATE cloth SET price = price + 1 WHERE id % 400 = 0;
UPDATE catalogue SET price = 1 WHERE id = 10;
DELETE FROM cloth WHERE id BETWEEN 100 AND 140;
SELECT what FROM log WHERE what LIKE '%->%' ORDER BY at;
SELECT count(*) FROM cloth WHERE id BETWEEN 100 AND 140;
DELETE FROM maker WHERE id = 2;
SELECT count(*) FROM cloth;

SELECT 'window functions';
SELECT kind, id, price, rank() OVER w, dense_rank() OVER w, row_number() OVER w, ntile(4) OVER w,
       lag(price, 1, -1) OVER w, lead(id) OVER w, round(percent_rank() OVER w, 4), round(cume_dist() OVER w, 4)
  FROM cloth WHERE id < 60 WINDOW w AS (PARTITION BY kind ORDER BY price, id) ORDER BY kind, price, id LIMIT 24;
SELECT day, sum(amount), sum(sum(amount)) OVER (ORDER BY day ROWS BETWEEN 3 PRECEDING AND CURRENT ROW),
       first_value(day) OVER (ORDER BY day RANGE BETWEEN 5 PRECEDING AND 1 PRECEDING),
       count(*) FILTER (WHERE day % 2) OVER (ORDER BY day GROUPS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW EXCLUDE TIES)
  FROM sale WHERE cloth < 300 AND day < 40 GROUP BY day ORDER BY day;
SELECT id, total_of(price) OVER (ORDER BY id ROWS BETWEEN 2 PRECEDING AND 2 FOLLOWING) FROM cloth WHERE id < 12;

SELECT 'json';
CREATE TABLE doc(id INTEGER PRIMARY KEY, body TEXT);
INSERT INTO doc SELECT id, json_object('id', id, 'kind', kind, 'size', json_array(width, length),
  'maker', json_object('id', maker, 'tags', json('["a","b",' || (id % 5) || ']')), 'none', NULL) FROM cloth WHERE id <= 200;
SELECT body FROM doc WHERE id IN (1, 17) ORDER BY id;
SELECT body ->> '$.kind', sum(body ->> '$.size[1]'), json_group_array(id) FROM doc WHERE id < 30 GROUP BY 1 ORDER BY 1;
SELECT e.fullkey, e.type, e.atom FROM doc, json_tree(doc.body) e WHERE doc.id = 5 ORDER BY e.id;
SELECT json_patch('{"a":1,"b":{"c":[1,2]}}', '{"a":null,"b":{"d":"\u00e9"}}'), json_valid('{x:1}'), json_valid('{x:1}', 2);
SELECT json_set(body, '$.maker.tags[#]', 'new', '$.x.y', 1.5), json_remove(body, '$.maker') FROM doc WHERE id = 3;
SELECT json_extract(jsonb(body), '$.maker.tags'), json_array_length(body, '$.size') FROM doc WHERE id = 4;
SELECT key, count(*) FROM doc, json_each(doc.body, '$.maker.tags') WHERE typeof(value) = 'integer' GROUP BY key;
SELECT json_group_object(kind, n) FROM (SELECT kind, count(*) n FROM cloth GROUP BY kind ORDER BY kind);

SELECT 'recursive queries';
WITH RECURSIVE
  xaxis(x) AS (SELECT -2.0 UNION ALL SELECT x + 0.05 FROM xaxis WHERE x < 1.2),
  yaxis(y) AS (SELECT -1.0 UNION ALL SELECT y + 0.1 FROM yaxis WHERE y < 1.0),
  m(iter, cx, cy, x, y) AS (
    SELECT 0, x, y, 0.0, 0.0 FROM xaxis, yaxis
    UNION ALL SELECT iter + 1, cx, cy, x * x - y * y + cx, 2.0 * x * y + cy FROM m WHERE (x * x + y * y) < 4.0 AND iter < 28),
  m2(iter, cx, cy) AS (SELECT max(iter), cx, cy FROM m GROUP BY cx, cy),
  a(cy, t) AS (SELECT cy, group_concat(substr(' .+*#', 1 + min(iter / 7, 4), 1), '') FROM (SELECT * FROM m2 ORDER BY cy, cx) GROUP BY cy)
SELECT rtrim(t) FROM a ORDER BY cy;
WITH RECURSIVE sudoku(s, i) AS (
    SELECT '53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79',
           instr('53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79', '.')
    UNION ALL
    SELECT substr(s, 1, i - 1) || g.z || substr(s, i + 1), instr(substr(s, 1, i - 1) || g.z || substr(s, i + 1), '.')
    FROM sudoku, digits AS g WHERE i > 0 AND NOT EXISTS (
      SELECT 1 FROM digits AS p WHERE g.z = substr(s, ((i - 1) / 9) * 9 + p.d, 1) OR g.z = substr(s, ((i - 1) % 9) + (p.d - 1) * 9 + 1, 1)
        OR g.z = substr(s, (((i - 1) / 3) % 3) * 3 + ((i - 1) / 27) * 27 + p.d + ((p.d - 1) / 3) * 6, 1))),
  digits(z, d) AS (SELECT '1', 1 UNION ALL SELECT CAST(d + 1 AS TEXT), d + 1 FROM digits WHERE d < 9)
SELECT s FROM sudoku WHERE i = 0;

SELECT 'full text';
CREATE VIRTUAL TABLE page USING fts5(title, body, tokenize = 'porter unicode61', prefix = '2 3');
INSERT INTO page SELECT 'page ' || id, 'the ' || kind || ' weaves ' || CASE id % 5 WHEN 0 THEN 'warp threads' WHEN 1 THEN 'wefts and lanes'
  ELSE 'patterns on the loom' END || ' number ' || id FROM cloth;
SELECT title, highlight(page, 1, '<', '>') FROM page WHERE page MATCH 'silk AND (weft OR warp) NOT loom' ORDER BY rowid LIMIT 5;
SELECT rowid, round(bm25(page), 6) FROM page WHERE page MATCH 'woo* NEAR(weave lane, 3)' ORDER BY rank, rowid LIMIT 5;
SELECT count(*) FROM page WHERE page MATCH '"weaves patterns" + on';
INSERT INTO page(page) VALUES ('optimize');
INSERT INTO page(page) VALUES ('integrity-check');

SELECT 'boxes';
CREATE VIRTUAL TABLE box USING rtree(id, x0, x1, y0, y1);
INSERT INTO box SELECT id, id % 37, id % 37 + 2, id % 53, id % 53 + 3 FROM cloth;
SELECT id FROM box WHERE x1 >= 10 AND x0 <= 11 AND y1 >= 20 AND y0 <= 21 ORDER BY id LIMIT 20;
SELECT rtreecheck('box');

SELECT 'sorting, collations, functions';
SELECT id, kind FROM cloth ORDER BY substr(hex(price * 7919), -3), kind COLLATE NOCASE DESC, id LIMIT 10;
SELECT sum(n * amount), sum(n * id) FROM (SELECT row_number() OVER (ORDER BY amount, reversed(id), day) AS n, id, amount FROM sale);
SELECT DISTINCT name FROM maker ORDER BY name COLLATE by_length LIMIT 12;
SELECT reversed('stressed'), upper('straße'), quote(x'00ff'), typeof(1 / 2), 7 % -3, -7 / 2, 1e308 * 10, 9223372036854775807 + 1;
SELECT printf('%08.3f|%-6s|%+d|%x|%c|%q', 3.14159, 'ab', 5, 255, 'xyz', 'it''s'), round(2.5), substr('abcdef', -3, 2), soundex('weaver');
SELECT date('2024-02-29', '+1 year'), strftime('%j %W', '2023-12-31'), julianday('2000-01-01 12:00'), unixepoch('1970-01-02');
SELECT cast('12abc' AS INTEGER), cast(3.99 AS INTEGER), '10' < 9, 'a' IS NOT NULL, coalesce(NULL, NULL, 3), iif(0, 1, 2), nullif(4, 4);
SELECT hex(zeroblob(4)), instr('lanes', 'ne'), replace('a-b-c', '-', '+'), trim('  x '), unicode('λ'), char(955, 956), abs(-9), sign(-2.5);

SELECT 'transactions and savepoints';
BEGIN IMMEDIATE;
UPDATE cloth SET price = 0;
SAVEPOINT inner_one;
DELETE FROM sale;
ROLLBACK TO inner_one;
RELEASE inner_one;
SELECT (SELECT sum(price) FROM cloth), (SELECT count(*) FROM sale);
ROLLBACK;
SELECT (SELECT sum(price) FROM cloth), (SELECT count(*) FROM sale);
ALTER TABLE maker ADD COLUMN founded INTEGER DEFAULT 1900;
ALTER TABLE maker RENAME COLUMN town TO place;
ALTER TABLE cloth DROP COLUMN area;
SELECT * FROM maker WHERE id < 4;

SELECT 'on disk';
ATTACH 'disk.db' AS disk;
PRAGMA disk.page_size = 1024;
PRAGMA disk.journal_mode = WAL;
CREATE TABLE disk.copy(id INTEGER PRIMARY KEY, cloth, day, amount, note) STRICT;
CREATE TABLE disk.copy(id INTEGER PRIMARY KEY, cloth INT, day INT, amount INT, note TEXT) STRICT;
INSERT INTO disk.copy SELECT * FROM sale;
CREATE TABLE disk.pairs(a TEXT, b INT, PRIMARY KEY (a, b)) WITHOUT ROWID;
INSERT OR IGNORE INTO disk.pairs SELECT kind, price % 50 FROM cloth;
CREATE INDEX disk.copy_by_day ON copy(day, amount);
DELETE FROM disk.copy WHERE day % 3 = 0;
UPDATE disk.copy SET note = note || note WHERE note IS NOT NULL;
PRAGMA disk.journal_mode = DELETE;
PRAGMA disk.auto_vacuum = FULL;
VACUUM disk;
PRAGMA disk.integrity_check;
SELECT count(*), sum(length(note)) FROM disk.copy;
SELECT a, count(*), sum(b) FROM disk.pairs GROUP BY a ORDER BY a;
SELECT name, sum(payload) > 0 FROM dbstat('disk') GROUP BY name ORDER BY name;
DETACH disk;
PRAGMA integrity_check;
PRAGMA foreign_key_check;
