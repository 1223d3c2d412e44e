package temporal_test

import (
	"bufio"
	"context"
	"database/sql"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/duramendb/duramen/query/types/temporal"
	"github.com/duramendb/duramen/test/peer"
)

var (
	rewrite = flag.Bool("rewrite", false, "record MariaDB's answers in testdata")
	all     = flag.Bool("all", false, "ask a running MariaDB for every case, not for each eighth")
	seed    = flag.Uint64("seed", recordedSeed, "of the random cases; answers are recorded with the default")
)

const recordedSeed = 10

// modes are the sql_modes that cases run in.
var modes = map[string]temporal.Mode{
	"":                             {},
	"NO_ZERO_DATE,NO_ZERO_IN_DATE": {NoZeroDate: true, NoZeroInDate: true},
	"ALLOW_INVALID_DATES":          {InvalidDates: true},
	strictMode:                     {},
	"TIME_ROUND_FRACTIONAL":        {RoundFraction: true},
	"NO_ZERO_IN_DATE,NO_ZERO_DATE,TIME_ROUND_FRACTIONAL": {NoZeroDate: true, NoZeroInDate: true, RoundFraction: true},
}

const (
	plainMode = ""
	roundMode = "TIME_ROUND_FRACTIONAL"
	zeroMode  = "NO_ZERO_DATE,NO_ZERO_IN_DATE"
	anyMode   = "ALLOW_INVALID_DATES"
	// strict is not a mode of conversions, but makes errors of a column's warnings.
	strictMode = "STRICT_ALL_TABLES"
	bothModes  = "NO_ZERO_IN_DATE,NO_ZERO_DATE,TIME_ROUND_FRACTIONAL"
)

// The moment at which all cases run, and its date in UTC.
const nowUnix = "1700000000.123456"

var today = mustDate("2023-11-14")

func mustDate(s string) temporal.Packed {
	r, ok := temporal.Mode{InvalidDates: true}.ParseLiteral([]byte(s), temporal.Date)
	if !ok {
		panic("no date: " + s)
	}
	return r.Value.Packed
}

// session evaluates as a statement would: it collects warnings.
type session struct {
	temporal.Mode
	warnings []string
}

func (s *session) warnf(level byte, code int, format string, args ...any) {
	s.warnings = append(s.warnings, fmt.Sprintf("%c%d ", level, code)+fmt.Sprintf(format, args...))
}

func (s *session) warn(w temporal.Warning, quoted string) {
	level, text := byte('W'), "Truncated incorrect"
	if w.Note {
		level = 'N'
	}
	if w.Useless {
		text = "Incorrect"
	}
	s.warnf(level, temporal.CodeWrongValue, "%s %s value: '%s'", text, w.Word, quoted)
}

// read reads a text in a mode and context, with its warning.
func (s *session) read(m temporal.Mode, text string, c temporal.Context) temporal.Result {
	r := m.Parse([]byte(text), c)
	s.noNextHour(r)
	if w, ok := r.Warning(c); ok {
		s.warn(w, escape(text))
	}
	return r
}

// noNextHour is the warning about a fraction that could not be rounded.
func (s *session) noNextHour(r temporal.Result) {
	if r.Cond&temporal.NoNextHour != 0 {
		s.warnf('W', temporal.CodeWrongForType, "Incorrect date value: '%s' for function round(datetime)", temporal.AppendDate(nil, r.Value.Packed))
	}
}

// escape shows bytes that are not printable as MariaDB's warnings do.
func escape(text string) string {
	var b strings.Builder
	for i := range len(text) {
		if c := text[i]; c < ' ' || c > '~' {
			fmt.Fprintf(&b, "\\x%02X", c)
		} else {
			b.WriteByte(c)
		}
	}
	return b.String()
}

// quote writes a literal of a text.
func quote(text string) string {
	for i := range len(text) {
		if text[i] < ' ' || text[i] > '~' {
			return fmt.Sprintf("x'%X'", text)
		}
	}
	return "'" + strings.NewReplacer(`\`, `\\`, `'`, `''`).Replace(text) + "'"
}

const null = "NULL"

func text(v temporal.Value, fsp int) string {
	if v.Kind == temporal.None {
		return null
	}
	return string(v.Append(nil, fsp))
}

// ask is one case: an expression, and what this package makes of it.
type ask struct {
	mode, sql    string
	eval         func(s *session) string
	expr, column string // of a case of storing
	zone         string // of a case in another time zone than UTC
}

// answer renders what an ask gives: the value, a tab, the warnings.
func (a *ask) answer() string {
	s := &session{Mode: modes[a.mode]}
	v := a.eval(s)
	return v + "\t" + strings.Join(s.warnings, "; ")
}

// asks collects the cases of all groups. Equal expressions are asked once.
type asks struct {
	list []ask
	seen map[string]bool
	rng  *rand.Rand
}

func (as *asks) add(mode, sql string, eval func(s *session) string) {
	as.addAsk(ask{mode: mode, sql: sql, eval: eval})
}

func (as *asks) addAsk(a ask) {
	key := a.mode + "\t" + a.sql
	if !as.seen[key] {
		as.seen[key] = true
		as.list = append(as.list, a)
	}
}

// pick draws one of a list.
func pick[T any](as *asks, list []T) T { return list[as.rng.IntN(len(list))] }

// recording is a set of cases and the file that holds a part of MariaDB's answers.
type recording struct {
	file  string
	every int // one of so many answers is kept
	asks  func(as *asks)
	zones []string // to be loaded
}

var recordings = []recording{
	{file: "testdata/answers.tsv", every: 10, asks: func(as *asks) {
		as.parsing()
		as.numbers()
		as.functions()
		as.intervals()
		as.formats()
		as.reading()
		as.zones()
		as.literalTexts()
		as.ofTexts()
	}},
	{file: "testdata/stores.tsv", every: 5, asks: (*asks).stores},
	{file: "testdata/zones.tsv", every: 1, asks: (*asks).namedZones, zones: zoneNames},
}

func (r *recording) list(seed uint64) []ask {
	as := &asks{seen: map[string]bool{}, rng: rand.New(rand.NewPCG(seed, 11))}
	r.asks(as)
	return as.list
}

// server is a MariaDB that answers asks on one connection.
type server struct {
	peer *peer.Server
	conn *sql.Conn
	mode string
}

func startServer(t *testing.T) *server {
	peer.RequireMariaDB(t)
	s := peer.StartMariaDB(t, peer.Options{})
	db := s.DB("")
	conn, err := db.Conn(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _, _ = conn.Close(), db.Close() })
	out := &server{peer: s, conn: conn}
	for _, q := range []string{
		"SET time_zone='+00:00', timestamp=" + nowUnix + ", character_set_results=NULL, max_error_count=64, sql_mode=''",
	} {
		out.exec(t, q)
	}
	out.exec(t, "CREATE DATABASE clear")
	out.exec(t, "CREATE TABLE clear.t (a INT)")
	out.exec(t, createColumns)
	return out
}

