package alter

import (
	"fmt"
	"slices"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/vitess/go/vt/sqlparser"

	"github.com/duramendb/duramen/catalog"
	"github.com/duramendb/duramen/query/dialect"
	"github.com/duramendb/duramen/query/engines"
	"github.com/duramendb/duramen/query/gms/collation"
	"github.com/duramendb/duramen/query/gms/tables"
	"github.com/duramendb/duramen/query/mysqlerr"
)

// Statement is what an alteration asks of the statement that it belongs to.
type Statement interface {
	// Table is a table in the statement's transaction; nil if there is none.
	Table(c *sql.Context, db, name string) *tables.Table
	// Run plans and runs clauses of the statement that do not meet.
	Run(c *sql.Context, ast *sqlparser.AlterTable) error
	// Mode is how the statement's text is read.
	Mode() dialect.Mode
	// ForeignChecks is foreign_key_checks.
	ForeignChecks() bool
}

// run runs an alteration as steps of one clause each. Each step is planned on its own, so
// that go-mysql-server sees the definition that the step before has left. Its planner takes the
// clauses of one statement to be about the definition as it was, its executor about the definition
// as it is, which mixes up columns as soon as one moves. Columns are never moved by it either:
// it converts the values of moved columns by the types of their neighbours.
type run struct {
	runner Statement
	c      *sql.Context
	text   string // of the statement
	ast    *sqlparser.AlterTable
	engine *engines.Engine // ENGINE=, nil without it
	from   *engines.Engine // that the table was in
	a      *alteration
	db     string
	names  []string // of the columns there are, in order
	temps  int      // temporary names given out
	// primaryDone says that the new primary key is there already.
	primaryDone bool
	indexNames  []pendingName
	dropLater   []string // temporary names of indexes
}

// Table runs clauses of ALTER TABLE on a table, in the words of its statement, and moves it to an engine unless that is nil. Clauses
// that have nothing to do are notes.
func Table(runner Statement, c *sql.Context, ast *sqlparser.AlterTable, text string, t *tables.Table, engine *engines.Engine) (err error) {
	restore := defaultsOf(t.Schema(c))
	defer func() {
		if err != nil {
			restore()
		}
	}()
	kept, notes := withoutMoot(t.Definition(), ast.Statements)
	a, err := newAlteration(t.Definition(), kept)
	if err != nil {
		return err
	}
	for _, n := range notes {
		c.Session.Warn(&sql.Warning{Level: "Note", Code: int(n.Number), Message: n.Message})
	}
	if err := a.checkForeign(c, t, runner.ForeignChecks()); err != nil {
		return err
	}
	r := &run{runner: runner, c: c, text: text, ast: ast, engine: engine, from: t.Engine(), a: a, db: t.Definition().DB}
	for i := range a.old.Columns {
		r.names = append(r.names, a.old.Columns[i].Name)
	}
	return r.all()
}

// defaultsOf remembers the defaults of columns: go-mysql-server's SET DEFAULT writes into the schema that statements share, and an alteration that fails
// has to take that back.
func defaultsOf(schema sql.Schema) (restore func()) {
	was := make([]*sql.ColumnDefaultValue, len(schema))
	for i, col := range schema {
		was[i] = col.Default
	}
	return func() {
		for i, col := range schema {
			col.Default = was[i]
		}
	}
}

func (r *run) all() error {
	a := r.a
	for _, part := range []func() error{
		r.authorize, r.dropChecks,
		func() error { return r.steps(a.droppedForeign, a.defaults) },
		r.convert, r.dropKeys, r.changeColumns, r.arrange, r.addKeys,
		func() error { return r.steps(a.addedConstraints) },
	} {
		if err := part(); err != nil {
			return err
		}
	}
	if len(a.options) > 0 {
		if err := r.exec(a.options...); err != nil {
			return err
		}
	}
	t := r.table()
	if t == nil {
		return mysqlerr.New(mysqlerr.NoSuchTable, r.db, a.old.Name)
	}
	if err := a.check(t.Definition()); err != nil {
		return err
	}
	if err := RefuseCounter(t.Definition()); err != nil {
		return err
	}
	if RefuseCascades(a.old) == nil { // a table of an earlier version stays what it is
		if err := RefuseCascades(t.Definition()); err != nil {
			return err
		}
	}
	if err := r.settle(t); err != nil {
		return err
	}
	if a.rename != nil {
		return r.exec(a.rename)
	}
	return nil
}

// settle brings the altered table into its engine, or leaves it in the one that can have it.
func (r *run) settle(t *tables.Table) error {
	if r.engine == nil {
		return t.RefuseLimits(r.c)
	}
	cat, err := tables.CatalogOf(r.c)
	if err != nil {
		return err
	}
	if r.engine.Memory && !r.from.Memory && engines.InKeys(cat, t.Definition()) {
		return mysqlerr.New(mysqlerr.RowIsReferenced)
	}
	return t.ChangeEngine(r.c, r.engine, t.Definition().ID != r.a.old.ID)
}

