package filter

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Name is a table.
type Name struct{ DB, Table string }

// Filter is compiled rules. It is immutable and safe for concurrent use. A nil Filter takes everything.
type Filter struct {
	rules           Rules
	do, ignore      map[string]bool // folded names
	wildDo, wildNot []pattern
}

// Compile makes a filter of rules, which may not be changed afterwards; nil of none. The error is a *RuleError.
func Compile(r Rules) (*Filter, error) {
	f := &Filter{rules: r, do: map[string]bool{}, ignore: map[string]bool{}}
	for _, list := range []struct {
		rules    []string
		set      map[string]bool
		patterns *[]pattern
	}{{r.DoTable, f.do, nil}, {r.IgnoreTable, f.ignore, nil}, {r.WildDoTable, nil, &f.wildDo}, {r.WildIgnoreTable, nil, &f.wildNot}} {
		for _, rule := range list.rules {
			if err := checkTable(rule); err != nil {
				return nil, err
			}
			if list.set != nil {
				list.set[fold(rule)] = true
			} else {
				*list.patterns = append(*list.patterns, compilePattern(rule))
			}
		}
	}
	if len(r.DoDB)+len(r.IgnoreDB)+len(r.RewriteDB) == 0 && !f.aboutTables() {
		return nil, nil
	}
	return f, nil
}

// Rewritten is the name here of a database of the primary. All other methods take names that were rewritten.
func (f *Filter) Rewritten(db string) string {
	if f != nil {
		for _, r := range f.rules.RewriteDB {
			if r.From == db {
				return r.To
			}
		}
	}
	return db
}

// Statement reports whether the rules about databases take a statement with that default database, "" for none: do_db never has that one. The tables that it changes are another question:
// Tables. It is not to be asked for statements that begin and end transactions, nor for those of DatabaseStatement.
func (f *Filter) Statement(defaultDB string) bool {
	return f == nil || f.database(defaultDB)
}

// database asks the rules about databases: those of what to ignore only if there are none of what to take.
func (f *Filter) database(db string) bool {
	if len(f.rules.DoDB) > 0 {
		return slices.Contains(f.rules.DoDB, db)
	}
	return !slices.Contains(f.rules.IgnoreDB, db)
}

// DatabaseStatement reports whether CREATE, DROP or ALTER DATABASE of that database is taken.
func (f *Filter) DatabaseStatement(db string) bool {
	if f == nil {
		return true
	}
	if !f.database(db) {
		return false
	}
	name := fold(db + ".")
	switch {
	case matches(f.wildDo, name):
		return true
	case matches(f.wildNot, name):
		return false
	}
	return len(f.wildDo) == 0
}

// Rows reports whether rows of a table are taken.
func (f *Filter) Rows(db, table string) bool {
	if f == nil {
		return true
	}
	return f.database(db) && f.Tables([]Name{{db, table}})
}

// Tables reports whether the rules about tables take a statement that names tables, of which it changes these, in their order in the statement. (A statement that
// names tables and changes none of them is not taken, as in MariaDB, if there is any rule about tables.)
func (f *Filter) Tables(updated []Name) bool {
	if f == nil || !f.aboutTables() {
		return true
	}
	for _, n := range updated {
		name := fold(n.DB + "." + n.Table)
		switch {
		case f.do[name]:
			return true
		case f.ignore[name]:
			return false
		case matches(f.wildDo, name):
			return true
		case matches(f.wildNot, name):
			return false
		}
	}
	return len(updated) > 0 && len(f.do)+len(f.wildDo) == 0
}

func (f *Filter) aboutTables() bool { return len(f.do)+len(f.ignore)+len(f.wildDo)+len(f.wildNot) > 0 }

// fold makes names the same that differ in the case of letters only.
func fold(name string) string { return strings.Map(foldRune, name) }

// foldRune is the least of the letters that differ from r in case only.
func foldRune(r rune) rune {
	if r < utf8.RuneSelf {
		if r >= 'a' && r <= 'z' {
			r -= 'a' - 'A'
		}
		return r
	}
	least := r
	for o := unicode.SimpleFold(r); o != r; o = unicode.SimpleFold(o) {
		least = min(least, o)
	}
	return least
}

// pattern is a name with wildcards, folded.
type pattern []patternRune

// patternRune is a character of a pattern: itself, any one, or any text.
type patternRune struct {
	literal  rune
	wildcard byte // '_', '%', or 0
}

func compilePattern(rule string) pattern {
	var p pattern
	runes := []rune(rule)
	for i := 0; i < len(runes); i++ {
		switch r := runes[i]; {
		case r == '%' || r == '_':
			p = append(p, patternRune{wildcard: byte(r)})
		case r == '\\' && i+1 < len(runes):
			i++
			p = append(p, patternRune{literal: foldRune(runes[i])})
		default:
			p = append(p, patternRune{literal: foldRune(r)})
		}
	}
	return p
}

func matches(patterns []pattern, folded string) bool {
	for _, p := range patterns {
		if p.match([]rune(folded)) {
			return true
		}
	}
	return false
}

// match compares a folded name. Where it does not go on, the last % takes one character more, so it is done after at most len(p)*len(name) steps.
func (p pattern) match(name []rune) bool {
	at, i := 0, 0          // in the pattern, in the name
	after, retry := -1, -1 // the last %: what follows it, and up to where of the name it stands for
	for i < len(name) {
		switch {
		case at < len(p) && p[at].wildcard == '%':
			at++
			after, retry = at, i
		case at < len(p) && (p[at].wildcard == '_' || p[at].wildcard == 0 && p[at].literal == name[i]):
			at++
			i++
		case after >= 0:
			retry++
			at, i = after, retry
		default:
			return false
		}
	}
	for at < len(p) && p[at].wildcard == '%' {
		at++
	}
	return at == len(p)
}
