package corpus

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
)

// walk gives the statements of one script that nothing else belongs to, as "line mode/charset: text".
func walk(script string) (list []string, p *places) {
	t, p := newTree(""), newPlaces()
	t.texts["main/a.test"] = script
	t.run("main/a.test", p, func(s Statement) {
		line := fmt.Sprintf("%d", s.Line)
		if s.Mode != "" {
			line += " " + s.Mode
		}
		if s.Charset != utf8Charset {
			line += " " + s.Charset
		}
		list = append(list, line+": "+s.Text)
	})
	return list, p
}

func TestScripts(t *testing.T) {
	for name, c := range map[string]struct {
		script string
		want   []string
	}{
		"delimiters": {
			"select 1;\nselect\n  2; select 3;\ndelimiter //;\nbegin; end//\n--delimiter ;\nselect 4;",
			[]string{"1: select 1", "2: select\n  2", "3: select 3", "5: begin; end", "7: select 4"},
		},
		"quotes": {
			"select ';', \"a;\\\";\", `;\\`;\nselect 'it''s;';select 'a\\\\';select 2;",
			[]string{"1: select ';', \"a;\\\";\", `;\\`", "2: select 'it''s;'", "2: select 'a\\\\'", "2: select 2"},
		},
		"comments": {
			"# select 0;\n-- source include/nothing.inc\nselect 1 # more;\n + 2;\n/* ; */\nselect 3;",
			[]string{"3: select 1 # more", "4: + 2", "5: /*", "5: */\nselect 3"},
		},
		"blocks": {
			"if ($x)\n{\n  select 1;\n}\nwhile (`select 1;`) {\nselect 2;\n}\nif (`select count(*) = '{'`) {\nselect 3;\n}",
			[]string{"3: select 1", "6: select 2", "9: select 3"},
		},
		"programs and files": {
			"perl;\nprint 'select 1;';\nEOF\nselect 2;\n--write_file $F END\nselect 3;\nEND\nappend_file x;\nselect '4;\nEOF\nselect 5;",
			[]string{"4: select 2", "11: select 5"},
		},
		"variables": {
			"let $x = 1;\neval select $x;\neval select \\$x, \\\"1\\\", '\\n';\nselect $y;\nevalp select 2;",
			[]string{"3: select $x, \"1\", '\\n'", "4: select $y", "5: select 2"},
		},
		"commands that send": {
			"send select 1;\nreap;\n--query_vertical select 2\nquery select 3;\n--send\nselect 4;\n--exec select 5;\necho select 6;",
			[]string{"1: select 1", "3: select 2", "4: select 3", "6: select 4"},
		},
		"not parsed": {
			"select 1;\n--disable_parsing\nselect 2 'x';\n--enable_parsing\nselect 3;\nexit;\nselect 4;",
			[]string{"1: select 1", "5: select 3"},
		},
		"modes": {
			"set sql_mode='ansi';\nselect \"a\\\";\nset sql_mode=default;select \"b\\\";\";\nSET @a=1, SESSION sql_mode = concat(@@sql_mode, ',no_backslash_escapes');\nselect '\\';",
			[]string{
				"1: set sql_mode='ansi'", "2 ANSI_QUOTES,IGNORE_SPACE,PIPES_AS_CONCAT: select \"a\\\"",
				"3 ANSI_QUOTES,IGNORE_SPACE,PIPES_AS_CONCAT: set sql_mode=default", "3: select \"b\\\";\"",
				"4: SET @a=1, SESSION sql_mode = concat(@@sql_mode, ',no_backslash_escapes')", "5 NO_BACKSLASH_ESCAPES: select '\\'",
			},
		},
		"saved modes": {
			"set @old=@@sql_mode, @@session.sql_mode=PIPES_AS_CONCAT;\nselect 1;\nset sql_mode=@old;\nselect 2;\nselect @@sql_mode into @b; set sql_mode=4; select 3; set sql_mode=@b; select 4;",
			[]string{
				"1: set @old=@@sql_mode, @@session.sql_mode=PIPES_AS_CONCAT", "2 PIPES_AS_CONCAT: select 1", "3 PIPES_AS_CONCAT: set sql_mode=@old", "4: select 2",
				"5: select @@sql_mode into @b", "5: set sql_mode=4", "5 ANSI_QUOTES: select 3", "5 ANSI_QUOTES: set sql_mode=@b", "5: select 4",
			},
		},
		"modes of connections": {
			"connect (c1,localhost,root,,);\nset sql_mode='ansi_quotes';select 1;\nconnection default;\nselect 2;\nset global sql_mode='oracle';\nconnection c1; select 3;\nconnect c2,localhost,root;\nselect 4;",
			[]string{
				"2: set sql_mode='ansi_quotes'", "2 ANSI_QUOTES: select 1", "4: select 2", "5: set global sql_mode='oracle'", "6 ANSI_QUOTES: select 3",
				"8 ANSI_QUOTES,IGNORE_SPACE,ORACLE,PIPES_AS_CONCAT: select 4",
			},
		},
		"a mode that failed": {
			"--error ER_WRONG_VALUE_FOR_VAR\nset sql_mode='ansi,nosuch';\nselect 1;",
			[]string{"2: set sql_mode='ansi,nosuch'", "3: select 1"},
		},
		"a mode that is computed": {
			"set sql_mode=(select m from t);\nselect 1;\nset sql_mode='';\nselect 2;",
			[]string{"1: set sql_mode=(select m from t)", "4: select 2"},
		},
		"character sets": {
			"--character_set sjis\nset names sjis;\nselect '\x83\x5c';\nselect 1;\nset names utf8;select 'ä';\nset names latin2; select 'ä';",
			[]string{"2: set names sjis", "3 sjis: select '\x83\x5c'", "4: select 1", "5: set names utf8", "5: select 'ä'", "6: set names latin2", "6 latin2: select 'ä'"},
		},
		"texts in texts": {
			"prepare s from 'select \\'a\\',\\n1';\nexecute immediate \"select 'it''s'\" ;\nprepare s from @x;execute s using 'x';PREPARE s FROM concat('a');\nset sql_mode=ansi_quotes;execute immediate \"a\";",
			[]string{
				"1: select 'a',\n1", "1: prepare s from 'select \\'a\\',\\n1'", "2: select 'it''s'", "2: execute immediate \"select 'it''s'\"",
				"3: prepare s from @x", "3: execute s using 'x'", "3: PREPARE s FROM concat('a')", "4: set sql_mode=ansi_quotes", "4 ANSI_QUOTES: execute immediate \"a\"",
			},
		},
		"lines": {"select\r\n1;\r\n\r\n  select 2;\n", []string{"1: select\n1", "4: select 2"}},
		"a brace in a statement": {"select {d '2001-01-01'};\ndelimiter |;\nif 1 then select 1; end if|\n/**/ if 1 then select 2; end if|", []string{
			"1: select {d '2001-01-01'}", "4: /**/ if 1 then select 2; end if",
		}},
	} {
		t.Run(name, func(t *testing.T) {
			if got, _ := walk(c.script); !slices.Equal(got, c.want) {
				t.Errorf("got\n%s\nwanted\n%s", strings.Join(got, "\n"), strings.Join(c.want, "\n"))
			}
		})
	}
}

