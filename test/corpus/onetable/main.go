// Command onetable counts, of statements that were sent to a MariaDB and to Duramen at once, those on one table or none: how many had
// the same answer, by suite and by kind of difference. docs/compatibility.md says what is counted and what is left out, and holds the numbers.
//
//	onetable [-differences] RUN...
//
// A RUN is a file of JSON lines, one for each file of MariaDB's regression suite, as a proxy between mysqltest and the two servers writes it:
//
//	{"test": "main/select", "rc": 0, "stmts": [{"c": 1, "kind": "query", "sql": "SELECT 1", "cls": "same", "notes": [],
//	  "m": [{"k": "rs", "nc": 1, "nr": 1, "cols": ["1"], "rows": ["1"]}], "d": null}, ...]}
//
// rc is 62 where the file says that it does not run on such a server. c is the connection, kind is query, or something that counts for
// nothing. m and d are the answers of MariaDB and of Duramen: results (k is rs), the end of a statement (ok), errors (err, with code
// and msg); d may be left out where it is the same. cls is how they compare: same; order, values, rowcount, columns, colname, affected or
// shape (another result); errcode; error (in Duramen only; also hang, gone, died), accepts (an error in MariaDB only), lost (there was no
// connection to judge by).
package main

import (
	"bufio"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"strings"
)

func main() {
	differences := flag.Bool("differences", false, "print the statements that differ, with both answers, after the table")
	flag.Parse()
	if flag.NArg() == 0 {
		flag.Usage()
		os.Exit(2)
	}
	var out strings.Builder
	err := run(&out, flag.Args(), *differences)
	if err == nil {
		_, err = os.Stdout.WriteString(out.String())
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "onetable:", err)
		os.Exit(1)
	}
}

func run(out *strings.Builder, names []string, differences bool) error {
	var c counts
	for _, name := range names {
		if err := c.addRun(name); err != nil {
			return err
		}
	}
	c.table(out)
	if differences {
		c.list(out)
	}
	return nil
}

// file is what was recorded of one file of the suite.
type file struct {
	Test       string
	RC         int
	Statements []statement `json:"stmts"`
}

// skipped is the status with which a test says that it does not run on this server.
const skipped = 62

// statement is one text that was sent, with how the answers compare.
type statement struct {
	Connection int `json:"c"`
	Kind       string
	SQL        string
	Class      string   `json:"cls"`
	MariaDB    []answer `json:"m"`
	Duramen    []answer `json:"d"`
}

// answer is a part of what a server answered.
type answer struct {
	Kind    string `json:"k"`
	Code    int
	Message string `json:"msg"`
	Rows    []string
	// RowCount is that of all rows, of which Rows has the first.
	RowCount int      `json:"nr"`
	Affected int64    `json:"aff"`
	Columns  []string `json:"cols"`
}

func (c *counts) addRun(name string) error {
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	d := json.NewDecoder(bufio.NewReader(f))
	for {
		var one file
		switch err := d.Decode(&one); err {
		case nil:
			c.add(&one)
		case io.EOF:
			return nil
		default:
			return fmt.Errorf("%s: %w", name, err)
		}
	}
}
