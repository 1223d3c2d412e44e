package grammar_test

import (
	"testing"

	"github.com/duramendb/duramen/query/dialect/grammar"
)

// BenchmarkParseDefinition reads what is not read often, and is long.
func BenchmarkParseDefinition(b *testing.B) {
	for name, text := range map[string]string{
		"table": "CREATE TABLE sbtest1 (id INTEGER NOT NULL AUTO_INCREMENT, k INTEGER DEFAULT '0' NOT NULL, c CHAR(120) DEFAULT '' NOT NULL, " +
			"pad CHAR(60) DEFAULT '' NOT NULL, PRIMARY KEY (id), KEY k_1 (k)) ENGINE = InnoDB COMMENT 'x'",
		"procedure": "CREATE PROCEDURE p(IN a INT, OUT b VARCHAR(10)) BEGIN DECLARE i INT DEFAULT 0; " +
			"DECLARE EXIT HANDLER FOR SQLEXCEPTION ROLLBACK; START TRANSACTION; WHILE i < a DO INSERT INTO t VALUES (i, CONCAT('x', i)); " +
			"SET i = i + 1; END WHILE; SELECT MAX(c) INTO b FROM t WHERE k = a; COMMIT; END",
		"grant": "GRANT SELECT, INSERT (a, b) ON d.t TO u@'%' IDENTIFIED BY 'x' WITH GRANT OPTION",
		"show":  "SHOW FULL COLUMNS FROM t LIKE 'a%'",
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				if _, _, err := grammar.Parse(text, grammar.Options{}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
