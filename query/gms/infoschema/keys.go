package infoschema

import (
	"strings"

	"github.com/duramendb/duramen/catalog"
	"github.com/duramendb/duramen/query/gms/ddltext"
)

// spatialPrefix is SUB_PART of a SPATIAL index: the bytes of a bounding rectangle.
const spatialPrefix = 32

func statistics(s *scan) error {
	return s.eachTable(func(t *catalog.Table) {
		rows, _, _ := s.server.Stats(s.ctx, t)
		for _, row := range Statistics(t.Def, rows) {
			s.add(row...)
		}
	})
}

// Statistics are the rows of STATISTICS of a table that has so many rows.
func Statistics(def *catalog.TableDef, rows uint64) [][]any {
	out := indexRows(nil, def, "PRIMARY", def.Primary, true, "", "", rows)
	for _, idx := range ddltext.Indexes(def) {
		kind := strings.ToUpper(idx.Kind)
		if idx.Hash {
			kind = algorithmHash
		}
		out = indexRows(out, def, idx.Name, idx.Parts, idx.Unique, kind, idx.Comment, rows)
	}
	return out
}

// algorithmHash is the kind of the unique keys that have digests of their values.
const algorithmHash = "HASH"

func indexRows(to [][]any, def *catalog.TableDef, name string, parts []catalog.IndexPart, unique bool, kind, comment string, rows uint64) [][]any {
	notUnique := 1
	if unique {
		notUnique = 0
	}
	for i, p := range parts {
		c := &def.Columns[p.Column]
		var collation, cardinality, prefix any = "A", rows, nil
		if p.Prefix > 0 {
			prefix = p.Prefix
		}
		switch kind {
		case catalog.Fulltext:
			collation, cardinality, prefix = nil, nil, nil
		case algorithmHash:
			cardinality = nil
		case "SPATIAL":
			cardinality, prefix = nil, spatialPrefix
		}
		nullable, algorithm := "", kind
		if c.Nullable {
			nullable = "YES"
		}
		if algorithm == "" {
			algorithm = "BTREE"
		}
		to = append(to, []any{"def", def.DB, def.Name, notUnique, def.DB, name, i + 1, c.Name, collation, cardinality, prefix, nil, nullable, algorithm, "", comment, "NO"})
	}
	return to
}

func tableConstraints(s *scan) error {
	return s.eachTable(func(t *catalog.Table) {
		def := t.Def
		add := func(name, kind string) { s.add("def", def.DB, name, def.DB, def.Name, kind) }
		if len(def.Primary) > 0 {
			add("PRIMARY", "PRIMARY KEY")
		}
		for _, idx := range ddltext.Indexes(def) {
			if idx.Unique {
				add(idx.Name, "UNIQUE")
			}
		}
		eachCheck(def, func(name, _, _ string) { add(name, "CHECK") })
		for i := range def.ForeignKeys {
			add(def.ForeignKeys[i].Name, "FOREIGN KEY")
		}
	})
}

// eachCheck calls do for every CHECK constraint: those of columns first, as MariaDB shows them. That
// of a JSON column is implied.
func eachCheck(def *catalog.TableDef, do func(name, level, clause string)) {
	for i := range def.Columns {
		if clause := ddltext.ColumnCheck(def, &def.Columns[i]); clause != "" {
			do(def.Columns[i].Name, "Column", clause)
		}
	}
	for i := range def.Checks {
		if c := &def.Checks[i]; c.Column == "" {
			do(c.Name, "Table", ddltext.Expression(c.Expression))
		}
	}
}

func checkConstraints(s *scan) error {
	return s.eachTable(func(t *catalog.Table) {
		eachCheck(t.Def, func(name, level, clause string) { s.add("def", t.Def.DB, t.Def.Name, name, level, clause) })
	})
}

func keyColumnUsage(s *scan) error {
	return s.eachTable(func(t *catalog.Table) {
		def := t.Def
		key := func(name string, parts []catalog.IndexPart) {
			for i, p := range parts {
				s.add("def", def.DB, name, "def", def.DB, def.Name, def.Columns[p.Column].Name, i+1, nil, nil, nil, nil)
			}
		}
		key("PRIMARY", def.Primary)
		for _, idx := range ddltext.Indexes(def) {
			if idx.Unique {
				key(idx.Name, idx.Parts)
			}
		}
		for i := range def.ForeignKeys {
			fk := s.spelled(&def.ForeignKeys[i], def)
			for at, column := range fk.Columns {
				s.add("def", def.DB, fk.Name, "def", def.DB, def.Name, column, at+1, at+1, fk.ParentDB, fk.ParentTable, fk.ParentColumns[at])
			}
		}
	})
}

// spelled is a foreign key with the names in the letters of the definitions that it refers to.
func (s *scan) spelled(fk *catalog.ForeignKeyDef, def *catalog.TableDef) *catalog.ForeignKeyDef {
	out := *fk
	spell := func(names []string, of *catalog.TableDef) []string {
		list := append([]string(nil), names...)
		for i, n := range list {
			for j := range of.Columns {
				if strings.EqualFold(of.Columns[j].Name, n) {
					list[i] = of.Columns[j].Name
				}
			}
		}
		return list
	}
	out.Columns = spell(fk.Columns, def)
	if parent := s.cat.TableLike(fk.ParentDB, fk.ParentTable); parent != nil {
		out.ParentDB, out.ParentTable = parent.Def.DB, parent.Def.Name
		out.ParentColumns = spell(fk.ParentColumns, parent.Def)
	}
	for len(out.ParentColumns) < len(out.Columns) {
		out.ParentColumns = append(out.ParentColumns, "")
	}
	return &out
}

func referentialConstraints(s *scan) error {
	return s.eachTable(func(t *catalog.Table) {
		for i := range t.Def.ForeignKeys {
			fk := s.spelled(&t.Def.ForeignKeys[i], t.Def)
			s.add("def", t.Def.DB, fk.Name, "def", fk.ParentDB, orNil(s.parentKey(fk)), "NONE",
				ddltext.Rule(fk.OnUpdate), ddltext.Rule(fk.OnDelete), t.Def.Name, fk.ParentTable)
		}
	})
}

// parentKey is the name of the parent's key that begins with the referenced columns.
func (s *scan) parentKey(fk *catalog.ForeignKeyDef) string {
	parent := s.cat.TableLike(fk.ParentDB, fk.ParentTable)
	if parent == nil {
		return ""
	}
	covers := func(parts []catalog.IndexPart) bool {
		if len(parts) < len(fk.ParentColumns) {
			return false
		}
		for i, name := range fk.ParentColumns {
			if !strings.EqualFold(parent.Def.Columns[parts[i].Column].Name, name) {
				return false
			}
		}
		return true
	}
	if covers(parent.Def.Primary) {
		return "PRIMARY"
	}
	for _, idx := range ddltext.Indexes(parent.Def) {
		if covers(idx.Parts) {
			return idx.Name
		}
	}
	return ""
}
