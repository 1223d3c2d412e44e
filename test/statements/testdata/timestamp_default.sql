-- A TIMESTAMP whose default is a time: it is one by the clock of the session.
SET time_zone='+03:00';
CREATE table t (a int primary key, ts timestamp default '2003-01-01 10:00:00', ts2 timestamp(3) not null default '2004-01-01 00:00:00.123', ts3 timestamp null default null, d datetime default '2003-01-01', ts5 timestamp not null default '1970-01-01 03:00:01');
INSERT into t (a) values (1);
INSERT into t values (3, default, default, default,default,default),(4,default(ts2),default(ts), default(ts5),default,default);
UPDATE t set ts2=default where a=3;
UPDATE t set ts=default(ts5), ts2=default(ts) where a=1;
SELECT * from t;
SELECT default(ts), unix_timestamp(default(ts)), default(ts2), default(ts5)+0 from t limit 1;
INSERT into t (a) values (1) on duplicate key update ts=default, ts5=default(ts2);
SELECT * from t where ts in (default(ts),1) or ts5 > default(ts5);
REPLACE into t (a) values (4), (5);
SELECT * from t;
INSERT into t (a) values (7) returning ts, ts2;
INSERT into t (a) select a+10 from t;
SELECT * from t where a > 10;
DELETE from t where ts5 = default(ts5);
INSERT into t set a = 50, ts = ts2, ts2=ts;
SELECT * from t;
