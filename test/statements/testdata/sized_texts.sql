-- TEXT(n) and BLOB(n) are the smallest type that has room for n characters.
create table b (c1 BLOB(3), c2 BLOB, c3 BINARY(3), c4 VARBINARY(3), c5 TINYBLOB, c6 MEDIUMBLOB, c7 LONGBLOB, c8 BLOB(70000), c9 TEXT(3), c10 TEXT(300) CHARACTER SET utf8mb4, c11 blob(255) not null, c12 blob(256), c13 blob(65535), c14 blob(65536));
SELECT * FROM b;
create table b2 (a BLOB(0), b TEXT(16777216), c BLOB(4294967295), d blob(16777215), e blob(16777216), f text(63), g text(64), h text(16383), i text(16384), j text(0));
SELECT * FROM b2;
EXECUTE IMMEDIATE 'create table b3 (a BLOB(4294967296))';
EXECUTE IMMEDIATE 'create table b3 (a text(4294967296))';
create table b3 (a text(4294967295));
alter table b add d blob(3), modify c5 blob(1000);
SELECT * FROM b;
create table c1 (a text(64) character set latin1, b text(300) collate latin1_bin, c text(100) charset utf8mb3 not null default 'x' comment 'b(3)', d blob(10) default 'q', primary key (a(10)));
SELECT * FROM c1;
create table c2 (a text(64), b text(300) binary) charset latin1;
SELECT * FROM c2;
alter table c2 change a aa text(20000) charset utf8mb4 first;
SELECT * FROM c2;
EXECUTE IMMEDIATE 'create table c3 (a blob (4294967296))';