// exec lets go-mysql-server run clauses that do not meet.
func (r *run) exec(clauses ...*sqlparser.DDL) error {
	ast := *r.ast
	ast.Statements = clauses
	return r.runner.Run(r.c, &ast)
}

// steps runs clauses one after the other.
func (r *run) steps(lists ...[]*sqlparser.DDL) error {
	for _, list := range lists {
		for _, d := range list {
			if err := r.exec(d); err != nil {
				return err
			}
		}
	}
	return nil
}

// authorize checks the privileges that all clauses need, before the first one runs.
func (r *run) authorize() error {
	var bare []*sqlparser.DDL
	for _, d := range r.ast.Statements {
		bare = append(bare, &sqlparser.DDL{Action: sqlparser.AlterStr, Table: r.ast.Table, Auth: d.Auth})
	}
	return r.exec(bare...)
}

// dropChecks drops checks; go-mysql-server cannot for a table with virtual columns.
func (r *run) dropChecks() error {
	for _, d := range r.a.droppedChecks {
		if err := r.table().DropCheck(r.c, d.TableSpec.Constraints[0].Name); err != nil {
			return err
		}
	}
	for _, name := range r.a.lostChecks {
		if err := r.table().DropCheck(r.c, name); err != nil {
			return err
		}
	}
	return nil
}

// like makes a clause of the same table, with the privileges that the statement needs.
func (r *run) like(d *sqlparser.DDL) *sqlparser.DDL {
	d.Action, d.Table, d.Auth = sqlparser.AlterStr, r.ast.Table, r.ast.Statements[0].Auth
	return d
}

// tempName is a name that no column or index has.
func (r *run) tempName() string {
	r.temps++
	return fmt.Sprintf("duramen#%d", r.temps)
}

// convert changes the character set: of the table, and after CONVERT TO of its columns.
func (r *run) convert() error {
	if r.a.charset == nil {
		return nil
	}
	if err := r.exec(r.a.charset); err != nil || !r.convertsColumns() {
		return err
	}
	t := r.table()
	coll, ok := collation.Named(t.Definition().Collation)
	if !ok {
		return mysqlerr.New(mysqlerr.UnknownCollation, t.Definition().Collation)
	}
	return t.Convert(r.c, coll)
}

// convertsColumns tells CONVERT TO CHARACTER SET from DEFAULT CHARACTER SET; the parser does not.
func (r *run) convertsColumns() bool {
	toks := dialect.Tokens(r.text, r.runner.Mode(), 0)
	for i := range toks {
		if toks[i].Is("CONVERT") && i+1 < len(toks) && toks[i+1].Is("TO") {
			return true
		}
	}
	return false
}

// dropKeys drops indexes, and the primary key where it does not have to wait for the new one.
// Indexes whose columns go with them must be away before their columns are: what is left of a
// unique index may have duplicates.
func (r *run) dropKeys() error {
	a := r.a
	for _, name := range a.droppedIndexes {
		if r.later(name) {
			continue
		}
		if err := r.dropIndex(name); err != nil {
			return err
		}
	}
	if err := r.freeIndexNames(); err != nil {
		return err
	}
	if !a.losesPrimary() {
		return nil
	}
	if a.addPrimary && r.primaryAsItIs() {
		r.primaryDone = true
		return r.table().Rearrange(r.c, r.names, &a.primary)
	}
	for _, p := range a.old.Primary {
		if a.old.Columns[p.Column].AutoIncrement && !slices.Contains(a.dropped, p.Column) {
			if a.addPrimary {
				return nil // replaced when its columns are there
			}
			if !r.autoIndexed() {
				return mysqlerr.New(mysqlerr.WrongAutoKey)
			}
		}
	}
	return r.table().Rearrange(r.c, r.names, &noKey)
}

// autoIndexed reports whether an index of the new definition begins with the AUTO_INCREMENT
// column, or no column counts any more.
func (r *run) autoIndexed() bool {
	for _, c := range r.a.columns {
		auto := c.from >= 0 && r.a.old.Columns[c.from].AutoIncrement
		if spec := c.spec(); spec != nil {
			auto = bool(spec.Type.Autoincrement)
		}
		if !auto {
			continue
		}
		if len(r.a.primary) > 0 && strings.EqualFold(r.a.primary[0].Name, c.name) {
			return true
		}
		return slices.ContainsFunc(r.a.indexes, func(x *alteredIndex) bool { return strings.EqualFold(x.parts[0].Name, c.name) })
	}
	return true
}

