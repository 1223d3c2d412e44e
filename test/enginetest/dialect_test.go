package enginetest

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
)

// mysqlCollations are names that only MySQL 8 has, and what comes nearest in
// MariaDB.
var mysqlCollations = strings.NewReplacer(
	"utf8mb4_0900_bin", "utf8mb4_bin",
	"utf8mb4_0900_ai_ci", "utf8mb4_general_ci",
	"utf8mb4_0900_as_cs", "utf8mb4_bin",
)

var fileName = regexp.MustCompile(`(?i)\b(infile|outfile|dumpfile)(\s+)'(?:\./)?([^/'][^']*)'`)

// zulu is a time with a zone, which MariaDB has not: it is the server's.
var zulu = regexp.MustCompile(`'(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)Z'`)

// translated is a statement of the suite as a client of MariaDB would write it.
// Relative names of files are relative to the data directory there, which the
// suite takes for that of the process.
func translated(statement string) string {
	statement = strings.TrimSuffix(mysqlCollations.Replace(statement), "---") // a mark between scripts
	statement = zulu.ReplaceAllString(statement, "'$1'")
	return fileName.ReplaceAllStringFunc(statement, func(match string) string {
		m := fileName.FindStringSubmatch(match)
		dir, err := os.Getwd()
		if err != nil {
			return match
		}
		return m[1] + m[2] + "'" + filepath.Join(dir, m[3]) + "'"
	})
}

// translatedRows are expected rows with MariaDB's names.
func translatedRows(rows []sql.Row) []sql.Row {
	out := make([]sql.Row, len(rows))
	for i, r := range rows {
		out[i] = r.Copy()
		for j, v := range r {
			if s, ok := v.(string); ok {
				out[i][j] = mysqlCollations.Replace(s)
			}
		}
	}
	return out
}
