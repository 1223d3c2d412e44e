package exec

import (
	"math/bits"
	"slices"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/transform"
)

// enumeratedTables is up to how many tables go-mysql-server tries all orders of a join. Beyond it keeps the order of
// the text, and chooses only how each table is reached.
const enumeratedTables = 15

// planEffortMax bounds what a join may cost to plan by trying all its orders: the ways to put a set of its tables
// together of two, times the conditions that are looked at for each. The whole takes up to about a second, in
// which go-mysql-server listens to nobody. Eleven tables joined by one common value are beyond it.
const planEffortMax = 30_000

// planJoins has apply plan the joins of n.
func planJoins(c *sql.Context, n sql.Node, apply func(sql.Node) (sql.Node, transform.TreeIdentity, error)) (sql.Node, transform.TreeIdentity, error) {
	bounded, same, err := boundedJoins(c, n)
	if err != nil {
		return nil, transform.SameTree, err
	}
	if same {
		return apply(n)
	}
	if _, ok := n.(*plan.Update); ok { // for which the padding's columns would count
		return nil, transform.SameTree, errManyTables
	}
	planned, _, err := apply(bounded)
	if err != nil {
		return nil, transform.SameTree, err
	}
	planned, err = withoutPadding(c, planned)
	return planned, transform.NewTree, err
}

// boundedJoins gives the joins of a plan that have too many orders one of ours, and makes go-mysql-server keep it.
// The plan that comes of it is for withoutPadding.
func boundedJoins(c *sql.Context, n sql.Node) (sql.Node, transform.TreeIdentity, error) {
	if j, ok := n.(*plan.JoinNode); ok {
		g := newJoinGraph(c, j)
		if g.leaves > enumeratedTables || g.effort() <= planEffortMax {
			return n, transform.SameTree, nil
		}
		return paddedJoin(c, connectedOrder(c, j), g.leaves), transform.NewTree, nil
	}
	if sql.IsOpaque(n) {
		return n, transform.SameTree, nil // is analysed on its own
	}
	children := n.Children()
	same := transform.SameTree
	for i, child := range children {
		own, unchanged, err := boundedJoins(c, child) // nodes are not all comparable
		if err != nil {
			return nil, transform.SameTree, err
		}
		if unchanged {
			continue
		}
		if same {
			children, same = slices.Clone(children), transform.NewTree
		}
		children[i] = own
	}
	if same {
		return n, same, nil
	}
	n, err := n.WithChildren(c, children...)
	return n, same, err
}

// joinGraph says which tables of a join have a condition between them.
type joinGraph struct {
	leaves  int
	class   map[sql.ColumnId]sql.ColumnId // columns that are equal, by representative
	tableOf map[sql.ColumnId]sql.TableId
	pairs   map[[2]sql.TableId]int // how many conditions
}

func newJoinGraph(c *sql.Context, j *plan.JoinNode) *joinGraph {
	g := &joinGraph{class: map[sql.ColumnId]sql.ColumnId{}, tableOf: map[sql.ColumnId]sql.TableId{}, pairs: map[[2]sql.TableId]int{}}
	g.add(c, j)
	g.addClasses()
	return g
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
			if f, ok := e.(*expression.GetField); ok && !slices.Contains(tables, f.TableId()) {
				for _, t := range tables {
					g.pair(t, f.TableId())
				}
				tables = append(tables, f.TableId())
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
		g.pairs[[2]sql.TableId{min(a, b), max(a, b)}]++
	}
}

// addClasses adds the pairs of tables that are equal, by way of a third or not.
func (g *joinGraph) addClasses() {
	byRoot := map[sql.ColumnId][]sql.TableId{}
	for id, t := range g.tableOf {
		root := g.root(id)
		for _, other := range byRoot[root] {
			g.pair(t, other)
		}
		byRoot[root] = append(byRoot[root], t)
	}
}

// effort is what planning the join costs, in the unit of planEffortMax; beyond that it is not counted further.
func (g *joinGraph) effort() int {
	if len(g.pairs) == 0 {
		return 0
	}
	places, conditions := map[sql.TableId]int{}, 0
	place := func(t sql.TableId) int {
		if _, ok := places[t]; !ok {
			places[t] = len(places)
		}
		return places[t]
	}
	var next [enumeratedTables]uint // the tables that a table has conditions with
	for p, n := range g.pairs {
		a, b := place(p[0]), place(p[1])
		if max(a, b) >= enumeratedTables {
			return planEffortMax + 1 // columns of outer queries: more tables than the join has
		}
		next[a] |= 1 << b
		next[b] |= 1 << a
		conditions += n
	}
	perPair := (conditions + len(g.pairs) - 1) / len(g.pairs)
	return splits(next[:len(places)], planEffortMax/perPair) * perPair
}

// splits counts the ways to put a connected set of tables together of two connected sets, up to one more than limit.
// next says by table which others it is connected with.
func splits(next []uint, limit int) int {
	all := uint(1)<<len(next) - 1
	connected := make([]bool, all+1)
	n := 0
	for set := uint(1); set <= all; set++ {
		if connected[set] = isConnected(next, set); !connected[set] {
			continue
		}
		first := set & -set
		for part := (set - 1) & set; part > 0; part = (part - 1) & set {
			if part&first != 0 && connected[part] && connected[set^part] {
				if n++; n > limit {
					return n
				}
			}
		}
	}
	return n
}

func isConnected(next []uint, set uint) bool {
	reached, fresh := set&-set, set&-set
	for fresh != 0 {
		more := next[bits.TrailingZeros(fresh)] & set &^ reached
		reached |= more
		fresh = fresh&(fresh-1) | more
	}
	return reached == set
}
