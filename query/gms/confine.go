package gms

import (
	"slices"
	"strings"

	"github.com/duramendb/duramen/query/dialect/facts"
	"github.com/duramendb/duramen/query/gms/syntax"
	"github.com/duramendb/duramen/query/gms/tables"
	"github.com/duramendb/duramen/query/statement"
)

// LOCK TABLES confines its session: until UNLOCK TABLES it uses only what it has locked, under the
// names that it has locked it by, and changes only what it has locked with WRITE. So whoever asks
// for locks has named all of them, and two such sessions cannot wait for each other.

// confine reports the first use of a table that the session's LOCK TABLES does not allow.
func confine(s *Session, st *syntax.Statement) error {
	if !s.Confined() {
		return nil
	}
	refs, err := st.LockedTables(s.temporaryOnly(st))
	if err != nil {
		return err
	}
	refs = slices.Clone(refs)
	for i := range refs {
		r := &refs[i]
		if r.DB == "" {
			r.DB = s.DB()
		}
		r.DB, r.Table = servedTable(r.DB, r.Table)
	}
	return s.Confine(refs)
}

// BelowViews completes the tables of a LOCK TABLES by those that its views are made of.
func (s *Session) BelowViews(want []statement.Ref) ([]statement.Ref, error) {
	cat := s.engine.Store.Catalog().Current()
	for i := 0; i < len(want) && len(want) < belowViewsMax; i++ {
		text, ok, err := tables.ViewText(cat, want[i].DB, want[i].Table)
		if err != nil {
			return nil, err
		}
		if !ok {
			continue
		}
		view, err := innerText(s, text).Facts()
		if err != nil {
			continue // whoever reads the view is told
		}
		for _, t := range view.Tables {
			below := statement.Ref{DB: t.Name.DB.Text, Table: t.Name.Name.Text, Alias: t.Name.Name.Text, Write: want[i].Write}
			if t.Use == facts.Created {
				continue // the view itself
			}
			if below.DB == "" {
				below.DB = want[i].DB
			}
			known := slices.IndexFunc(want, func(t statement.Ref) bool {
				return strings.EqualFold(t.DB, below.DB) && strings.EqualFold(t.Table, below.Table) && strings.EqualFold(t.Alias, below.Alias)
			})
			if known < 0 {
				want = append(want, below)
			}
		}
	}
	return want, nil
}

// belowViewsMax ends the search in views that are made of each other.
const belowViewsMax = 1 << 12
