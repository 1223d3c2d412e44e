-- Names of literals with introducers, COLLATE of NULL, and what follows the current database.
set names utf8mb4;
SELECT null collate uca1400_ai_ci;
SELECT @a collate uca1400_ai_ci;
SELECT nullif(1,1) collate uca1400_ai_ci;
SELECT 1 collate uca1400_ai_ci;
SELECT collation('a' collate uca1400_ai_ci);
SELECT cast(null as char) collate uca1400_ai_ci;
SELECT null collate utf8mb4_uca1400_ai_ci;
SELECT binary 'a' collate uca1400_ai_ci;
SELECT if(1,null,null) collate uca1400_ai_ci;
SELECT _latin1'тест', _koi8r'тест' as x, _koi8r'тест', _binary'тест', _binary'aт', _latin1'é', _utf8mb3'é', _cp1251'é b',_latin1' é';
ALTER DATABASE recorded CHARACTER SET cp1251;
SET NAMES utf8mb4;
CREATE TABLE nothing (a INT);
SELECT @@collation_database, @@character_set_database, CHARSET(CHR(65)), HEX(CHR(200)), COLLATION(CHR(65));
SET collation_database=latin2_bin;
SELECT CHARSET(CHR(65)), @@collation_database;
