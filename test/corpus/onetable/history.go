package main

import (
	"regexp"
	"strings"

	"github.com/duramendb/duramen/query/dialect/facts"
	"github.com/duramendb/duramen/query/dialect/tree"
)

// history is what the statements of a file have left so far. Names have the letters of the lower case: of tables and views as they are,
// of others behind a sign that says what they name.
type history struct {
	views map[string]bool
	// bodies are, by name of a routine or prepared statement, what running it may change or call.
	bodies map[string][]string
	// texts are the words of what user variables were set to.
	texts map[string][]string
	// sources are what variables got their values from.
	sources map[string][]string
	// differs are the things that are not in both servers what they should be, since a statement that made or changed them had another answer.
	differs map[string]bool
	// last are the connections whose last statement had another answer, and inserted those whose last INSERT had.
	last, inserted map[int]bool
}

func newHistory() *history {
	return &history{views: map[string]bool{}, bodies: map[string][]string{}, texts: map[string][]string{}, sources: map[string][]string{}, differs: map[string]bool{}, last: map[int]bool{}, inserted: map[int]bool{}}
}

// The signs of names. Names of tables have none.
const (
	routineSign  = "()"
	preparedSign = "?"
	variableSign = "@"
	systemSign   = "@@"
	databaseSign = "."
)

func key(n *tree.TableName) string { return strings.ToLower(n.Name.Text) }

// mentions are the things that a statement reads, and those that it changes.
type mentions struct {
	reads, changes []string
	// makes are those of changes that are what the statement makes them, whatever they were.
	makes []string
}

func (m *mentions) read(name string)   { m.reads = append(m.reads, name) }
func (m *mentions) change(name string) { m.changes = append(m.changes, name) }
func (m *mentions) makeAnew(name string) {
	m.change(name)
	m.makes = append(m.makes, name)
}

// of are the mentions of a statement.
func (h *history) of(n tree.Statement) *mentions {
	m := &mentions{}
	f := new(facts.Rows).Of(n)
	for _, t := range f.Tables {
		name := key(t.Name)
		switch {
		case t.Use == facts.Created, t.Use == facts.Dropped:
			m.makeAnew(name)
		case t.Use >= facts.Written:
			m.change(name)
			m.read(name)
		default:
			m.read(name)
		}
	}
	h.words(m, n)
	switch n := n.(type) {
	case *tree.Truncate:
		m.makes = append(m.makes, key(n.Table))
	case *tree.Delete:
		if n.Where == nil && n.Limit == nil && len(f.Tables) == 1 {
			m.makes = append(m.makes, key(f.Tables[0].Name))
		}
	case *tree.CreateRoutine:
		name := key(n.Name) + routineSign
		m.makeAnew(name)
		h.bodies[name] = within(n)
	case *tree.CreateTrigger:
		m.changes = append(m.changes, within(n)...)
		name := key(n.Table)
		h.bodies[name] = append(h.bodies[name], within(n)...) // who writes to the table
	case *tree.Event:
		m.changes = append(m.changes, within(n)...)
	case *tree.Block, *tree.If, *tree.Case, *tree.Loop, *tree.For:
		m.changes = append(m.changes, within(n)...)
	case *tree.Drop:
		h.drop(m, n)
	case *tree.Prepare:
		name := strings.ToLower(n.Name.Text) + preparedSign
		m.makeAnew(name)
		h.bodies[name] = h.inText(n.Text)
	case *tree.ExecuteImmediate:
		m.changes = append(m.changes, h.inText(n.Text)...)
		m.changes = append(m.changes, within(n)...) // USING may get values
	case *tree.Execute:
		h.run(m, strings.ToLower(n.Name.Text)+preparedSign)
		m.changes = append(m.changes, within(n)...)
	case *tree.CallRoutine:
		h.run(m, strings.ToLower(n.Name.Text)+routineSign)
		m.changes = append(m.changes, within(n)...)
	case *tree.Set:
		for _, item := range n.Items {
			if v, ok := item.(*tree.SetUserVariable); ok {
				h.texts[strings.ToLower(v.Name)] = h.inText(v.Value)
			}
		}
	case *tree.Use:
		m.read(strings.ToLower(n.DB.Text) + databaseSign)
	case *tree.CreateDatabase:
		m.makeAnew(strings.ToLower(n.Name.Text) + databaseSign)
	}
	for _, c := range f.Functions {
		h.run(m, strings.ToLower(c.Name.Text)+routineSign)
	}
	for _, t := range f.Tables {
		if t.Use == facts.Written {
			m.changes = append(m.changes, h.bodies[key(t.Name)]...) // what triggers change, and the tables of a view
		}
	}
	return m
}

