package corpus

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/duramendb/duramen/test/peer"
)

var (
	verdictsFile = flag.String("corpus.verdicts", "", "judge by the verdicts in this file instead of asking a server; without -corpus.server nothing is started")
	saveFile     = flag.String("corpus.save", "", "write all verdicts into this file (in a scratch directory: it has MariaDB's statements in it)")
	serverAddr   = flag.String("corpus.server", "", "address of a running MariaDB with an empty database named test and root without a password, instead of one that the test starts")
)

var (
	mutants     = flag.Int("corpus.mutants", 0, "judge so many statements that were spoiled instead of the statements themselves")
	expressions = flag.Int("corpus.expressions", 0, "judge so many drawn expressions instead of statements; they are computed as well")
	seed        = flag.Uint64("corpus.seed", 1, "which ones")
)

// sliceOf is how many statements there are for each that is looked at unless DURAMEN_TEST_SCALE is full.
const sliceOf = 5

// maria is a real server with an empty database.
func maria(t *testing.T) *Server {
	t.Helper()
	addr := *serverAddr
	if addr == "" {
		// Its tables are to be made quickly, and need not outlive it.
		s := peer.StartMariaDB(t, peer.Options{Args: []string{"--innodb-flush-log-at-trx-commit=0", "--innodb-file-per-table=0"}})
		db := s.DB("")
		defer db.Close()
		peer.Exec(t, db, "CREATE DATABASE test")
		addr = s.Socket
	}
	return &Server{Addr: addr, Database: "test", Connections: 2}
}

