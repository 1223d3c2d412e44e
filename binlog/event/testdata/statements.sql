-- One statement per line, run on one connection of a real MariaDB.
CREATE DATABASE d
USE d
CREATE TABLE t (a INT UNSIGNED NOT NULL PRIMARY KEY AUTO_INCREMENT, b VARCHAR(20), c TINYINT, e ENUM('x','y'), s SET('p','q'), bi BIT(9), g POINT, dd DECIMAL(10,2)) CHARSET utf8mb4
INSERT INTO t VALUES (1,'hi',-3,'y','p,q',5,POINT(1,2),-12.34),(2,NULL,NULL,NULL,NULL,NULL,NULL,NULL)
BEGIN
UPDATE t SET b='ho' WHERE a=1
SAVEPOINT sp
DELETE FROM t WHERE a=2
ROLLBACK TO sp
DELETE FROM t WHERE a=2
COMMIT
-- Session options that travel in QUERY events.
SET sql_mode='ANSI'
SET foreign_key_checks=0
SET time_zone='+03:00'
SET timestamp=1700000000.123456
CREATE TABLE t2 (a INT)
SET auto_increment_increment=2
DROP TABLE t2
TRUNCATE TABLE t
CREATE TABLE f8 (a TIMESTAMP(6) DEFAULT NOW(6))
CREATE USER u@localhost IDENTIFIED BY 'x'
GRANT SELECT ON *.* TO u@localhost
SET sql_mode=DEFAULT, foreign_key_checks=1, timestamp=DEFAULT, auto_increment_increment=1
SET sql_if_exists=1
CREATE TABLE f1 (a INT)
SET sql_if_exists=0, system_versioning_insert_history=1
CREATE TABLE f2 (a INT)
SET system_versioning_insert_history=0, unique_checks=0, sql_auto_is_null=1
CREATE TABLE f3 (a INT)
SET autocommit=0, check_constraint_checks=0, foreign_key_checks=0
CREATE TABLE f4 (a INT CHECK (a>1))
SET autocommit=1, check_constraint_checks=1, foreign_key_checks=1, unique_checks=1, sql_auto_is_null=0, lc_time_names='de_DE'
ALTER TABLE f4 ADD b INT
SET lc_time_names='en_US', explicit_defaults_for_timestamp=0
CREATE TABLE f5 (a TIMESTAMP)
SET explicit_defaults_for_timestamp=1, collation_connection='latin1_bin'
CREATE VIEW v AS SELECT 1
CREATE TRIGGER tr BEFORE INSERT ON f4 FOR EACH ROW SET NEW.a=NEW.b
CREATE DEFINER=root@localhost PROCEDURE p() SELECT 1
DROP TABLE IF EXISTS f1, f2, nope
CREATE TABLE ctas AS SELECT 1 x
CREATE TABLE my (a INT) ENGINE=MyISAM
INSERT INTO my VALUES (1)
CREATE SEQUENCE sq
DO NEXTVAL(sq)
RENAME TABLE f4 TO f44
CREATE INDEX i ON f44 (a)
ANALYZE TABLE ctas
CREATE TABLE `odd ``name` (`a b` INT)
INSERT INTO `odd ``name` VALUES (1)
-- GTIDs of other servers and domains.
SET gtid_domain_id=5, server_id=9, gtid_seq_no=100
INSERT INTO ctas VALUES (2)
SET gtid_domain_id=0, server_id=8
INSERT INTO ctas VALUES (3)
SET server_id=7
INSERT INTO ctas VALUES (4)
FLUSH BINARY LOGS
-- All kinds of columns, with each amount of metadata.
CREATE TABLE ty (i1 TINYINT, i2 SMALLINT UNSIGNED, i3 MEDIUMINT, i4 INT, i8 BIGINT UNSIGNED, f FLOAT, d DOUBLE, n1 DECIMAL(1), n2 DECIMAL(65,30), n3 DECIMAL(19,10) UNSIGNED, da DATE, ti TIME, ti3 TIME(3), dt DATETIME, dt5 DATETIME(5), ts TIMESTAMP NULL, ts1 TIMESTAMP(1) NULL, y YEAR, v1 VARCHAR(10) CHARSET latin1, v2 VARCHAR(3000) CHARSET utf8mb4, c1 CHAR(10) CHARSET utf8mb4, c2 CHAR(255) CHARSET utf8mb4, bn BINARY(20), vb VARBINARY(300), tb TINYBLOB, bl BLOB, mb MEDIUMBLOB, lb LONGBLOB, tt TINYTEXT, tx TEXT CHARSET latin1, j JSON, g GEOMETRY, b1 BIT(1), b64 BIT(64), e1 ENUM('a','b'), s1 SET('a','b','c'), u2 CHAR(5) CHARSET ucs2, PRIMARY KEY (i4, v1(3)))
INSERT INTO ty VALUES (-128, 65535, -8388608, -2147483648, 18446744073709551615, 1.5, -2.5e300, -9, -12345678901234567890123456789012345.123456789012345678901234567891, 123456789.0987654321, '2024-02-29', '-838:59:59', '12:34:56.789', '9999-12-31 23:59:59', '2000-01-01 00:00:00.12345', '2038-01-19 03:14:07', '1970-01-02 00:00:00.9', 2155, 'x', 'hé', 'c  ', 'long', 'bin', 'vb', 'tb', 'bl', 'mb', 'lb', 'tt', 'tx', '{"a": [1, 2]}', ST_GeomFromText('LINESTRING(0 0, 1 1)'), b'1', b'1111', 'b', 'a,c', 'u2')
INSERT INTO ty (i4, v1, ti, ti3, da, dt, ts, n1, n2, bn, y) VALUES (2, '', '-00:00:00', '-00:00:00.001', '1000-01-01', '1000-01-01', '1970-01-02', 0, 0, '', 0)
SET sql_mode=''
INSERT INTO ty (i4, v1, da, dt, dt5, ts) VALUES (3, '', '0000-00-00', '0000-00-00', '2024-00-00', 0), (4, '', '2024-02-00', '0001-01-01', '0001-01-01', NULL)
SET sql_mode=DEFAULT
SET GLOBAL binlog_row_metadata=MINIMAL
UPDATE ty SET f=f+1
SET GLOBAL binlog_row_metadata=FULL
ALTER TABLE ty ADD e2 ENUM('p','q') CHARSET latin1
CREATE TABLE f6 (a VARCHAR(5), b VARCHAR(5) CHARSET latin1, c VARCHAR(5) CHARSET latin1, d VARCHAR(5) CHARSET latin1, e VARCHAR(5) CHARSET latin1, PRIMARY KEY(b))
CREATE TABLE f7 (a INT)
INSERT INTO f6 VALUES ('1','2','3','4','5')
INSERT INTO f7 VALUES (1)
DELETE FROM ty WHERE i4=2
SET SESSION binlog_row_image=MINIMAL
UPDATE ty SET i1=5, i2=NULL
DELETE FROM ty WHERE i4=3
INSERT INTO f6 (b) VALUES ('x')
SET SESSION binlog_row_image=NOBLOB
UPDATE ty SET i1=6
SET SESSION binlog_row_image=FULL
SET GLOBAL binlog_row_metadata=NO_LOG
FLUSH BINARY LOGS
-- Statement format.
SET SESSION binlog_format=STATEMENT
CREATE TABLE sb (id INT PRIMARY KEY AUTO_INCREMENT, a VARCHAR(30), d DOUBLE)
SET NAMES utf8mb4
SET @x='abc', @n=-5, @r=1.5e0, @dc=12.34, @nu=NULL, @u=18446744073709551615, @s=_utf8mb4'it''s', @neg=-0.001
INSERT INTO sb (a,d) VALUES (@x, RAND())
INSERT INTO sb (a,d) VALUES (CONCAT(@n,@r,@dc,IFNULL(@nu,'')), LAST_INSERT_ID())
INSERT INTO sb (a) VALUES (@u), (@s), (@neg)
UPDATE sb SET d=d+1 WHERE id=LAST_INSERT_ID()
INSERT INTO sb (a) VALUES (NOW(6))
SELECT 100, 'loaded' INTO OUTFILE 'load.txt'
LOAD DATA INFILE 'load.txt' INTO TABLE sb (id, a)
SET SESSION binlog_format=ROW
-- Distributed transactions, two-phase ALTER, compression.
XA START 'x1','b2',3
INSERT INTO sb (a) VALUES ('xa')
XA END 'x1','b2',3
XA PREPARE 'x1','b2',3
XA COMMIT 'x1','b2',3
XA START 'one'
INSERT INTO sb (a) VALUES ('xa')
XA END 'one'
XA COMMIT 'one' ONE PHASE
SET SESSION binlog_alter_two_phase=1
ALTER TABLE sb ADD b INT, ALGORITHM=COPY
SET SESSION binlog_alter_two_phase=0
SET GLOBAL log_bin_compress=1, GLOBAL log_bin_compress_min_len=10
INSERT INTO sb (a) VALUES ('compressed compressed compress')
UPDATE sb SET a='aaaaaaaaaaaaaaaaaaaaaaaaaaaa'
DELETE FROM sb
CREATE TABLE cmp (a INT)
SET GLOBAL log_bin_compress=0
FLUSH BINARY LOGS
