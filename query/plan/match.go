package plan

import (
	"slices"
	"strings"

	"github.com/duramendb/duramen/catalog"
	"github.com/duramendb/duramen/query/bind"
	"github.com/duramendb/duramen/query/dialect/tree"
	"github.com/duramendb/duramen/query/eval"
	"github.com/duramendb/duramen/query/fulltext"
	"github.com/duramendb/duramen/query/mysqlerr"
	"github.com/duramendb/duramen/query/types"
	"github.com/duramendb/duramen/query/types/charset"
)

// Match is a MATCH ... AGAINST. Before the statement reads its rows, all rows of the table have to be counted: Begin, then Count for each, and if
// Again says so Expand for each.
type Match struct {
	text    string // as the statement has it
	x       *eval.Expr
	columns []eval.Func[[]byte] // those of the index, in its order
	against *eval.Expr          // nil for what is NULL
	mode    fulltext.Mode
	c       *charset.Collation
	slot    int
}

// matching is what a Match keeps while a statement runs.
type matching struct {
	search *fulltext.Search
	doc    [][]byte
}

var matchModes = map[tree.MatchMode]fulltext.Mode{
	tree.NaturalLanguage: fulltext.Natural, tree.QueryExpansion: fulltext.Expansion, tree.BooleanMode: fulltext.Boolean,
}

// match binds MATCH: bind.Binder.Match.
func match(c *compiler, n *tree.Match) (*eval.Expr, error) {
	if c.scope.src == nil || c.scope.source != 0 {
		return nil, bind.Refusal("MATCH here")
	}
	text := tree.String(n)
	if at := slices.IndexFunc(c.matches, func(m *Match) bool { return m.text == text }); at >= 0 {
		return c.matches[at].x, nil
	}
	m := &Match{text: text, mode: matchModes[n.Mode]}
	var ordinals []int
	for _, name := range n.Columns {
		at, err := c.scope.ordinal(name)
		if err != nil {
			return nil, err
		}
		if at < 0 {
			return nil, c.scope.unknown(name)
		}
		ordinals = append(ordinals, at)
	}
	against, err := c.b.Expr(n.Against)
	if err != nil {
		return nil, err
	}
	if !against.Is(eval.Constant) || against.Is(eval.Volatile) {
		return nil, mysqlerr.New(mysqlerr.WrongArguments, "AGAINST")
	}
	args, err := fulltextColumns(c, ordinals)
	if err != nil {
		return nil, err
	}
	m.c = args[0].Type.Collation
	for _, x := range args {
		m.columns = append(m.columns, eval.Of[[]byte](x))
	}
	if !against.Null() {
		m.against = c.b.ToSet(c.b.ToText(against), m.c.Set())
	}
	m.slot = c.b.Slot()
	m.x = eval.New("match", types.DoubleType().OrNull(), m.rank, args...)
	c.matches = append(c.matches, m)
	return m.x, nil
}

// fulltextColumns are the columns of a full-text index, in its order, that has the columns of these ordinals.
func fulltextColumns(c *compiler, ordinals []int) ([]*eval.Expr, error) {
	asked := slices.Compact(slices.Sorted(slices.Values(ordinals)))
	for i := range c.scope.src.Table.Def.Indexes {
		idx := &c.scope.src.Table.Def.Indexes[i]
		var has []int
		for _, p := range idx.Parts {
			has = append(has, p.Column)
		}
		if idx.Kind != catalog.Fulltext || !slices.Equal(slices.Sorted(slices.Values(has)), asked) {
			continue
		}
		var args []*eval.Expr
		for _, at := range has {
			x, err := c.scope.at(at)
			if err != nil {
				return nil, err
			}
			if x.Type.Class() != types.ClassText || x.Type.Collation == nil {
				return nil, bind.Refusal("MATCH of such a column")
			}
			args = append(args, x)
		}
		return args, nil
	}
	return nil, mysqlerr.New(mysqlerr.FTMatchingKeyNotFound)
}

