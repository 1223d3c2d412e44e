package enginetest

import (
	"cmp"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"

	"github.com/duramendb/duramen/catalog"
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

// word is a name, or what is none.
var word = regexp.MustCompile("'(?:[^'\\\\]|\\\\.)*'|\"(?:[^\"\\\\]|\\\\.)*\"|[A-Za-z_][A-Za-z0-9_]*")

// lettered gives the names of databases and tables in a statement the letters that they have: go-mysql-server finds them by any.
func lettered(statement string, cat *catalog.Snapshot, db string) string {
	return word.ReplaceAllStringFunc(statement, func(w string) string {
		name := ""
		for _, d := range cat.Databases() {
			tables := cat.Tables(d.Name)
			names := make([]string, 0, len(tables)+1)
			for _, t := range tables {
				names = append(names, t.Def.Name)
			}
			for _, n := range append(names, d.Name) {
				switch {
				case n == w:
					return w
				case strings.EqualFold(n, w) && (name == "" || d.Name == db):
					name = n
				}
			}
		}
		return cmp.Or(name, w)
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
