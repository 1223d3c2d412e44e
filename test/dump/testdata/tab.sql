SET sql_mode = 'NO_AUTO_VALUE_ON_ZERO';
CREATE DATABASE tabbed CHARACTER SET utf8mb4 COLLATE utf8mb4_general_ci;
USE tabbed;
CREATE TABLE numbers (
  id int NOT NULL AUTO_INCREMENT PRIMARY KEY, t tinyint, gu bigint unsigned, z int(8) zerofill, d decimal(65,30), f float, g double, b1 bit(1), b9 bit(9), b64 bit(64)
);
INSERT INTO numbers VALUES
  (1, -128, 18446744073709551615, 42, -99999999999999999999999999999999999.999999999999999999999999999999, 0.1, -2.2250738585072014e-308, b'1', b'100010001', x'0001400ff123ff41'),
  (2, 0, 0, 0, 0, 0, 1.5, b'0', b'0', b'0'), (3, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
CREATE TABLE times (id int PRIMARY KEY, d date, t time, t6 time(6), dt datetime, dt3 datetime(3), y year, ts timestamp NULL, made timestamp NOT NULL DEFAULT current_timestamp());
INSERT INTO times VALUES
  (1, '1000-01-01', '-838:59:59', '-00:00:00.000001', '9999-12-31 23:59:59', '2020-02-29 12:00:00.123', 1901, '2038-01-19 03:14:07', '2001-01-01 00:00:00'),
  (2, '0000-00-00', '00:00:00', '00:00:00', '0000-00-00 00:00:00', '0000-00-00 00:00:00', 0, '0000-00-00 00:00:00', '2001-01-01 00:00:00'),
  (3, NULL, NULL, NULL, NULL, NULL, NULL, NULL, '2001-01-01 00:00:00');
CREATE TABLE texts (
  id int PRIMARY KEY, c char(10), v varchar(300) DEFAULT 'd', l varchar(300) CHARACTER SET latin1 NOT NULL DEFAULT 'x', tx text, lt longtext,
  e enum('red','it''s','a,b','"','') DEFAULT 'it''s', st set('x','y','z'), j json
);
INSERT INTO texts VALUES
  (1, '', '', '', '', '', '', '', 'null'), (2, NULL, NULL, '', NULL, NULL, NULL, NULL, NULL),
  (3, 'NULL', 'NULL', 'NULL', '\\N', 'N', 'a,b', 'x,z', '"\\n"'), (4, '"', '"",', '\\', '\\\\', '\\\n', '"', 'y', '{"a": [1, 2, {"b\\t": null}]}'),
  (5, 'a\tb\nc\rd', '\t', '\n', '\r\n', '\n\t\\\n\\\t\\', 'red', '', '1'), (6, 'x\0y', '\0', '\0\0', '\Z', '\b', 'it''s', 'z', '[]'),
  (7, '"a","b"', 'ends with "', 'é ÿ ß', 'ünïcödé 漢字 😀', REPEAT('line\nwith\ttab\\', 5000), 'red', 'x', '""'),
  (8, '~|~', '~|', '^N', '^', 'ENDEND', 'red', 'x', '""'), (9, 'E', '~', '|~', 'EN', 'D~', 'red', 'x', '""'), (10, ',', ',,', '",', '\r', '\r\n', 'red', 'x', '"~|~END^"');
CREATE TABLE bytes (id int PRIMARY KEY, b binary(4), vb varbinary(300), bl blob, lb longblob NOT NULL);
INSERT INTO bytes VALUES (1, x'00ff0a27', @every, @every, @every), (2, '', '', '', ''), (3, NULL, NULL, NULL, ''), (4, x'5c4e', x'5c4e', x'4e554c4c', x'5c'), (5, x'09', x'0a', x'0d0a', x'225c22');
CREATE TABLE computed (id int PRIMARY KEY, v int GENERATED ALWAYS AS (a + 1) VIRTUAL, a int NOT NULL, s varchar(20) AS (concat('x', a)) STORED, last varchar(10));
INSERT INTO computed (id, a, last) VALUES (1, 1, 'x'), (2, -3, NULL);
