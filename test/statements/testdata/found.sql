-- Statements that drawn ones have shown to be answered otherwise than by MariaDB, in the form in which they are shortest.

-- Columns are called as the statement writes them.
CREATE TABLE t (id INT PRIMARY KEY, bu BIGINT UNSIGNED, v VARCHAR(20) CHARACTER SET utf8mb4 COLLATE utf8mb4_general_ci, e ENUM('a','ä') CHARACTER SET latin1, tx TEXT CHARACTER SET utf8mb4, KEY (v));
INSERT INTO t VALUES (1,18446744073709551615,'a','a','x'),(2,1,'B','ä','y'),(3,NULL,'',NULL,NULL);
SELECT ID, `Bu`, t.V, bu AS B, (Id) FROM t WHERE iD<3;
SELECT * FROM t x ORDER BY V;

-- Errors name the database and the alias, warnings the table.
SELECT bu+1 FROM t;
SELECT bu+1 FROM t AS x WHERE id=1;
SELECT CAST(v AS DATE) FROM t AS x WHERE id=1;

-- Text in results that are binary, and in those of no character set.
SET character_set_results=binary;
SELECT v, e, tx, CONCAT(v,'x'), CONCAT(tx,'x') FROM t WHERE id=2;
SET character_set_results=NULL;
SELECT v, e, tx, CONCAT(v,'x'), CONCAT(tx,'x') FROM t WHERE id=2;
SET character_set_results=latin1;
SELECT v, e, tx, CONCAT(v,'x'), CONCAT(tx,'x') FROM t WHERE id=2;
SET character_set_results=utf8mb4;

-- TIMESTAMPs are moments: two that have one local time have an order, and are two.
CREATE TABLE z (id INT PRIMARY KEY, ts TIMESTAMP NULL);
INSERT INTO z VALUES (1,'2024-10-27 00:30:00'),(2,'2024-10-27 01:30:00'),(3,'2024-10-27 01:00:00'),(4,'2024-10-27 00:59:00'),(5,NULL);
SET time_zone='Europe/Berlin';
SELECT id, ts FROM z ORDER BY ts;
SELECT id FROM z ORDER BY ts DESC, id;
SELECT DISTINCT ts FROM z;
SELECT ts FROM z GROUP BY ts;
SELECT id FROM z WHERE ts='2024-10-27 02:30:00';
SET time_zone='+00:00';

-- IS NULL finds zero dates in columns that cannot be NULL, where it is a condition.
SET sql_mode='';
CREATE TABLE d (id INT NOT NULL, da DATE NOT NULL, dt DATETIME NOT NULL, ts TIMESTAMP NOT NULL, dn DATE, PRIMARY KEY (dt, id), KEY (da));
INSERT INTO d VALUES (1,0,0,0,0),(2,'2020-01-01','2020-01-01','2020-01-01','2020-01-01'),(3,'2020-01-01',0,'2020-01-01',NULL);
SELECT id FROM d WHERE dt IS NULL;
SELECT id FROM d WHERE da IS NULL;
SELECT id FROM d WHERE ISNULL(da);
SELECT id FROM d WHERE ts IS NULL;
SELECT id FROM d WHERE dn IS NULL;
SELECT id FROM d WHERE dt<=>NULL;
SELECT id FROM d WHERE NOT (da IS NOT NULL);
SELECT id FROM d WHERE NOT (da IS NULL);
SELECT id FROM d WHERE NOT ISNULL(da);
SELECT id FROM d WHERE da IS NULL OR id=2;
SELECT id FROM d WHERE NOT (da IS NOT NULL AND id>1);
SELECT id FROM d WHERE da IS NULL AND id=1;
SELECT id FROM d WHERE (da IS NULL)=1;
SELECT id FROM d WHERE NOT NOT (da IS NULL);
SELECT da IS NULL FROM d ORDER BY id, dt;
SET sql_mode='NO_ZERO_DATE,NO_ZERO_IN_DATE,STRICT_ALL_TABLES';
SELECT id FROM d WHERE dt IS NULL;
SELECT id FROM d WHERE da IS NULL;
SET sql_mode=DEFAULT;

-- A row that a key asks for is the only one: nothing is computed to order it.
SELECT id FROM t WHERE id=1 ORDER BY v+1;
SELECT id FROM t WHERE id BETWEEN 1 AND 1 ORDER BY v+1;
CREATE TABLE u (id INT, v VARCHAR(10), UNIQUE KEY (id));
INSERT INTO u VALUES (1,'a'),(NULL,'c'),(NULL,'b');
SELECT v FROM u WHERE id=1 ORDER BY v+1;
SELECT v FROM u WHERE id IS NULL ORDER BY v;
SELECT v FROM u WHERE id<=>NULL ORDER BY v DESC;

-- The bounds of BETWEEN are compared together, as are those of IN.
CREATE TABLE b (id INT PRIMARY KEY, v VARCHAR(10) CHARACTER SET latin1 COLLATE latin1_swedish_ci, n BIGINT, KEY (v), KEY (n));
INSERT INTO b VALUES (1,'',9007199254740992),(2,'a',9007199254740993),(3,'Z',0),(4,'ö',5);
SELECT id FROM b WHERE n BETWEEN 0 AND 5.5;
SELECT id FROM b WHERE v BETWEEN 'a' AND 'z';
SELECT id FROM b WHERE v BETWEEN 'a' AND 'ж';
SELECT id FROM b WHERE v IN ('A', 'ö ', 'ж');
SELECT id FROM b WHERE n BETWEEN NULL AND 5;

-- Conditions that an index serves.
SELECT id FROM b WHERE n IN (5,NULL,5);
SELECT id FROM b WHERE n>4.5 AND n<=9007199254740992;
SELECT id FROM b WHERE v>='b';
SELECT id FROM b WHERE v='A   ';
SELECT id FROM b ORDER BY v DESC LIMIT 2;
SELECT id FROM b FORCE INDEX (n) WHERE n<=>NULL;
SELECT id FROM b USE INDEX (nothing);
