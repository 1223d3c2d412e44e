package main

import (
	"database/sql"
	"flag"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"slices"
	"strings"

	_ "github.com/go-sql-driver/mysql" // the way to the server
)

func main() {
	log.SetFlags(log.Ltime)
	dsn := flag.String("dsn", "", "data source name of the MariaDB server")
	out := flag.String("out", "", "directory of the files")
	only := flag.String("only", "", "some of sets, simple, passes, roots, tailorings, cases, names, with commas between; empty for all (names needs cases)")
	flag.Parse()
	if err := run(*dsn, *out, *only); err != nil {
		fmt.Fprintln(os.Stderr, "generate:", err)
		os.Exit(1)
	}
}

// generator has the connection and what the steps need of each other.
type generator struct {
	db         *sql.DB
	out        string
	collations []collation
	caseOf     map[string]string // collation to its table of LOWER and UPPER
	ofRoot     map[string][]contraction
}

func run(dsn, out, only string) (err error) {
	db, err := sql.Open("mysql", dsn)
	if err != nil {
		return err
	}
	defer db.Close()
	db.SetMaxOpenConns(1) // for the session's settings and database
	g := &generator{db: db, out: out, caseOf: map[string]string{}, ofRoot: map[string][]contraction{}}
	if err := g.prepare(); err != nil {
		return err
	}
	defer func() {
		if _, failed := db.Exec("DROP DATABASE charset_generate"); err == nil {
			err = failed
		}
	}()
	steps := []struct {
		name string
		do   func() error
	}{
		{"sets", g.sets}, {"simple", g.simple}, {"passes", g.passes}, {"roots", g.roots}, {"tailorings", g.tailorings}, {"cases", g.cases}, {"names", g.names},
	}
	for _, s := range steps {
		if only != "" && !slices.Contains(strings.Split(only, ","), s.name) {
			continue
		}
		log.Print(s.name)
		if err := s.do(); err != nil {
			return fmt.Errorf("%s: %w", s.name, err)
		}
	}
	return nil
}

func (g *generator) write(name string, content []byte) error {
	return os.WriteFile(filepath.Join(g.out, name), content, 0o644)
}

// prepare makes the table of all code points that are characters.
func (g *generator) prepare() error {
	for _, q := range []string{
		"SET NAMES utf8mb4", "SET sql_mode=''",
		"CREATE OR REPLACE DATABASE charset_generate", "USE charset_generate",
		`CREATE TABLE cp (n INT PRIMARY KEY, c VARCHAR(1) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin) ENGINE=MyISAM
			SELECT seq AS n, CONVERT(CONVERT(UNHEX(LPAD(HEX(seq),8,'0')) USING utf32) USING utf8mb4) AS c
			FROM seq_0_to_1114111 WHERE seq NOT BETWEEN 0xD800 AND 0xDFFF`,
	} {
		if _, err := g.db.Exec(q); err != nil {
			return fmt.Errorf("%s: %w", q, err)
		}
	}
	return g.readCollations()
}

// rows calls each for every row of a query.
func (g *generator) rows(each func(*sql.Rows) error, query string, args ...any) error {
	rows, err := g.db.Query(fmt.Sprintf(query, args...))
	if err != nil {
		return fmt.Errorf("%s: %w", fmt.Sprintf(query, args...), err)
	}
	defer rows.Close()
	for rows.Next() {
		if err := each(rows); err != nil {
			return err
		}
	}
	return rows.Err()
}

// exec runs a statement.
func (g *generator) exec(query string, args ...any) error {
	if _, err := g.db.Exec(fmt.Sprintf(query, args...)); err != nil {
		return fmt.Errorf("%s: %w", fmt.Sprintf(query, args...), err)
	}
	return nil
}
