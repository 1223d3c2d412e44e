package query

import (
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/transform"

	"github.com/duramendb/duramen/query/mysqlerr"
)

// Bounds of the joins whose orders go-mysql-server enumerates, which it does for up to
// enumeratedTables and keeps the order of the text beyond. What it tries grows exponentially with the
// tables that each table can be joined to directly: eleven tables joined by one common value take 14
// seconds and gigabytes, and nothing can interrupt it.
const (
	enumeratedTables = 15
	denseTables      = 10 // any joins are enumerated up to here
	densePairs       = 24 // pairs of tables with a condition between them, beyond denseTables
)

// checkJoins refuses a join that cannot be planned in reasonable time.
func checkJoins(c *sql.Context, n sql.Node) error {
	var err error
	transform.Inspect(n, func(n sql.Node) bool {
		j, ok := n.(*plan.JoinNode)
		if !ok {
			return err == nil
		}
		g := joinGraph{class: map[sql.ColumnId]sql.ColumnId{}, tableOf: map[sql.ColumnId]sql.TableId{}, pairs: map[[2]sql.TableId]bool{}}
		g.add(c, j)
		if g.leaves > denseTables && g.leaves <= enumeratedTables && g.dense() {
			err = mysqlerr.New(mysqlerr.NotSupportedYet, "a join of more than 10 tables that are joined each with many others; join some of them in a derived table")
		}
		return false
	})
	return err
}

// joinGraph says which tables of a join have a condition between them.
type joinGraph struct {
	leaves  int
	class   map[sql.ColumnId]sql.ColumnId // columns that are equal, by representative
	tableOf map[sql.ColumnId]sql.TableId
	pairs   map[[2]sql.TableId]bool
}

func (g *joinGraph) add(c *sql.Context, n sql.Node) {
	switch n := n.(type) {
	case *plan.JoinNode:
		if n.Filter != nil {
			g.conditions(c, n.Filter)
		}
		g.add(c, n.Left())
		g.add(c, n.Right())
	case *plan.Filter:
		g.conditions(c, n.Expression)
		g.add(c, n.Child)
	case *plan.Project:
		g.add(c, n.Child)
	default:
		g.leaves++
	}
}

func (g *joinGraph) conditions(c *sql.Context, e sql.Expression) {
	for _, cond := range expression.SplitConjunction(c, e) {
		if eq, ok := cond.(*expression.Equals); ok {
			l, okl := eq.Left().(*expression.GetField)
			r, okr := eq.Right().(*expression.GetField)
			if okl && okr {
				g.tableOf[l.Id()], g.tableOf[r.Id()] = l.TableId(), r.TableId()
				g.class[g.root(l.Id())] = g.root(r.Id())
				continue
			}
		}
		var tables []sql.TableId
		transform.InspectExpr(c, cond, func(_ *sql.Context, e sql.Expression) bool {
			if f, ok := e.(*expression.GetField); ok {
				for _, t := range tables {
					g.pair(t, f.TableId())
				}
				if len(tables) < enumeratedTables*enumeratedTables {
					tables = append(tables, f.TableId())
				}
			}
			return false
		})
	}
}

func (g *joinGraph) root(id sql.ColumnId) sql.ColumnId {
	for {
		up, ok := g.class[id]
		if !ok || up == id {
			return id
		}
		id = up
	}
}

func (g *joinGraph) pair(a, b sql.TableId) {
	if a != b {
		g.pairs[[2]sql.TableId{min(a, b), max(a, b)}] = true
	}
}

// dense reports whether too many pairs of tables are joined, those by way of a third included.
func (g *joinGraph) dense() bool {
	byRoot := map[sql.ColumnId][]sql.TableId{}
	for id, t := range g.tableOf {
		root := g.root(id)
		for _, other := range byRoot[root] {
			g.pair(t, other)
		}
		byRoot[root] = append(byRoot[root], t)
	}
	return len(g.pairs) > densePairs
}
