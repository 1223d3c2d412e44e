package consumers

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/duramendb/duramen/test/peer"
)

// consumer is a program that follows the server: its command line, to which port, file and mark are appended.
type consumer struct {
	name string
	// install fetches what it needs, or skips. What it makes itself goes into the directory work.
	install func(t *testing.T, work string) (dir string, line []string)
	// noEmptySet: it yields NULL for a SET without members.
	noEmptySet bool
}

var all = []consumer{
	{name: "canal", install: installCanal},
	{name: "python-mysql-replication", install: installPython, noEmptySet: true},
	{name: "zongji", install: installZongji},
	{name: "Debezium", install: installDebezium},
}

func TestConsumers(t *testing.T) {
	s := peer.Start(t, peer.Options{Binlog: true, Args: []string{"--binlog-row-metadata=FULL"}})
	admin := s.DB("")
	defer admin.Close()
	admin.SetMaxOpenConns(1)
	peer.Exec(t, admin, "CREATE DATABASE shop CHARACTER SET utf8mb4 COLLATE utf8mb4_general_ci", "USE shop", createTable(), "CREATE TABLE marker (n INT NOT NULL PRIMARY KEY)")
	peer.Exec(t, admin, before...)
	type follower struct {
		consumer
		dir, file string
		line      []string
	}
	var followers []follower
	states := t.TempDir()
	for _, c := range all {
		t.Run(c.name+" from the start", func(t *testing.T) {
			dir, line := c.install(t, states)
			f := follower{c, dir, filepath.Join(states, c.name+".json"), line}
			run(t, f.dir, append(f.line, strconv.Itoa(s.Port), f.file, "1"))
			compare(t, admin, f.consumer, f.file)
			followers = append(followers, f)
		})
	}
	peer.Exec(t, admin, after...)
	for _, f := range followers {
		t.Run(f.name+" from where it was", func(t *testing.T) {
			run(t, f.dir, append(f.line, strconv.Itoa(s.Port), f.file, "2"))
			compare(t, admin, f.consumer, f.file)
		})
	}
}

func createTable() string {
	list := make([]string, len(columns))
	for i, c := range columns {
		list[i] = c.name + " " + c.definition
	}
	return "CREATE TABLE all_types (" + strings.Join(list, ", ") + ")"
}

// compare compares what a consumer has kept with what the server holds.
func compare(t *testing.T, db *sql.DB, by consumer, file string) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var kept struct {
		Rows map[string]map[string]*string
	}
	if err := json.Unmarshal(text, &kept); err != nil {
		t.Fatal(err)
	}
	list := make([]string, len(columns))
	for i, c := range columns {
		list[i] = c.expression()
	}
	rows, err := db.Query("SELECT " + strings.Join(list, ", ") + " FROM shop.all_types")
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	held := 0
	for ; rows.Next(); held++ {
		cells := make([]*string, len(columns))
		into := make([]any, len(columns))
		for i := range cells {
			into[i] = &cells[i]
		}
		if err := rows.Scan(into...); err != nil {
			t.Fatal(err)
		}
		row, ok := kept.Rows[*cells[0]]
		if !ok {
			t.Errorf("row %s is missing", *cells[0])
			continue
		}
		for i, c := range columns {
			got := row[c.name]
			if by.noEmptySet && c.kind == "set" && got == nil && cells[i] != nil && *cells[i] == "" {
				continue
			}
			if !c.equal(cells[i], got) {
				t.Errorf("row %s, %s %s: %s, not %s", *cells[0], c.name, c.definition, show(got), show(cells[i]))
			}
		}
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	if len(kept.Rows) != held || held == 0 {
		t.Errorf("%d rows instead of %d", len(kept.Rows), held)
	}
}

func show(s *string) string {
	if s == nil {
		return "NULL"
	}
	return fmt.Sprintf("%.60q", *s)
}

// run runs a consumer, which ends by printing OK.
func run(t *testing.T, dir string, line []string) {
	t.Helper()
	out, err := command(dir, line...)
	if err != nil || !strings.HasSuffix(strings.TrimSpace(out), "OK") {
		t.Fatalf("%s: %v\n%s", strings.Join(line, " "), err, tail(out))
	}
}

func tail(s string) string { return s[max(0, len(s)-8000):] }

func command(dir string, line ...string) (string, error) {
	ctx, cancel := context.WithTimeout(context.Background(), 4*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, line[0], line[1:]...)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	return string(out), err
}
