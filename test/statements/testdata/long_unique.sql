-- UNIQUE keys of values of any length, of which indexes have digests: equality of the values decides, and such a key gives no order.

create table b (a blob unique);
insert into b values (repeat('s', 40000)), (repeat('s', 40010)), (null), (null), ('short'), ('SHORT'), ('');
EXECUTE IMMEDIATE "insert into b values (repeat('s', 40000))";
EXECUTE IMMEDIATE "insert into b values ('short')";
EXECUTE IMMEDIATE "update b set a = repeat('s', 40010) where a = 'short'";
EXECUTE IMMEDIATE "update b set a = repeat('x', 60000) where a = 'short'";
EXECUTE IMMEDIATE "insert ignore into b values (repeat('x', 60000)), (repeat('y', 60000))";
EXECUTE IMMEDIATE "delete from b where a = repeat('y', 60000)";
EXECUTE IMMEDIATE "replace into b values (repeat('s', 40000))";
EXECUTE IMMEDIATE "insert into b values (repeat('s', 40000)) on duplicate key update a = 'q'";
SELECT length(a) from b where a = repeat('s', 40010);
SELECT length(a) from b where a > 'a' ORDER BY length(a);
SELECT length(a) from b where a in ('q', repeat('x', 60000)) ORDER BY length(a);
SELECT length(a) from b where a is null;
SELECT length(a) from b ORDER BY a desc;
SELECT length(min(a)), length(max(a)) from b;
SELECT length(min(a)), length(max(a)) from b where a > 'q';

create table c (a blob, b int, c blob, d text collate utf8mb4_bin, e varchar(3000), unique (a, b, c, d, e));
insert into c values (repeat('s', 40000), 1, repeat('s', 40000), repeat('s', 40000), repeat('s', 400));
insert into c values (repeat('s', 40010), 2, repeat('s', 40010), repeat('s', 40010), repeat('s', 2995));
EXECUTE IMMEDIATE "insert into c values (repeat('s', 40000), 1, repeat('s', 40000), repeat('s', 40000), repeat('S', 400))";
EXECUTE IMMEDIATE "insert into c values (repeat('s', 40000), 1, repeat('s', 40000), repeat('s', 40000), repeat('S', 401)), (repeat('s', 40000), 1, repeat('s', 40000), repeat('S', 40000), repeat('S', 401))";
EXECUTE IMMEDIATE "insert into c values (repeat('s', 40000), 1, null, '', ''), (repeat('s', 40000), 1, null, '', '')";
SELECT count(*), length(a), b, length(e) from c where a = repeat('s', 40000) and b = 1 GROUP BY e ORDER BY e;
SELECT b, length(e) from c where a > 's' and b > 1;

create table l (id int primary key, a varchar(9000) character set latin1 not null, unique (a));
EXECUTE IMMEDIATE "insert into l values (1, repeat('a', 5000)), (2, repeat('b', 5000))";
EXECUTE IMMEDIATE "insert into l values (3, repeat('A', 5000))";
EXECUTE IMMEDIATE "insert into l values (3, concat(repeat('A', 5000), ' '))";
EXECUTE IMMEDIATE "insert into l values (3, concat(repeat('A', 600), 'x'))";
SELECT id from l where a = repeat('A', 5000);
SELECT id from l where a >= repeat('A', 5000) ORDER BY id;
SELECT id from l where a between repeat('A', 5000) and repeat('b', 5000) ORDER BY id;
EXECUTE IMMEDIATE "delete from l where id < 3";
EXECUTE IMMEDIATE "alter table l modify a varchar(3000) character set latin1";
EXECUTE IMMEDIATE "insert into l values (4, concat(repeat('A', 600), 'X'))";
SELECT id from l where a > repeat('A', 600);
EXECUTE IMMEDIATE "alter table l modify a varchar(6000) character set latin1";
EXECUTE IMMEDIATE "insert into l values (4, concat(repeat('A', 600), 'X'))";
EXECUTE IMMEDIATE "insert into l values (4, repeat('a', 5999))";
SELECT id from l where a = repeat('A', 5999);