// statements are those of MariaDB's tests.
func statements(t *testing.T) []Statement {
	t.Helper()
	dir, err := Dir()
	if err != nil {
		t.Skip("the corpus was not looked at: ", err)
	}
	list, counts, err := Load(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d different statements of %+v", len(list), counts)
	if counts.Scripts < 8000 || len(list) < 150000 {
		t.Errorf("release 10.11 has 9,000 scripts and 200,000 statements")
	}
	return list
}

// corpus is what the server says of the statements, and the server.
type corpus struct {
	*Server // nil if only recorded verdicts are looked at
	list    []Judged
}

// judged has the server judge the statements; a slice of them unless everything is asked for.
func judged(t *testing.T) corpus {
	t.Helper()
	var c corpus
	if *verdictsFile == "" || *serverAddr != "" {
		c.Server = maria(t)
	}
	var err error
	switch {
	case *expressions > 0:
		c.list, err = c.Judge(Expressions(*expressions, *seed))
	case *verdictsFile != "":
		c.list, err = restore(*verdictsFile)
	default:
		all := statements(t)
		if !peer.Full() && *saveFile == "" {
			all = Slice(all, sliceOf)
		}
		c.list, err = c.Judge(all)
	}
	if err == nil && *mutants > 0 {
		c.list, err = c.Judge(Mutants(c.list, *mutants, *seed))
	}
	if err == nil && *saveFile != "" {
		err = save(*saveFile, c.list)
	}
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func restore(name string) ([]Judged, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return Restore(f)
}

func save(name string, list []Judged) error {
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	return errors.Join(Save(f, list), f.Close())
}

// TestVerdicts asks a real server for texts whose verdicts are known from its manual.
func TestVerdicts(t *testing.T) {
	cases := []struct {
		text   string
		mode   string
		kind   Kind
		number uint16
		place  Place
	}{
		{text: "SELECT 1"},
		{text: "SELECT 1;"},
		{text: "SELECT * FROM t -- and more", number: 1146},
		{text: "SELECT ?, ? + 1"},
		{text: "PREPARE s FROM 'x'", number: 1295},
		{text: "BEGIN NOT ATOMIC DECLARE x INT; SELECT x; END"},
		{text: "CREATE PROCEDURE p() BEGIN SELECT 1; SELECT 2; END"},
		{text: "SELECT no_such_function(1)", number: 1305},
		{text: "SELECT \"a\" 'b'"},
		{text: "SELECT \"a\" 'b'", mode: "ANSI_QUOTES", number: 1054},
		{text: "SELEC 1", kind: Refused, number: 1064, place: Place{"", "SELEC 1", 1}},
		{text: "SELECT 1,\n\n  FROM t", kind: Refused, number: 1064, place: Place{"", "FROM t", 3}},
		{text: "SELECT 1 +", kind: Refused, number: 1064, place: Place{"", "", 1}},
		{text: "CREATE PROCEDURE p() BEGIN SELECT 1; SELEC 2; END", kind: Refused, number: 1064, place: Place{"", "2; END", 1}}, // SELEC: a label?
		{text: "SELECT 'it''s', FROM", kind: Refused, number: 1064, place: Place{"", "FROM", 1}},
		{
			text: "CREATE TABLE t (a INT) PARTITION BY KEY (a) PARTITIONS 3\n(PARTITION x, PARTITION y)", kind: Refused, number: 1064,
			place: Place{"Wrong number of partitions defined, mismatch with previous setting", ")", 2},
		},
		{text: "SET NAMES nosuch", kind: Stopped, number: 1115},
		{text: "CREATE PROCEDURE p() SELECT 1 INTO nosuch", kind: Stopped, number: 1327},
		{text: "/* nothing */"},
		{text: " ", kind: Stopped, number: 1065},
	}
	var list []Statement
	for _, c := range cases {
		list = append(list, Statement{Text: c.text, Mode: c.mode, Charset: utf8Charset})
	}
	got, err := maria(t).Judge(list)
	if err != nil {
		t.Fatal(err)
	}
	if len(got) != len(cases) {
		t.Fatalf("%d verdicts on %d statements", len(got), len(cases))
	}
	for i, c := range cases {
		place, _ := placeOf(got[i].Message)
		if got[i].Text != c.text || got[i].Kind != c.kind || got[i].Number != c.number || c.kind == Refused && place != c.place {
			t.Errorf("%s %s: %+v, wanted %v %d %+v", c.text, c.mode, got[i], c.kind, c.number, c.place)
		}
	}
	if a, b := got[0].Outcome(), got[3].Outcome(); a == b || !strings.HasPrefix(b, "2? ") {
		t.Errorf("columns and parameters: %s; %s", a, b)
	}
}

// TestSeveralStatements has a server take texts of several statements apart.
func TestSeveralStatements(t *testing.T) {
	text := "SELECT 1; /* and */\nSELECT ';' ;BEGIN NOT ATOMIC SELECT 2; END; SELEC 3; SELECT 4"
	list, err := maria(t).Judge([]Statement{{Text: text, Charset: utf8Charset, Line: 7}, {Text: "BEGIN NOT ATOMIC SELECT 1; SELEC 2; END", Charset: utf8Charset}})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, j := range list {
		got = append(got, j.Kind.String()+": "+j.Text)
	}
	slices.Sort(got)
	if want := []string{
		"accepted: BEGIN NOT ATOMIC SELECT 2; END",
		"accepted: SELECT ';' ",
		"accepted: SELECT 1",
		"refused: BEGIN NOT ATOMIC SELECT 1; SELEC 2; END",
		"refused: SELEC 3; SELECT 4",
	}; !slices.Equal(got, want) {
		t.Errorf("got %q", got)
	}
}

// TestModes compares what names and numbers of sql_mode stand for with a real server.
func TestModes(t *testing.T) {
	p, err := connect(maria(t).Addr, "")
	if err != nil {
		t.Fatal(err)
	}
	defer p.close()
	of := func(value string) modes {
		if _, err := p.conn.Execute("SET sql_mode = " + value); err != nil {
			t.Fatal(value, err)
		}
		r, err := p.conn.Execute("SELECT @@sql_mode")
		if err != nil {
			t.Fatal(err)
		}
		set, err := r.GetString(0, 0)
		if err != nil {
			t.Fatal(err)
		}
		var m modes
		for name := range strings.SplitSeq(set, ",") {
			if i := slices.Index(modeNames, name); i >= 0 {
				m |= 1 << i
			}
		}
		return m
	}
	for name, want := range modesOf {
		if got := of("'" + name + "'"); got != want {
			t.Errorf("%s is %v, wanted %v", name, want, got)
		}
		if got := of("'" + want.String() + "'"); got != want {
			t.Errorf("%v is set as %v", want, got)
		}
	}
	for _, name := range []string{"TRADITIONAL", "STRICT_ALL_TABLES", "REAL_AS_FLOAT", "EMPTY_STRING_IS_NULL"} {
		if got := of("'" + name + "'"); got != 0 || parseModes(name) != 0 {
			t.Errorf("%s is %v, wanted %v", name, parseModes(name), got)
		}
	}
	for bit := range 32 {
		value := strconv.FormatUint(1<<bit, 10)
		if got := of(value); got != parseModes(value) {
			t.Errorf("%s is %v, wanted %v", value, parseModes(value), got)
		}
	}
}

// looks are what is looked at in the whole corpus, which takes a while to be judged.
var looks = map[string]func(*testing.T, corpus){"Expectations": expectations}

func TestCorpus(t *testing.T) {
	c := judged(t)
	for name, look := range looks {
		t.Run(name, func(t *testing.T) { look(t, c) })
	}
}

// expectations compares the server's verdicts with what the tests themselves expect: a script that is taken apart wrongly, or read under
// another sql_mode than it runs in, gives syntax errors where none are expected. Some are left: tests of mysqltest itself, and of plugins
// that bring statements, which a server without them refuses. And a test may expect the 1064 of a text inside a text, or of running a
// statement.
func expectations(t *testing.T, c corpus) {
	if *mutants > 0 || *expressions > 0 {
		t.Skip("no test expects anything of these")
	}
	var asExpected int
	var unexpected, missed []string
	for _, j := range c.list {
		expects := slices.ContainsFunc(j.Errors, func(e string) bool { return e == "ER_PARSE_ERROR" || e == "1064" || e == "42000" })
		line := fmt.Sprintf("%s:%d: %s: %d %s", j.File, j.Line, abbreviate(j.Text, 200), j.Number, j.Message)
		switch {
		case expects && j.Kind == Refused:
			asExpected++
		case expects && len(j.Errors) == 1:
			missed = append(missed, line)
		case !expects && j.Kind == Refused:
			unexpected = append(unexpected, line)
		}
	}
	t.Logf("%d syntax errors as expected, %d not expected, %d missed", asExpected, len(unexpected), len(missed))
	if len(unexpected)*1000 > len(c.list) {
		t.Errorf("more than one statement in a thousand is a syntax error where the test expects none:\n%s", strings.Join(unexpected, "\n"))
	}
	if len(missed)*10 > asExpected {
		t.Errorf("of ten syntax errors that a test expects, the server does not give one:\n%s", strings.Join(missed, "\n"))
	}
}