// losesPrimary reports whether the primary key there was is gone afterwards: dropped, or with its columns.
func (a *alteration) losesPrimary() bool {
	for _, p := range a.old.Primary {
		if _, stays := a.nameNow(p.Column); stays {
			return a.dropPrimary
		}
	}
	return len(a.old.Primary) > 0
}

func (r *run) table() *tables.Table { return r.runner.Table(r.c, r.db, r.a.old.Name) }

// primaryAsItIs reports whether all columns of the new primary key are old ones that stay as they are.
func (r *run) primaryAsItIs() bool {
	for _, p := range r.a.primary {
		if !slices.ContainsFunc(r.a.columns, func(c *alteredColumn) bool {
			return strings.EqualFold(c.name, p.Name) && c.from >= 0 && c.clause == nil && c.renamed == nil
		}) {
			return false
		}
	}
	return true
}

// later reports whether an index that is dropped may be needed until its successor is there: by a
// foreign key or an AUTO_INCREMENT column.
func (r *run) later(name string) bool {
	x := &r.a.old.Indexes[indexAt(r.a.old, name)]
	if !r.a.addPrimary && !slices.ContainsFunc(r.a.indexes, func(n *alteredIndex) bool { return n.from == "" }) {
		return false
	}
	for _, p := range x.Parts {
		if _, stays := r.a.nameNow(p.Column); !stays {
			return false
		}
	}
	if r.a.old.Columns[x.Parts[0].Column].AutoIncrement || len(r.a.foreign) > 0 {
		return true
	}
	refs, err := r.table().GetReferencedForeignKeys(r.c)
	return err == nil && len(refs) > 0
}

// dropIndex drops an index; whether foreign keys need it has been looked at before.
func (r *run) dropIndex(name string) error {
	t := r.table()
	if at := indexAt(t.Definition(), name); at >= 0 && t.Definition().Indexes[at].Kind != catalog.Fulltext {
		return t.DropIndex(r.c, name)
	}
	return r.exec(r.like(&sqlparser.DDL{IndexSpec: &sqlparser.IndexSpec{Action: sqlparser.DropStr, ToName: sqlparser.NewColIdent(name)}}))
}

func (r *run) renameIndex(from, to string) error {
	return r.exec(r.like(&sqlparser.DDL{IndexSpec: &sqlparser.IndexSpec{Action: sqlparser.RenameStr,
		FromName: sqlparser.NewColIdent(from), ToName: sqlparser.NewColIdent(to)}}))
}

// pendingName is an index that has a temporary name until all old names are free.
type pendingName struct{ temp, to string }

// freeIndexNames takes their names from indexes that are renamed, or dropped later: names may be
// exchanged, and others may take them.
func (r *run) freeIndexNames() error {
	for _, x := range r.a.indexes {
		if x.from != "" && x.from != x.name {
			p := pendingName{r.tempName(), x.name}
			if err := r.renameIndex(x.from, p.temp); err != nil {
				return err
			}
			r.indexNames = append(r.indexNames, p)
		}
	}
	for _, name := range r.a.droppedIndexes {
		if r.later(name) {
			temp := r.tempName()
			if err := r.renameIndex(name, temp); err != nil {
				return err
			}
			r.dropLater = append(r.dropLater, temp)
		}
	}
	return nil
}

// arrange brings the columns into their order, and makes a primary key that could not be made before.
func (r *run) arrange() error {
	a := r.a
	order := make([]string, len(a.columns))
	for i, c := range a.columns {
		order[i] = c.name
	}
	var primary *[]sql.IndexColumn
	if a.addPrimary && !r.primaryDone {
		primary = &a.primary
	}
	if primary == nil && slices.EqualFunc(order, r.names, strings.EqualFold) {
		return nil
	}
	return r.table().Rearrange(r.c, order, primary)
}

func (r *run) addKeys() error {
	for _, p := range r.indexNames {
		if strings.EqualFold(p.temp, p.to) {
			continue
		}
		if err := r.renameIndex(p.temp, p.to); err != nil {
			return err
		}
	}
	for _, x := range r.a.indexes {
		if x.from != "" {
			continue
		}
		d := *x.clause
		spec := *d.IndexSpec
		spec.ToName = sqlparser.NewColIdent(x.name)
		d.IndexSpec = &spec
		if err := r.exec(&d); err != nil {
			return err
		}
	}
	for _, name := range r.dropLater {
		if err := r.dropIndex(name); err != nil {
			return err
		}
	}
	return r.countAgain()
}

// isAuto reports whether a column of a definition counts.
func isAuto(def *catalog.TableDef, name string) bool {
	at := ColumnAt(def, name)
	return at >= 0 && def.Columns[at].AutoIncrement
}