func (s *server) exec(t *testing.T, q string) {
	t.Helper()
	if _, err := s.conn.ExecContext(context.Background(), q); err != nil {
		t.Fatalf("%s: %v", q, err)
	}
}

func (s *server) setMode(t *testing.T, mode string) {
	if mode != s.mode {
		s.exec(t, "SET sql_mode='"+mode+"'")
		s.mode = mode
	}
}

// negativeZeros are values that no Packed is, see the package comment.
var negativeZeros = regexp.MustCompile(`^-(00:00:00(\.0+)?)$`)

// ask gives the server's answer, rendered as ask.answer does.
func (s *server) ask(t *testing.T, a *ask) string {
	t.Helper()
	if a.column != "" {
		return s.store(t, a)
	}
	s.setMode(t, a.mode)
	s.exec(t, "DELETE FROM clear.t") // a SELECT without a table leaves older warnings in place
	v := null
	var b []byte
	err := s.conn.QueryRowContext(context.Background(), "SELECT "+a.sql).Scan(&b)
	if err != nil {
		return err.Error() + "\t"
	}
	if b != nil {
		v = negativeZeros.ReplaceAllString(string(b), "$1")
	}
	return v + "\t" + s.warnings(t)
}

func (s *server) warnings(t *testing.T) string {
	rows, err := s.conn.QueryContext(context.Background(), "SHOW WARNINGS")
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	var list []string
	for rows.Next() {
		var level, message string
		var code int
		if err := rows.Scan(&level, &code, &message); err != nil {
			t.Fatal(err)
		}
		list = append(list, fmt.Sprintf("%c%d %s", level[0], code, message))
	}
	return strings.Join(list, "; ")
}

// slice: without -all each so many-th case is asked. What others showed stands in testdata.
const slice = 8

// TestServer compares cases with a running MariaDB, values and warnings.
// With -rewrite it keeps a part of the answers in testdata.
func TestServer(t *testing.T) {
	if *rewrite && *seed != recordedSeed {
		t.Fatal("answers are recorded with the default seed only")
	}
	s := startServer(t)
	for _, r := range recordings {
		loadZones(t, s, r.zones)
		list, wrong := r.list(*seed), 0
		var lines []string
		for i := range list {
			if !*all && !*rewrite && i%slice != 0 {
				continue
			}
			a := &list[i]
			want, got := s.ask(t, a), a.answer()
			if got != want {
				if wrong++; wrong <= 100 {
					t.Errorf("[%s] %s\n got %s\nwant %s", a.mode, a.sql, got, want)
				}
			}
			if i%r.every == 0 {
				lines = append(lines, a.mode+"\t"+a.sql+"\t"+want)
			}
		}
		t.Logf("%s: of %d cases %d differ", r.file, len(list), wrong)
		if *rewrite {
			slices.Sort(lines)
			if err := os.WriteFile(r.file, []byte(strings.Join(lines, "\n")+"\n"), 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// TestRecorded compares with the answers that a server gave once.
func TestRecorded(t *testing.T) {
	for _, r := range recordings {
		t.Run(r.file, func(t *testing.T) { r.compare(t) })
	}
}

func (r *recording) compare(t *testing.T) {
	f, err := os.Open(r.file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	cases := map[string]*ask{}
	list := r.list(recordedSeed)
	for i := range list {
		cases[list[i].mode+"\t"+list[i].sql] = &list[i]
	}
	lines := bufio.NewScanner(f)
	count := 0
	for lines.Scan() {
		fields := strings.SplitN(lines.Text(), "\t", 3)
		if len(fields) != 3 {
			t.Fatalf("not a recorded answer: %q", lines.Text())
		}
		a := cases[fields[0]+"\t"+fields[1]]
		if a == nil {
			t.Fatalf("recorded, but no case: %s (record again with -rewrite)", fields[1])
		}
		if got := a.answer(); got != fields[2] {
			t.Errorf("[%s] %s\n got %s\nwant %s", a.mode, a.sql, got, fields[2])
		}
		count++
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	if want := len(list) / r.every; count < want {
		t.Errorf("%d recorded answers of %d: record again with -rewrite", count, want)
	}
}