// run adds what a routine, or a prepared statement, may change.
func (h *history) run(m *mentions, name string) {
	m.read(name)
	done := map[string]bool{}
	var add func(string)
	add = func(name string) {
		if !done[name] {
			done[name] = true
			for _, x := range h.bodies[name] {
				m.change(x)
				add(x)
			}
		}
	}
	add(name)
}

func (h *history) drop(m *mentions, n *tree.Drop) {
	for _, name := range n.Names {
		switch n.What {
		case "PROCEDURE", "FUNCTION":
			m.makeAnew(key(name) + routineSign)
		case "DATABASE":
			m.makeAnew(key(name) + databaseSign)
		}
	}
}

// words adds the variables of a statement.
func (h *history) words(m *mentions, n tree.Statement) {
	assigns := false
	if s, ok := n.(*tree.Select); ok {
		assigns = s.Into != nil
	}
	tree.Walk(n, func(n tree.Node) bool {
		switch n := n.(type) {
		case *tree.UserVariable:
			name := variableSign + strings.ToLower(n.Name)
			m.read(name)
			if assigns {
				m.change(name)
			}
		case *tree.SystemVariable:
			m.read(systemSign + strings.ToLower(n.Name.Text))
		case *tree.SetVariable:
			m.makeAnew(systemSign + strings.ToLower(n.Name.Text))
		case *tree.AssignVariable:
			m.change(variableSign + strings.ToLower(n.Name))
		case *tree.SetUserVariable:
			m.makeAnew(variableSign + strings.ToLower(n.Name))
		}
		return true
	})
}

// within are the tables, variables and routines that the statements of a program name.
func within(n tree.Node) (names []string) {
	tree.Walk(n, func(n tree.Node) bool {
		switch n := n.(type) {
		case *tree.TableName:
			names = append(names, key(n))
		case *tree.UserVariable:
			names = append(names, variableSign+strings.ToLower(n.Name))
		case *tree.AssignVariable:
			names = append(names, variableSign+strings.ToLower(n.Name))
		case *tree.SetUserVariable:
			names = append(names, variableSign+strings.ToLower(n.Name))
		case *tree.CallRoutine:
			names = append(names, strings.ToLower(n.Name.Text)+routineSign)
		case *tree.Call:
			names = append(names, strings.ToLower(n.Name.Text)+routineSign)
		}
		return true
	})
	return names
}

// inText are the words of a text that is run as a statement, or may be: those of all literals that it is put together from.
func (h *history) inText(x tree.Expr) (names []string) {
	tree.Walk(x, func(n tree.Node) bool {
		switch n := n.(type) {
		case *tree.TextLit:
			names = append(names, wordsOf(n.Value)...)
		case *tree.UserVariable:
			names = append(names, h.texts[strings.ToLower(n.Name)]...)
		}
		return true
	})
	return names
}

// wordsOf are the words of a text as names of all that they may name.
func wordsOf(text string) (names []string) {
	for _, w := range word.FindAllString(text, -1) {
		w = strings.ToLower(w)
		names = append(names, w)
		if w[0] != '@' {
			names = append(names, w+routineSign)
		}
	}
	return names
}

