package load

import (
	_ "embed" // the script
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

//go:embed lua/duramen.lua
var script []byte

// WriteScript writes the script for sysbench into a directory and returns its path.
func WriteScript(dir string) (string, error) {
	path := filepath.Join(dir, "duramen.lua")
	if err := os.WriteFile(path, script, 0o644); err != nil {
		return "", fmt.Errorf("write the script for sysbench: %w", err)
	}
	return path, nil
}

// Workload is what the clients of a run do. One event of it is one transaction.
type Workload struct {
	Name string
	What string
	// Tables is the number of tables, 0 for that of the suite.
	Tables int
	// Sets of tables that it uses; none means Plain.
	Sets []string
	// Halves: a transaction changes a row in each half of the tables, so there have to be two.
	Halves bool
	// Restore: its tables have to be brought back to their first state after it.
	Restore bool
	// Rows is how many rows a transaction changes, of RowBytes each; 0: none, or not the same number each time.
	Rows int
	// Grows: its tables have more rows after it, so it comes last.
	Grows bool
}

// Sets of tables, each in an engine of its own, which depends on the server. The names are the prefixes of the tables.
const (
	Plain  = "sbtest" // the default engine
	First  = "first"
	Second = "second"
	Memory = "memory" // an engine that keeps nothing over a restart
)

// RowBytes are the bytes of a row of the tables, as the columns' types have them: two INTs, CHAR(120) and CHAR(60), with one byte for
// each character.
const RowBytes = 4 + 4 + 120 + 60

// Set is a set of tables in an engine, "" for the default one.
type Set struct{ Prefix, Engine string }

// Workloads are all there are. The first ten are those of the write-heavy study.
var Workloads = []Workload{
	{Name: "delete", What: "DELETE by primary key, of a row that is there", Restore: true},
	{Name: "insert", What: "INSERT of one row, AUTO_INCREMENT", Grows: true},
	{Name: "read-write-100", What: "transaction: 10 point queries, 4 ranges of 100 rows, and write-only's writes"},
	{Name: "read-write-10", What: "the same with ranges of 10 rows"},
	{Name: "update-index", What: "UPDATE of an indexed column by primary key"},
	{Name: "update-inlist", What: "UPDATE of an indexed column in 100 rows, WHERE id IN (...)"},
	{Name: "update-nonindex", What: "UPDATE of a column without index by primary key", Rows: 1},
	{Name: "update-one", What: "the same, always the same row"},
	{Name: "update-zipf", What: "the same, rows by a Zipf distribution with exponent 0.8"},
	{Name: "write-only", What: "transaction: update-index, update-nonindex, DELETE and INSERT of one id"},
	{Name: "point-query", What: "SELECT of one row by primary key"},
	{Name: "range", What: "SELECT of 100 rows by primary key"},
	{Name: "range-sum", What: "SELECT SUM of 100 rows by primary key"},
	{Name: "range-ordered", What: "range with ORDER BY a text"},
	{Name: "range-distinct", What: "the same with DISTINCT"},
	{Name: "read-only-100", What: "transaction: 10 point queries, 4 ranges of 100 rows"},
	{Name: "scan", What: "SELECT that reads a whole table and returns nothing"},
	{Name: "oltp-rw", What: "read-write-100 on 8 tables", Tables: 8},
	{Name: "update-nokey", What: "update-nonindex on 8 tables", Tables: 8},
	{Name: "two-in-first", What: "transaction: update-nonindex in two tables, both in the server's first engine (see --engines)", Sets: []string{First}, Halves: true},
	{Name: "two-in-second", What: "the same, both in its second engine", Sets: []string{Second}, Halves: true},
	{Name: "two-across", What: "the same, one in the first and one in the second engine", Sets: []string{First, Second}, Halves: true},
	{Name: "update-first", What: "update-nonindex in the first engine", Sets: []string{First}, Rows: 1},
	{Name: "update-second", What: "update-nonindex in the second engine", Sets: []string{Second}, Rows: 1},
	{Name: "update-memory", What: "update-nonindex in the engine that keeps nothing over a restart", Sets: []string{Memory}},
	{Name: "point-first", What: "point-query in the first engine", Sets: []string{First}},
	{Name: "point-second", What: "point-query in the second engine", Sets: []string{Second}},
	{Name: "point-memory", What: "point-query in the engine that keeps nothing over a restart", Sets: []string{Memory}},
	{Name: "slap-insert", What: "INSERT into one table without a key, as mysqlslap does", Restore: true},
}

// Names lists the workloads.
func Names() []string {
	names := make([]string, len(Workloads))
	for i, w := range Workloads {
		names[i] = w.Name
	}
	return names
}

// Find finds a workload by its name.
func Find(name string) (Workload, error) {
	for _, w := range Workloads {
		if w.Name == name {
			return w, nil
		}
	}
	return Workload{}, fmt.Errorf("there is no workload %q; there are %s", name, strings.Join(Names(), ", "))
}
