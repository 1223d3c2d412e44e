package gms

import (
	"slices"
	"strings"

	"github.com/dolthub/vitess/go/vt/sqlparser"

	"github.com/duramendb/duramen/catalog"
	"github.com/duramendb/duramen/query/mysqlerr"
	"github.com/duramendb/duramen/query/statement"
)

// completeLike gives a table that CREATE TABLE ... LIKE has made what go-mysql-server leaves out:
// lengths of index parts, the comment, the names of checks, and what the storage alone knows of
// columns. Foreign keys are not copied, as in MariaDB. The table is empty, so nothing has to be rewritten.
func (p *planned) completeLike() error {
	d, ok := p.st.AST.(*sqlparser.DDL)
	if !ok || d.Action != sqlparser.CreateStr || d.OptLike == nil || d.TableSpec != nil || len(d.OptLike.LikeTables) != 1 {
		return nil
	}
	like := d.OptLike.LikeTables[0]
	from := p.s.tableNow(p.c, p.s.DBOf(statement.Use{DB: like.DbQualifier.String()}), like.Name.String())
	to := p.s.tableNow(p.c, p.s.DBOf(statement.Use{DB: d.Table.DbQualifier.String()}), d.Table.Name.String())
	if from == nil || to == nil || from.Definition().ID == to.Definition().ID {
		return nil
	}
	if d.IfNotExists && p.existedBefore(to.Definition()) {
		return nil
	}
	was := from.Definition()
	// Of a table with a VIRTUAL column go-mysql-server makes no index at all, and full-text indexes it does not see.
	missing := slices.DeleteFunc(slices.Clone(was.Indexes), func(o catalog.IndexDef) bool {
		return slices.ContainsFunc(to.Definition().Indexes, func(x catalog.IndexDef) bool { return strings.EqualFold(o.Name, x.Name) })
	})
	if slices.ContainsFunc(missing, func(x catalog.IndexDef) bool { return x.Kind != "" && x.Kind != catalog.Fulltext }) {
		return mysqlerr.NotYet("CREATE TABLE ... LIKE a table with a SPATIAL index and VIRTUAL columns")
	}
	return to.Redefine(p.c, func(def *catalog.TableDef) {
		def.Columns, def.Primary = slices.Clone(was.Columns), slices.Clone(was.Primary)
		def.Checks, def.Comment, def.Collation = slices.Clone(was.Checks), was.Comment, was.Collation
		def.Partitioning = was.Partitioning
		def.Indexes = slices.Clone(def.Indexes)
		for _, x := range missing {
			x.ID, x.Options = max(def.NextIndexID, 1), nil
			def.NextIndexID = x.ID + 1
			def.Indexes = append(def.Indexes, x) // the table is empty: there is nothing to build
		}
		place := func(x *catalog.IndexDef) int {
			return slices.IndexFunc(was.Indexes, func(o catalog.IndexDef) bool { return strings.EqualFold(o.Name, x.Name) })
		}
		slices.SortStableFunc(def.Indexes, func(a, b catalog.IndexDef) int { return place(&a) - place(&b) })
		for i := range def.Indexes {
			x := &def.Indexes[i]
			at := place(x)
			if at >= 0 && x.Kind == was.Indexes[at].Kind {
				x.Parts, x.Unique, x.Comment = slices.Clone(was.Indexes[at].Parts), was.Indexes[at].Unique, was.Indexes[at].Comment
				x.Hash = was.Indexes[at].Hash
			}
		}
	})
}

// existedBefore reports whether a table is not of this statement's making.
func (p *planned) existedBefore(def *catalog.TableDef) bool {
	return p.s.engine.Store.Catalog().Current().TableByID(def.ID) != nil || p.s.Temp.Has(def.DB, def.Name)
}