// TestCounts looks at what is left out.
func TestCounts(t *testing.T) {
	_, p := walk("eval select $x;\nset sql_mode=(select m from t);\nselect 1;\nset sql_mode='';\nselect 2;")
	at := func(lines ...int) map[place]bool {
		m := map[place]bool{}
		for _, line := range lines {
			m[place{"main/a.test", line}] = true
		}
		return m
	}
	if !maps.Equal(p.texts, at(2, 5)) || !maps.Equal(p.variables, at(1)) || !maps.Equal(p.lost, at(3, 4)) {
		t.Errorf("%+v", p)
	}
}

// TestExpectedErrors looks at which statement the errors of a script belong to.
func TestExpectedErrors(t *testing.T) {
	tree := newTree("")
	tree.texts["a.test"] = "--error ER_PARSE_ERROR,1146 # why\n--replace_result a b\nselec 1;\nselect 2;\nerror 0, 1064;\nselect 3;"
	var got []string
	tree.run("a.test", newPlaces(), func(s Statement) { got = append(got, s.Text+" "+strings.Join(s.Errors, "|")) })
	if want := []string{"selec 1 ER_PARSE_ERROR|1146", "select 2 ", "select 3 0|1064"}; !slices.Equal(got, want) {
		t.Errorf("got %q, wanted %q", got, want)
	}
}

// TestIncludes looks at what an included script does to the one that includes it, and at one that is included again.
func TestIncludes(t *testing.T) {
	tree := newTree("")
	tree.texts["suite/s/t/a.test"] = "--source include/one.inc\nselect 1;\nsource two.inc;\nselect 'a\\';\nset sql_mode='';\n--source include/one.inc\nselect 2;\n"
	tree.texts["suite/s/t/b.test"] = "--source include/one.inc\nselect 3;\nset sql_mode='ansi_quotes';\n--source include/one.inc\n"
	tree.texts["include/one.inc"] = "select \"one\";"
	tree.texts["suite/s/t/two.inc"] = "set sql_mode='no_backslash_escapes';\n--source include/one.inc\n--source suite/s/t/two.inc\n"
	var got []string
	for _, file := range []string{"suite/s/t/a.test", "suite/s/t/b.test"} {
		tree.run(file, newPlaces(), func(s Statement) { got = append(got, s.File+" "+s.Mode+": "+s.Text) })
	}
	slices.Sort(got)
	want := []string{
		"include/one.inc : select \"one\"", "include/one.inc ANSI_QUOTES: select \"one\"", "include/one.inc NO_BACKSLASH_ESCAPES: select \"one\"",
		"suite/s/t/a.test : select 1", "suite/s/t/a.test : select 2", "suite/s/t/a.test NO_BACKSLASH_ESCAPES: select 'a\\'", "suite/s/t/a.test NO_BACKSLASH_ESCAPES: set sql_mode=''",
		"suite/s/t/b.test : select 3", "suite/s/t/b.test : set sql_mode='ansi_quotes'",
		"suite/s/t/two.inc : set sql_mode='no_backslash_escapes'", "suite/s/t/two.inc NO_BACKSLASH_ESCAPES: set sql_mode='no_backslash_escapes'",
	}
	if got = slices.Compact(got); !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwanted\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// FuzzScript walks through any script: it ends, every text is a part of it, and lines only grow.
func FuzzScript(f *testing.F) {
	f.Add("set sql_mode='ansi';delimiter //;\nselect \"a\\\"//\n--perl END\nx\nEND\nif (1) {\n}\nconnect (a,b);\nset names sjis;eval select \\$a//")
	f.Add("--error 1\nwrite_file x;\n--character_set gbk\nselect '\x81\x5c';")
	f.Fuzz(func(t *testing.T, script string) {
		r := newReader(script)
		line := 1
		for {
			text, at, ok := r.next()
			if at < line || !strings.Contains(r.text, text) {
				t.Fatalf("%q at line %d, behind line %d", text, at, line)
			}
			if line = at; !ok {
				break
			}
		}
		list, _ := walk(script)
		if len(list) > len(script) {
			t.Fatalf("%d statements in %d bytes", len(list), len(script))
		}
	})
}
