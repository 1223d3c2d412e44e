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
	// Restore: its tables have to be brought back to their first state after it.
	Restore bool
	// Grows: its tables have more rows after it, so it comes last.
	Grows bool
}

// Workloads are all there are. The first ten are those of the write-heavy study.
var Workloads = []Workload{
	{Name: "delete", What: "DELETE by primary key, of a row that is there", Restore: true},
	{Name: "insert", What: "INSERT of one row, AUTO_INCREMENT", Grows: true},
	{Name: "read-write-100", What: "transaction: 10 point queries, 4 ranges of 100 rows, and write-only's writes"},
	{Name: "read-write-10", What: "the same with ranges of 10 rows"},
	{Name: "update-index", What: "UPDATE of an indexed column by primary key"},
	{Name: "update-inlist", What: "UPDATE of an indexed column in 100 rows, WHERE id IN (...)"},
	{Name: "update-nonindex", What: "UPDATE of a column without index by primary key"},
	{Name: "update-one", What: "the same, always the same row"},
	{Name: "update-zipf", What: "the same, rows by a Zipf distribution with exponent 0.8"},
	{Name: "write-only", What: "transaction: update-index, update-nonindex, DELETE and INSERT of one id"},
	{Name: "point-query", What: "SELECT of one row by primary key"},
	{Name: "range", What: "SELECT of 100 rows by primary key"},
	{Name: "scan", What: "SELECT that reads a whole table and returns nothing"},
	{Name: "oltp-rw", What: "read-write-100 on 8 tables", Tables: 8},
	{Name: "update-nokey", What: "update-nonindex on 8 tables", Tables: 8},
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
