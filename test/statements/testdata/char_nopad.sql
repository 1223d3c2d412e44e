-- CHAR columns of collations that do not pad: in keys, groups and orders the spaces to their length count, in comparisons they do not.

set names utf8mb4;
create table v (id int primary key, s varchar(20) collate utf8mb3_unicode_nopad_ci);
insert into v values (1,'ss'),(2,'ß'),(4,'a'),(5,'a\t'),(6,'a '),(7,''),(8,' '),(9,'A'),(10,'a\0'),(11,'a!'),(12,'SS'),(14,'æ'),(15,'ae'),(16,'ae\0');
create table c (id int primary key, s char(4) collate utf8mb3_unicode_nopad_ci);
create table k (id int primary key, s char(4) collate utf8mb3_unicode_nopad_ci not null, key (s));
insert into c select * from v;
insert into k select * from v;
SELECT s, count(*), min(id) from c group by s ORDER BY min(id);
SELECT s, count(*), min(id) from k group by s ORDER BY min(id);
SELECT concat(s), count(*), min(id) from c group by concat(s) ORDER BY min(id);
SELECT count(distinct s), count(distinct concat(s)) from c;
SELECT group_concat(id ORDER BY s, id) from c;
SELECT group_concat(id ORDER BY s, id) from k;
SELECT group_concat(id ORDER BY concat(s), id) from c;
SELECT id from c where s = 'ß' ORDER BY id;
SELECT id from c where s >= 'ss' ORDER BY id;
SELECT id from c where s > 'a' ORDER BY id;
SELECT id from c where s < 'a!' ORDER BY id;
SELECT id from c where s between 'a' and 'ae' ORDER BY id;
SELECT id from k ignore index (s) where s > 'a' ORDER BY id;
SELECT id from k ignore index (s) where s <= 'a' ORDER BY id;
SELECT id from c where s in ('ß', 'ae') ORDER BY id;
SELECT id from c where s = 'a ' ORDER BY id;
EXECUTE IMMEDIATE "insert into k values (1, 'x') on duplicate key update s = 'SSS'";
SELECT id, s from k where id = 1;

create table u (s char(20) collate utf8mb3_unicode_nopad_ci, unique (s));
EXECUTE IMMEDIATE "insert into u values ('ss'), ('ß')";
EXECUTE IMMEDIATE "insert into u values ('SS')";
EXECUTE IMMEDIATE "insert into u values ('ẞ')";
EXECUTE IMMEDIATE "insert into u values ('ss\0'), ('ss\t')";
SELECT hex(s) from u ORDER BY hex(s);
EXECUTE IMMEDIATE "update u set s = 'SS ' where hex(s) = 'C39F'";
EXECUTE IMMEDIATE "delete from u where concat(s) = 'ß'";
SELECT hex(s) from u;

create table u2 (s char(20) collate utf8mb4_unicode_520_nopad_ci, unique (s(3)));
EXECUTE IMMEDIATE "insert into u2 values ('ss ')";
EXECUTE IMMEDIATE "insert into u2 values ('ß ')";
EXECUTE IMMEDIATE "insert into u2 values ('ss x')";
EXECUTE IMMEDIATE "insert into u2 values ('ssx')";
SELECT s from u2 ORDER BY hex(s);

create table u3 (s varchar(20) collate utf8mb4_unicode_520_nopad_ci, unique (s(3)));
EXECUTE IMMEDIATE "insert into u3 values ('ss ')";
EXECUTE IMMEDIATE "insert into u3 values ('ß ')";
SELECT s from u3;

create table p (s char(3) collate utf8mb4_uca1400_nopad_as_cs primary key);
EXECUTE IMMEDIATE "insert into p values ('ss'), ('ß'), ('s'), ('')";
EXECUTE IMMEDIATE "insert into p values ('ss ')";
EXECUTE IMMEDIATE "replace into p values ('s')";
SELECT s from p where s = 's';
SELECT count(*) from p where s > 's';

create table g (a char(3) collate utf8mb4_general_nopad_ci, b char(3) collate latin1_nopad_bin, unique (a), unique (b));
EXECUTE IMMEDIATE "insert into g values ('ab', 'ab'), ('ab\0', 'ab\0')";
EXECUTE IMMEDIATE "insert into g values ('AB', 'x')";
EXECUTE IMMEDIATE "insert into g values ('x', 'ab')";
SELECT hex(a), hex(b) from g where a = 'ab';
SELECT hex(a), hex(b) from g where concat(b) > 'ab';

create table q (s char(4) collate utf8mb3_unicode_nopad_ci primary key);
create table r (s char(4) collate utf8mb3_unicode_nopad_ci, foreign key (s) references q (s) on update cascade);
EXECUTE IMMEDIATE "insert into q values ('ss')";
EXECUTE IMMEDIATE "insert into r values ('SS')";
EXECUTE IMMEDIATE "insert into r values ('ß')";
EXECUTE IMMEDIATE "update q set s = 'ß'";
SELECT hex(s) from r;

create table m (id int primary key, s varchar(4) collate utf8mb3_unicode_nopad_ci, unique (s));
EXECUTE IMMEDIATE "insert into m values (1, 'ss')";
EXECUTE IMMEDIATE "alter table m modify s char(4) collate utf8mb3_unicode_nopad_ci";
EXECUTE IMMEDIATE "insert into m values (2, 'ß')";
EXECUTE IMMEDIATE "alter table m modify s char(5) collate utf8mb3_unicode_nopad_ci";
EXECUTE IMMEDIATE "insert into m values (3, 'SS')";
EXECUTE IMMEDIATE "insert into m values (3, 'x')";
SELECT id, s from m ORDER BY id;

create table h (s char(200) collate utf8mb4_uca1400_nopad_as_cs, t text, unique (s, t));
insert into h values (repeat('ab', 100), 'x'), ('ss', 'y'), ('ß', 'y'), (null, 'y');
EXECUTE IMMEDIATE "insert into h values (repeat('ab', 100), 'x ')";
EXECUTE IMMEDIATE "insert into h values ('ss', 'Y')";
SELECT length(s), t from h where s = repeat('ab', 100);
SELECT length(s), t from h where s = 'ss' and t = 'y';
SELECT length(s), t from h where s > 'ab' ORDER BY length(s);
SELECT length(s), t from h where s is null;