// Begin reads what is searched for. It reports whether there is anything that rows could have.
func (m *Match) Begin(f *eval.Frame) (searches bool, err error) {
	var text []byte
	if m.against != nil {
		if v := m.against.Compute(f); !v.Null {
			text = v.Text
		}
	}
	if err := f.Diag.Failed(); err != nil {
		return false, err
	}
	if f.Charge != nil {
		if err := f.Charge(fulltext.Size(text)); err != nil {
			return false, err
		}
	}
	s, err := fulltext.New(m.c, m.mode, text)
	if err != nil {
		return false, err
	}
	s.Charge, s.Interrupted = f.Charge, f.Interrupted
	*eval.StateOf[matching](f, m.slot) = matching{search: s}
	return !s.Nothing(), nil
}

// document are the texts of the frame's row.
func (m *Match) document(f *eval.Frame, st *matching) [][]byte {
	st.doc = st.doc[:0]
	for _, column := range m.columns {
		text, null := column(f)
		if null {
			text = nil
		}
		st.doc = append(st.doc, text)
	}
	return st.doc
}

// Count counts the frame's row; see fulltext.Search.
func (m *Match) Count(f *eval.Frame) error {
	st := eval.StateOf[matching](f, m.slot)
	return st.search.Count(m.document(f, st))
}

// Again ends the first count, and reports whether there is a second one.
func (m *Match) Again(f *eval.Frame) bool { return eval.StateOf[matching](f, m.slot).search.Again() }

// Expand counts the frame's row for the second time; Expanded ends that.
func (m *Match) Expand(f *eval.Frame) error {
	st := eval.StateOf[matching](f, m.slot)
	return st.search.Expand(m.document(f, st))
}

// Expanded ends the second count.
func (m *Match) Expanded(f *eval.Frame) { eval.StateOf[matching](f, m.slot).search.Expanded() }

// rank is the relevance of the frame's row.
func (m *Match) rank(f *eval.Frame) (v float64, null bool) {
	st := eval.StateOf[matching](f, m.slot)
	if st.search == nil {
		return 0, false
	}
	v = st.search.Rank(m.document(f, st))
	if err := st.search.Err(); err != nil {
		f.FailWith(err)
		return 0, true
	}
	return v, false
}

// byRelevance makes the most relevant rows come first, where nothing else asks for an order and MariaDB finds the rows by a full-text index: it
// does so for a MATCH that must hold, and for one that must be more than a number.
func byRelevance(c *compiler, p *Select, where tree.Expr) error {
	if len(p.Matches) == 0 || where == nil || p.Group != nil || len(p.Order) > 0 {
		return nil
	}
	for _, n := range conjuncts(nil, where) {
		m := ranking(n)
		if m == nil {
			continue
		}
		if c.b.Numbered || c.b.Assigned != nil {
			return bind.Refusal("rows that are numbered, or set variables, by relevance")
		}
		x, err := match(c, m)
		if err != nil {
			return err
		}
		p.Order, p.Sorted, p.Access.Reverse = []Order{{X: x, Desc: true, Column: -1}}, false, false
		return nil
	}
	return nil
}

// ranking is the MATCH of a condition that a full-text index is used for; nil for none.
func ranking(n tree.Expr) *tree.Match {
	switch n := n.(type) {
	case *tree.Match:
		return n
	case *tree.Binary:
		m, number, op := n.Left, n.Right, n.Op
		if _, ok := m.(*tree.Match); !ok {
			m, number, op = n.Right, n.Left, swapped[op]
		}
		match, ok := m.(*tree.Match)
		if ok && (op == tree.OpGreater || op == tree.OpGreaterEqual && !zero(number)) {
			if _, ok = number.(*tree.NumberLit); ok {
				return match
			}
		}
	}
	return nil
}

// zero reports whether a literal is 0.
func zero(n tree.Expr) bool {
	lit, ok := n.(*tree.NumberLit)
	return ok && strings.Trim(tree.String(lit), "0.") == ""
}
