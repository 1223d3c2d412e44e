package corpus

import "testing"

// TestChoices looks at which statements are run by a server.
func TestChoices(t *testing.T) {
	for text, want := range map[string]bool{
		"CREATE TABLE t (a INT)": true, "create or replace sequence `s` start 3": true, "CREATE TABLE IF NOT EXISTS t1(a INT) ENGINE=Aria": true,
		"CREATE TABLE test.t1 (a INT)": false, "CREATE TABLE `a`.b (a INT)": false, "CREATE TABLE `a.b` (a INT)": false, "CREATE TEMPORARY TABLE t (a INT)": false,
		"CREATE TABLE t . u (a INT)": false, "CREATE TABLE t (a INT) DATA DIRECTORY='/tmp'": false, "CREATE TABLE t SELECT * FROM u": false,
		"CREATE TABLE t LIKE u": false, "CREATE TABLE t (a INT DEFAULT (@x))": false, "DROP TABLE t": false,
	} {
		if got := makesTable.MatchString(text) && !outside.MatchString(text); got != want {
			t.Errorf("%s is run: %v", text, got)
		}
	}
	for text, want := range map[string]bool{
		"SELECT 1 + 2": true, "select concat('a', 'b')": true, "SELECT 1 FROM t": false, "SELECT SLEEP(1)": false, "SELECT @a := 1": false, "SELECT 1 INTO OUTFILE 'x'": false,
		"DO 1": false, "SELECT NOW()": false, "SELECT NEXT VALUE FOR s": false, "SELECT GET_LOCK('a', 1)": false, "SELECT rand(1)": false, "SELECT 'rand'": false, "SELECT brand": true,
	} {
		if got := computable(text); got != want {
			t.Errorf("%s is computed: %v", text, got)
		}
	}
}

// TestLostWords looks for words that are missing in what was printed.
func TestLostWords(t *testing.T) {
	f := Judge([]Judged{
		{Statement: Statement{Text: "SELECT SQL_CACHE 'a', `B` /* c */ FROM t AS u -- d"}}, {Statement: Statement{Text: "SELECT t AS u"}},
	}, func(sql, _, _ string) (any, string, error) {
		if sql == "SELECT t AS u" {
			return nil, "select T U", nil
		}
		return nil, "SELECT \"A\", b FROM `t` u", nil
	})
	list := f.LostWords()
	if len(list) != 2 || list[0].Word != "AS" || list[0].Count != 2 || list[0].Example.Text != "SELECT t AS u" || list[1].Word != "SQL_CACHE" || list[1].Count != 1 {
		t.Errorf("%+v", list)
	}
}

// TestTables has a server make tables of what a parser prints that forgets something.
func TestTables(t *testing.T) {
	server := maria(t)
	var list []Judged
	for _, text := range []string{"CREATE TABLE t (a INT COMMENT 'x', b INT)", "CREATE TABLE u (a INT)", "CREATE TABLE v (a INT, a INT)", "CREATE SEQUENCE s START 5"} {
		list = append(list, Judged{Statement: Statement{Text: text, Charset: utf8Charset}})
	}
	f := Judge(list, func(sql, _, _ string) (any, string, error) {
		if sql == list[0].Text {
			return nil, "CREATE TABLE t (a INT, b INT)", nil
		}
		return nil, sql, nil
	})
	n, err := f.CheckTables(server, 10)
	if err != nil || n != 4 {
		t.Fatal(n, err)
	}
	if f.Count(Redefined) != 1 || f.Differences[len(f.Differences)-1].Text != list[0].Text {
		t.Errorf("%+v", f.Differences)
	}
}

// TestValues has a server compute queries whose tree has other parentheses, and such that are printed as something else.
func TestValues(t *testing.T) {
	server := maria(t)
	var list []Judged
	for _, text := range []string{"SELECT 1-2-3", "SELECT 2+2*2", "SELECT 1", "SELECT SLEEP(100)"} {
		list = append(list, Judged{Statement: Statement{Text: text, Charset: utf8Charset}})
	}
	f := Judge(list, func(sql, _, _ string) (any, string, error) {
		switch sql {
		case "SELECT 1-2-3": // as if - were taken from the right
			return &Binary{Span{7, 12}, "-", leaf(7, 8), &Binary{Span{9, 12}, "-", leaf(9, 10), leaf(11, 12)}}, sql, nil
		case "SELECT 2+2*2":
			return &Binary{Span{7, 12}, "+", leaf(7, 8), &Binary{Span{9, 12}, "*", leaf(9, 10), leaf(11, 12)}}, sql, nil
		}
		return nil, "SELECT 2", nil
	})
	n, inParentheses, err := f.CheckValues(server)
	if err != nil || n != 3 || inParentheses != 2 {
		t.Fatal(n, inParentheses, err)
	}
	if f.Count(Bound) != 1 || f.Count(Miscounted) != 1 {
		t.Errorf("%+v", f.Differences)
	}
	if err := f.CheckPrinted(server); err != nil {
		t.Fatal(err)
	}
	if f.Count(Refuted) != 0 { // the types are the same
		t.Errorf("%+v", f.Differences)
	}
}