// before are functions that tell of the statement before, or of the last INSERT.
var (
	before       = regexp.MustCompile(`(?i)\b(row_count|found_rows)\s*\(|@@(warning_count|error_count)\b`)
	lastInserted = regexp.MustCompile(`(?i)\blast_insert_id\s*\(\s*\)|@@(last_insert_id|identity)\b`)
)

// follows reports whether the answer to a statement may differ because an earlier one's did, and notes what that leaves.
func (h *history) follows(s *statement, n tree.Statement) (consequence bool) {
	same := s.Class == "same"
	if before.MatchString(s.SQL) && h.last[s.Connection] || lastInserted.MatchString(s.SQL) && h.inserted[s.Connection] {
		consequence = true
	}
	h.last[s.Connection] = !same
	if n == nil {
		return h.unread(s.SQL, same) || consequence
	}
	if _, ok := n.(*tree.Insert); ok {
		h.inserted[s.Connection] = !same
	}
	m := h.of(n)
	names := m.reads
	if _, ok := n.(*tree.Set); !ok { // whatever a variable was
		names = append(names, m.changes...)
	}
	for _, name := range names {
		consequence = consequence || h.differs[name]
	}
	h.note(s, n, m, same, consequence)
	return consequence
}

// note keeps what a statement has left.
func (h *history) note(s *statement, n tree.Statement, m *mentions, same, consequence bool) {
	if v, ok := n.(*tree.View); ok {
		h.views[key(v.Name)] = true
		h.bodies[key(v.Name)] = within(v.Query) // who writes to the view
	}
	for _, name := range m.changes {
		if strings.HasPrefix(name, variableSign) {
			h.sources[name] = m.reads
		}
	}
	if !same {
		for _, name := range m.changes {
			h.differs[name] = true
		}
		h.differFrom(m.reads)
		return
	}
	if failed(s.MariaDB) {
		return
	}
	if d, ok := n.(*tree.Drop); ok {
		for _, name := range d.Names {
			delete(h.views, key(name))
			delete(h.bodies, key(name)) // the triggers of a table
		}
	}
	_, set := n.(*tree.Set)
	if set && consequence {
		m.makes = nil // of what differs
	}
	if consequence {
		for _, name := range m.changes {
			h.differs[name] = true
		}
	}
	for _, name := range m.makes {
		delete(h.differs, name)
	}
}

// differFrom notes, of variables whose values are shown to differ, that what these were read from does.
func (h *history) differFrom(names []string) {
	for _, name := range names {
		if strings.HasPrefix(name, variableSign) && !h.differs[name] {
			h.differs[name] = true
			for _, from := range h.sources[name] {
				if strings.HasPrefix(from, variableSign) {
					h.differFrom([]string{from})
				} else {
					h.differs[from] = true
				}
			}
		}
	}
}

func failed(answers []answer) bool {
	for _, a := range answers {
		if a.Kind == "err" {
			return true
		}
	}
	return false
}

// program is the beginning of the definition of something with a body.
var program = regexp.MustCompile(`(?is)^\s*create\s+(?:or\s+replace\s+)?(?:definer\s*=\s*\S+\s+)?(?:aggregate\s+)?(?:procedure|function|trigger|package\s+body|package)\s+(?:if\s+not\s+exists\s+)?(?:\w+\.)?(\w+)`)

// unread is follows for a text that the grammar cannot read: all words count.
func (h *history) unread(sql string, same bool) (consequence bool) {
	names := wordsOf(sql)
	for _, name := range names {
		consequence = consequence || h.differs[name]
	}
	if m := program.FindStringSubmatch(sql); m != nil {
		name := strings.ToLower(m[1]) + routineSign
		h.bodies[name] = names
		names = []string{name}
		if same {
			delete(h.differs, name)
		}
	}
	if !same && !begins.MatchString(sql) {
		for _, name := range names {
			h.differs[name] = true
		}
	}
	return consequence
}

var word = regexp.MustCompile(`@?\w+`)
