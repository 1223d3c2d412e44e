DROP DATABASE IF EXISTS addressed;
CREATE DATABASE addressed CHARACTER SET latin1;
USE addressed;
CREATE TABLE hosts (u uuid NOT NULL DEFAULT uuid(), a inet4 DEFAULT '1.2.3.4', b inet6 NOT NULL DEFAULT '2001:db8:0::5' COMMENT 'it''s six',
  c inet6 AS (concat('::', n)) STORED, n int, PRIMARY KEY (u), UNIQUE KEY (a), KEY both_of (b, a), CHECK (b <> '::9'));
INSERT INTO hosts (u, a, b, n) VALUES ('6ccd780c-baba-1026-9564-0040f4311e29', NULL, '::', 1), ('00000000-0000-0000-0000-000000000000', '0.0.0.0', 'fe80::1', 2),
  ('01890000-0000-7000-8000-000000000000', '255.255.255.255', '::ffff:1.2.3.4', NULL);
CREATE TABLE visits (id int PRIMARY KEY, u uuid, FOREIGN KEY (u) REFERENCES hosts (u) ON DELETE CASCADE);
INSERT INTO visits VALUES (1, '6ccd780cbaba102695640040f4311e29'), (2, NULL);
CREATE VIEW visited AS SELECT h.u, h.b, v.id FROM hosts h JOIN visits v ON h.u = v.u;
