CREATE DATABASE `odd names`;
USE `odd names`;
CREATE TABLE `it's "odd"` (`a b` int PRIMARY KEY, `c``d` int DEFAULT 1, `ünïcödé 漢字` varchar(10), `select` int, `%` int, `x.y` int COMMENT 'ü', KEY `key ü` (`c``d`), CHECK (`a b` > 0));
INSERT INTO `it's "odd"` VALUES (1, 2, 'ü', 3, 4, 5);
CREATE TABLE `漢字` (`id` int PRIMARY KEY, `p` int, KEY `p` (`p`), CONSTRAINT `fk ``q` FOREIGN KEY (`p`) REFERENCES `it's "odd"` (`a b`));
INSERT INTO `漢字` VALUES (1, 1);
CREATE TABLE `Case` (`ID` int PRIMARY KEY, `Parent` int, KEY `Parent` (`Parent`), FOREIGN KEY (parent) REFERENCES `Case` (id) ON DELETE CASCADE);
INSERT INTO `Case` VALUES (1, 1);
CREATE VIEW `view ü` AS SELECT `a b`, `c``d` FROM `it's "odd"`;
CREATE TABLE `default` (id int PRIMARY KEY, l varchar(20) CHARACTER SET latin1 DEFAULT 'é', u varchar(20) DEFAULT '漢字'); -- mydumper dumps such a default under the wrong character set
INSERT INTO `default` (id) VALUES (1);
