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
-- What functions and operators make of columns.
SET sql_mode='', timestamp=1700000000
CREATE TABLE o (id INT PRIMARY KEY, v VARCHAR(20), e ENUM('one', '01:00'), s SET('a', 'b'), zf INT(8) ZEROFILL, fd FLOAT(7,3), bt BIT(10), tx TEXT, tm TIME(3), ts TIMESTAMP NULL, s2 TIMESTAMP(2) NULL, y YEAR, bi BIGINT, ub BIGINT UNSIGNED, iu INT UNSIGNED, i INT, mi MEDIUMINT, b8 BINARY(8))
INSERT INTO o VALUES (1, 'abc', 'one', 'a', 42, 1.5, 5, 'x', '10:00:00.5', '2020-01-01', '2020-01-01', 0, 9223372036854775807, 99999999999999999, 5, 5, -10, 'ab'), (2, 'zz', '01:00', '', 1, 2.5, 1023, 'y', '-10:00:00', '2021-01-01', '2021-01-01', 2020, -5, 1, 7, 7, 7, ''), (3, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 1999, 2, NULL, NULL, NULL, NULL, NULL)
SELECT ADDTIME('10:00:00', v), SUBTIME('2020-01-01', e), TIMESTAMP('2020-01-01', v) FROM o ORDER BY id
SELECT v XOR 1, 1 XOR tx, (v AND 1) FROM o ORDER BY id
SELECT BIN(bt), OCT(bt), CONV(bt, 16, 10), CONV(bt, 10, 16) FROM o ORDER BY id
SELECT FORMAT(65, bi), FORMAT(1.5, y), FORMAT(mi, 2), FORMAT(bt, mi), FORMAT(e, 1) FROM o ORDER BY id
SELECT (v = 'x') = NULL, (2147483648 <> 'A ') = NULL, NULL = ('b' > 1), NULL <=> (1 > 'c'), (v + 1 > 'd') < NULL FROM o WHERE id = 1
SELECT JSON_ARRAY(bt, 'a', zf), JSON_OBJECT('k', bt) FROM o ORDER BY id
SELECT JSON_LENGTH('[1]', e) FROM o ORDER BY id
SELECT TO_CHAR(e, 'YYYY') FROM o ORDER BY id
SELECT TO_CHAR(tx, 'YYYY') FROM o ORDER BY id
SELECT fd DIV 2, 2.5 / fd, fd / 2.5, fd / zf, tm / fd, 1 / fd FROM o ORDER BY id
SELECT ts - ub FROM o WHERE id = 1
SELECT ts - iu, s2 - ub, i - ts, ts - i, ts DIV iu, ts DIV i, ts % i, ts % iu, ts * iu, s2 - iu, iu - s2, ts % s FROM o ORDER BY id
SELECT iu - ts FROM o WHERE id = 1
SELECT ADDTIME('10:00:00', y), SUBTIME('10:00:00', y), TIMESTAMP('2020-01-01', y), TIME(y), TIMEDIFF('10:00:00', y), y + INTERVAL 1 DAY, ADDTIME(y, '01:00') FROM o ORDER BY id
SELECT ADDTIME(e, '01:00'), ADDTIME(TIME'01:00:00', e), MAKETIME(1, 2, e), MAKETIME(1, 2, s) FROM o ORDER BY id
SELECT IFNULL(zf, 2.5e0), IF(zf, b8, zf), HEX(zf), ABS(zf), ABS(tm), DATE_FORMAT('2020-01-01', e) FROM o ORDER BY id
-- What is no character in a binary column becomes a question mark where it meets a collation.
CREATE TABLE q (id INT PRIMARY KEY, b BINARY(4), v VARCHAR(9))
INSERT INTO q VALUES (1, x'ff', 'a'), (2, x'c3a4', 'ä'), (3, 'a', 'b')
SELECT id FROM q WHERE b > 'a' COLLATE utf8mb4_bin
SELECT id FROM q WHERE b < 'a' COLLATE utf8mb4_general_ci
SELECT id FROM q WHERE b BETWEEN b'1' AND 'a' COLLATE utf8mb4_bin
SELECT id, HEX(CONCAT(b, 'a' COLLATE utf8mb4_bin)), HEX(COALESCE(b, 'a' COLLATE utf8mb4_bin)), b LIKE 'ä%' COLLATE utf8mb4_bin FROM q ORDER BY id
SELECT HEX(CONCAT(UNHEX('ff'), 'a' COLLATE utf8mb4_bin)), UNHEX('ff') < 'a' COLLATE utf8mb4_bin, HEX(CONCAT(v, UNHEX('ff'))) FROM q WHERE id = 1
-- A sort takes NULL and zero of what is computed and is a TIMESTAMP for the same.
SET time_zone='-05:30'
CREATE TABLE z (id INT PRIMARY KEY, ts TIMESTAMP NULL, t3 TIMESTAMP(3) NULL, zf INT, KEY kt (ts))
INSERT INTO z VALUES (1, '0000-00-00 00:00:00', '0000-00-00 00:00:00', 1), (2, NULL, NULL, 2), (3, '0000-00-00 00:00:00', '0000-00-00 00:00:00', 3), (4, NULL, NULL, 4), (5, '1999-01-01', '1999-01-01', 5)
SELECT id FROM z ORDER BY ts, zf
SELECT id FROM z ORDER BY (ts) DESC, zf
SELECT id FROM z ORDER BY COALESCE(ts, ts), zf
SELECT id FROM z ORDER BY IFNULL(t3, ts) DESC, zf LIMIT 3
