SET sql_mode = 'NO_AUTO_VALUE_ON_ZERO';
CREATE DATABASE dumped CHARACTER SET utf8mb4 COLLATE utf8mb4_general_ci;
USE dumped;
CREATE TABLE integers (
  id int NOT NULL AUTO_INCREMENT PRIMARY KEY, t tinyint, tu tinyint unsigned, b bool DEFAULT true, s smallint(4), su smallint unsigned, m mediumint,
  mu mediumint unsigned, i int(5), iu int unsigned, iz int(8) zerofill, g bigint, gu bigint unsigned, gz bigint zerofill
) AUTO_INCREMENT=100;
INSERT INTO integers VALUES
  (1, -128, 0, 0, -32768, 0, -8388608, 0, -2147483648, 0, 0, -9223372036854775808, 0, 0),
  (2, 127, 255, 1, 32767, 65535, 8388607, 16777215, 2147483647, 4294967295, 42, 9223372036854775807, 18446744073709551615, 7),
  (3, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
INSERT INTO integers (t) VALUES (5);
CREATE TABLE numbers (
  id int PRIMARY KEY, d decimal(65,30), d0 decimal(10), du decimal(12,4) unsigned, dz decimal(8,2) zerofill, f float, f2 float(7,2), g double, g3 double(12,3) unsigned,
  b1 bit(1), b9 bit(9) DEFAULT b'101', b64 bit(64)
);
INSERT INTO numbers VALUES
  (1, 99999999999999999999999999999999999.999999999999999999999999999999, 9999999999, 12345678.9012, 1.5, 3.40282e38, 12345.67, 1.7976931348623157e308, 123456789.123, b'1', b'111111111', b'1111111111111111111111111111111111111111111111111111111111111111'),
  (2, -99999999999999999999999999999999999.999999999999999999999999999999, -9999999999, 0, 0, -3.40282e38, -0.01, -2.2250738585072014e-308, 0, b'0', b'0', b'0'),
  (3, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
INSERT INTO numbers (id, f, g) VALUES (4, 0.1, 0.1), (5, 1e-10, 123456789012345680000);
CREATE TABLE times (
  id int PRIMARY KEY, d date, t time, t3 time(3), t6 time(6), dt datetime, dt1 datetime(1), dt6 datetime(6), y year, ts timestamp NULL, ts6 timestamp(6) NULL,
  made timestamp NOT NULL DEFAULT current_timestamp(), changed timestamp(3) NOT NULL DEFAULT current_timestamp(3) ON UPDATE current_timestamp(3), at datetime(6) DEFAULT now(6)
);
INSERT INTO times VALUES
  (1, '1000-01-01', '-838:59:59', '-838:59:59.000', '-00:00:00.000001', '1000-01-01 00:00:00', '1000-01-01 00:00:00.1', '9999-12-31 23:59:59.999999', 1901, '1970-01-01 00:00:01', '2038-01-19 03:14:07.999999', '2001-01-01 00:00:00', '2002-02-02 02:02:02.222', '2003-03-03 03:03:03.333333'),
  (2, '9999-12-31', '838:59:59', '838:59:59.000', '00:00:00.000001', '9999-12-31 23:59:59', '2020-02-29 12:00:00.9', '1000-01-01 00:00:00', 2155, '2038-01-19 03:14:07', '1970-01-01 00:00:01.000001', '2011-01-01 00:00:00', '2012-02-02 02:02:02', '2013-03-03 03:03:03'),
  (3, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, '2001-01-01 00:00:00', '2002-02-02 02:02:02.222', NULL),
  (4, '0000-00-00', '00:00:00', '00:00:00', '00:00:00', '0000-00-00 00:00:00', '0000-00-00 00:00:00', '0000-00-00 00:00:00', 0, '0000-00-00 00:00:00', '0000-00-00 00:00:00', '2001-01-01 00:00:00', '2002-02-02 02:02:02.222', NULL);
CREATE TABLE texts (
  id int PRIMARY KEY, c0 char(0), c char(10), v varchar(300) DEFAULT 'it''s a "default" \\ with\na line', vb varchar(20) COLLATE utf8mb4_bin, l varchar(20) CHARACTER SET latin1 DEFAULT 'e', l2 char(5) CHARACTER SET latin1 COLLATE latin1_bin,
  u3 varchar(20) CHARACTER SET utf8mb3, a varchar(5) CHARACTER SET ascii, uni varchar(20) COLLATE utf8mb4_unicode_ci, tt tinytext, tx text DEFAULT 'text', mt mediumtext, lt longtext CHARACTER SET latin1,
  e enum('red','it''s','a,b','') DEFAULT 'it''s', st set('x','y','z') NOT NULL DEFAULT 'x,z', j json, jd json NOT NULL DEFAULT '[]'
) COMMENT='a ''quoted'' "comment" \\ with\na line';
INSERT INTO texts VALUES
  (1, '', 'abc', 'ünïcödé 漢字 😀', 'x', 'latin é', 'É', 'utf8 漢', 'ascii', 'ß', 'tiny', REPEAT('text ', 1000), 'medium\0with\tall\r\n', REPEAT('long', 30000), 'a,b', 'y', '{"a": [1, 2, {"b": null}], "c": "t\\"ext"}', '{}'),
  (2, '', '', '', '', '', '', '', '', '', '', '', '', '', '', '', 'null', '""'),
  (3, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 'x,y,z', NULL, '1');
INSERT INTO texts (id) VALUES (4);
CREATE TABLE bytes (
  id int PRIMARY KEY, b binary(4) DEFAULT 'ab', vb varbinary(300) DEFAULT x'004127', tb tinyblob, bl blob, mb mediumblob, lb longblob
);
INSERT INTO bytes VALUES (1, x'00ff0a27', @every, @every1, @every, @every, @every), (2, '', '', '', '', '', ''), (3, NULL, NULL, NULL, NULL, NULL, NULL);
INSERT INTO bytes (id) VALUES (4);
CREATE TABLE defaults (
  id int PRIMARY KEY, a int DEFAULT 7, b int DEFAULT -5, c int DEFAULT (1 + 2), d varchar(40) DEFAULT concat('a', 'b'), e varchar(10) DEFAULT NULL, f varchar(10) DEFAULT '', g decimal(8,3) DEFAULT 1.5,
  h double DEFAULT 1e10, i date DEFAULT '2020-02-29', k datetime DEFAULT '2020-02-29', m time(2) DEFAULT '10:11:12.5', n int NOT NULL, o int DEFAULT (a + 1), q bool DEFAULT false
);
INSERT INTO defaults (id, n) VALUES (1, 1), (2, 2);
CREATE TABLE computed (
  id int PRIMARY KEY, a int NOT NULL, b int, v int GENERATED ALWAYS AS (a + ifnull(b, 0) * 2) VIRTUAL COMMENT 'it''s virtual', s int AS (a * 2) STORED, t varchar(50) AS (concat('x', a)) STORED, KEY s (s), UNIQUE KEY t (t)
);
INSERT INTO computed (id, a, b) VALUES (1, 1, 2), (2, 3, NULL);
CREATE TABLE checks (
  id int PRIMARY KEY, a int CHECK (a > 1), b int COMMENT 'b', CHECK (b <> 3), CONSTRAINT named CHECK (a + b < 1000 AND b in (1, 2, 30)), c varchar(20) CHECK (c like 'x%' or length(c) > 3), CONSTRAINT b CHECK (b between 0 and 50)
);
INSERT INTO checks VALUES (1, 5, 30, 'xyz'), (2, NULL, NULL, NULL);
CREATE TABLE indexed (
  a int NOT NULL, b varchar(100), c text, d varchar(20) NOT NULL, e int, f blob,
  PRIMARY KEY (d, a), KEY plain (e), UNIQUE KEY uniq (b, e), KEY prefix (c(20), b(5)), UNIQUE KEY whole (a), KEY bin (f(10)) COMMENT 'it''s', FULLTEXT KEY words (b, c)
);
INSERT INTO indexed VALUES (1, 'one', 'some text', 'x', 1, x'00'), (2, 'two', NULL, 'y', NULL, NULL), (3, NULL, 'more', 'z', 1, x'ff');
CREATE TABLE nokey (a int, b varchar(10));
INSERT INTO nokey VALUES (1, 'one'), (1, 'one'), (NULL, NULL);
CREATE TABLE `empty` (id int PRIMARY KEY AUTO_INCREMENT, v varchar(10)) ROW_FORMAT=DYNAMIC;
CREATE TABLE parent (id int PRIMARY KEY, a int NOT NULL, b int NOT NULL, UNIQUE KEY ab (a, b));
INSERT INTO parent VALUES (1, 1, 1), (2, 1, 2), (3, 2, 1);
CREATE TABLE child (
  id int PRIMARY KEY, p1 int, p2 int, p3 int, p4 int, a int, b int, self int,
  KEY p1 (p1), KEY p2 (p2), KEY p3 (p3), KEY p4 (p4), KEY ab (a, b), KEY self (self),
  CONSTRAINT c1 FOREIGN KEY (p1) REFERENCES parent (id), CONSTRAINT c2 FOREIGN KEY (p2) REFERENCES parent (id) ON DELETE CASCADE ON UPDATE CASCADE,
  CONSTRAINT c3 FOREIGN KEY (p3) REFERENCES parent (id) ON DELETE SET NULL ON UPDATE SET NULL, CONSTRAINT c4 FOREIGN KEY (p4) REFERENCES parent (id) ON DELETE NO ACTION ON UPDATE NO ACTION,
  CONSTRAINT c5 FOREIGN KEY (a, b) REFERENCES parent (a, b) ON DELETE RESTRICT, CONSTRAINT c6 FOREIGN KEY (self) REFERENCES child (id)
);
INSERT INTO child VALUES (1, 1, 2, 3, 1, 1, 2, NULL), (2, NULL, NULL, NULL, NULL, NULL, NULL, 1);
CREATE TABLE swedish (id int PRIMARY KEY, v varchar(20), w varchar(20) CHARACTER SET utf8mb4, KEY v (v)) DEFAULT CHARSET=latin1 COLLATE=latin1_swedish_ci COMMENT='latin1';
INSERT INTO swedish VALUES (1, 'åäö', '漢字');
CREATE TABLE audit (id int AUTO_INCREMENT PRIMARY KEY, what varchar(100));
CREATE VIEW simple AS SELECT id, a FROM parent WHERE id > 1;
CREATE ALGORITHM=MERGE SQL SECURITY INVOKER VIEW renamed (x, `the name`) AS SELECT p.id, concat(c.id, ' it''s') FROM parent p JOIN child c ON c.p1 = p.id;
CREATE VIEW above AS SELECT x FROM renamed;
DELIMITER //
CREATE TRIGGER nokey_ai AFTER INSERT ON nokey FOR EACH ROW INSERT INTO audit (what) VALUES (concat('inserted ', NEW.a))//
CREATE TRIGGER nokey_bu BEFORE UPDATE ON nokey FOR EACH ROW BEGIN SET NEW.b = concat(NEW.b, ';'); END//
CREATE PROCEDURE add_audit(IN text varchar(100), INOUT n int) COMMENT 'it''s one' MODIFIES SQL DATA BEGIN INSERT INTO audit (what) VALUES (text); SET n = n + 1; END//
CREATE PROCEDURE read_audit() READS SQL DATA SQL SECURITY INVOKER SELECT count(*) FROM audit//
CREATE EVENT daily ON SCHEDULE EVERY 1 DAY STARTS '2037-01-01 00:00:00' DISABLE COMMENT 'it''s daily' DO INSERT INTO audit (what) VALUES ('daily')//
DELIMITER ;
