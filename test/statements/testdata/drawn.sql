-- What drawn statements have found, one by one.
CREATE TABLE h (id INT, s SET('b','a','3') NOT NULL, e ENUM('b','a','3') NOT NULL, d INT, PRIMARY KEY (s, id), UNIQUE KEY k1 (id, d), KEY k2 (e))
INSERT INTO h VALUES (1, 'b,a,3', 'b', 1), (2, 'a', '3', 2), (3, '3', 'a', 1)
-- MIN and MAX by the ends of indexes: hints forbid the primary key, too.
SELECT MIN(s), MAX(s) FROM h
SELECT MIN(s), MAX(s) FROM h USE INDEX (k1)
SELECT MIN(s), MAX(s) FROM h IGNORE INDEX (PRIMARY)
SELECT MIN(s), MAX(s) FROM h USE INDEX (k1) USE INDEX (PRIMARY)
SELECT MIN(s), MAX(s) FROM h IGNORE INDEX (k1)
SELECT MIN(e), MAX(s) FROM h USE INDEX FOR ORDER BY (k1)
SELECT MIN(e) FROM h USE INDEX ()
-- The backslash of sjis that other sets become has two bytes, that of LIKE's escape has one.
CREATE TABLE j (id INT PRIMARY KEY, v VARCHAR(20) CHARACTER SET sjis, c VARCHAR(20) CHARACTER SET cp932)
INSERT INTO j VALUES (1, 'a_c', 'a_c'), (2, 'a\\b', 'a\\b'), (3, '\\', '\\'), (4, 'a%', 'a%')
SELECT id, HEX(v), HEX(c) FROM j
SELECT id FROM j WHERE v <= 'a\\\\b'
SELECT id FROM j WHERE v >= 'a\\b'
SELECT id FROM j WHERE v LIKE 'a\\\\b'
SELECT id FROM j WHERE v LIKE 'a\\%'
SELECT id FROM j WHERE c LIKE 'a\\%'
SELECT HEX(CONVERT('\\' USING sjis)), HEX(CONVERT(_latin1'\\' USING sjis)), HEX(CONVERT(_sjis x'815f' USING utf8mb4)), HEX(CONCAT(_sjis'a', '\\'))
-- NULL of a BINARY has zeros where GROUP_CONCAT orders.
CREATE TABLE g (id INT PRIMARY KEY, b BINARY(4), v VARBINARY(4))
INSERT INTO g VALUES (1, x'00', ''), (2, NULL, NULL), (3, '', ''), (4, 'a', 'a')
SELECT GROUP_CONCAT(id ORDER BY b, id DESC), GROUP_CONCAT(id ORDER BY v, id DESC) FROM g
SELECT GROUP_CONCAT(id ORDER BY b DESC, id DESC), GROUP_CONCAT(id ORDER BY v DESC, id DESC) FROM g
