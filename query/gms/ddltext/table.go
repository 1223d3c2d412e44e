package ddltext

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/duramendb/duramen/catalog"
	"github.com/duramendb/duramen/query/types/charset"
)

// Table is the CREATE TABLE statement of a table, without ENGINE if the definition names none; next is the value of its auto-increment counter,
// 0 or 1 if it need not be shown.
func Table(def *catalog.TableDef, next uint64) string { return Style{}.table(def, next) }

// table is Table with names in backquotes.
func (st Style) table(def *catalog.TableDef, next uint64) string {
	var lines []string
	for i := range def.Columns {
		if c := &def.Columns[i]; !c.Hidden {
			lines = append(lines, "  "+st.column(def, c))
		}
	}
	if len(def.Primary) > 0 {
		lines = append(lines, "  PRIMARY KEY ("+parts(def, def.Primary)+")")
	}
	for _, idx := range Indexes(def) {
		lines = append(lines, "  "+st.index(def, idx))
	}
	var keys []string
	for i := range def.ForeignKeys {
		keys = append(keys, "  "+ForeignKey(def, &def.ForeignKeys[i]))
	}
	slices.Sort(keys) // InnoDB keeps them by name
	lines = append(lines, keys...)
	for i := range def.Checks {
		if c := &def.Checks[i]; c.Column == "" {
			lines = append(lines, "  CONSTRAINT "+Name(c.Name)+" CHECK ("+Expression(c.Expression)+")")
		}
	}
	var b strings.Builder
	fmt.Fprintf(&b, "CREATE TABLE %s (\n%s\n)", Name(def.Name), strings.Join(lines, ",\n"))
	if !st.noTable {
		st.tableOptions(&b, def, next)
	}
	if def.Partitioning != nil {
		engine := def.Engine
		if st.noTable {
			engine = ""
		}
		b.WriteString("\n " + Partitioning(def.Partitioning, engine))
	}
	return b.String()
}

func (st Style) tableOptions(b *strings.Builder, def *catalog.TableDef, next uint64) {
	if def.Engine != "" {
		word := " ENGINE="
		if st.oldTypes {
			word = " TYPE="
		}
		b.WriteString(word + def.Engine)
	}
	if next > 1 {
		fmt.Fprintf(b, " AUTO_INCREMENT=%d", next)
	}
	if c, ok := charset.ByName(def.Collation); ok && !st.oldTypes {
		fmt.Fprintf(b, " DEFAULT CHARSET=%s COLLATE=%s", c.Set().Name(), c.Name())
	}
	if text := Options(def); text != "" {
		b.WriteString(" " + text)
	}
	if def.Comment != "" {
		b.WriteString(" COMMENT=" + Text(def.Comment))
	}
}

// optionOrder are the table options that are kept (catalog.TableDef.Options under their lower case
// names) and shown, in MariaDB's order. The storage takes no notice of any.
var optionOrder = []string{
	"min_rows", "max_rows", "avg_row_length", "pack_keys", "stats_persistent", "stats_auto_recalc", "stats_sample_pages",
	"checksum", "delay_key_write", "row_format", "key_block_size",
}

// IsOption reports whether a table option is one that is kept.
func IsOption(name string) bool {
	for _, o := range optionOrder {
		if strings.EqualFold(o, name) {
			return true
		}
	}
	return false
}

// Options are a table's further options as SHOW CREATE TABLE has them.
func Options(def *catalog.TableDef) string {
	var out []string
	for _, name := range optionOrder {
		if v := def.Options[name]; v != "" {
			out = append(out, strings.ToUpper(name)+"="+strings.ToUpper(v))
		}
	}
	return strings.Join(out, " ")
}

// Indexes are a table's secondary indexes in the order in which MariaDB keeps them (sort_keys in
// sql/sql_table.cc): unique ones first, of these those that cannot be NULL and those without
// prefixes; full-text ones last.
func Indexes(def *catalog.TableDef) []*catalog.IndexDef {
	out := make([]*catalog.IndexDef, len(def.Indexes))
	for i := range def.Indexes {
		out[i] = &def.Indexes[i]
	}
	rank := func(idx *catalog.IndexDef) (r int) {
		if !idx.Unique {
			if idx.Kind == catalog.Fulltext {
				return 9
			}
			return 8
		}
		if idx.Hash {
			return 4
		}
		for _, p := range idx.Parts {
			if def.Columns[p.Column].Nullable {
				r |= 2
			}
			if p.Prefix > 0 {
				r |= 1
			}
		}
		return r
	}
	slices.SortStableFunc(out, func(a, b *catalog.IndexDef) int { return rank(a) - rank(b) })
	return out
}

func parts(def *catalog.TableDef, of []catalog.IndexPart) string {
	out := make([]string, len(of))
	for i, p := range of {
		out[i] = Name(def.Columns[p.Column].Name)
		if p.Prefix > 0 {
			out[i] += "(" + strconv.Itoa(p.Prefix) + ")"
		}
	}
	return strings.Join(out, ",")
}

// index is a secondary index's line of SHOW CREATE TABLE.
func (st Style) index(def *catalog.TableDef, idx *catalog.IndexDef) string {
	kind := "KEY"
	switch {
	case idx.Kind != "":
		kind = strings.ToUpper(idx.Kind) + " KEY"
	case idx.Unique:
		kind = "UNIQUE KEY"
	}
	text := kind + " " + Name(idx.Name) + " (" + parts(def, idx.Parts) + ")"
	if st.noKeys {
		return text
	}
	if using := idx.Options[IndexUsing]; idx.Hash {
		text += " USING HASH"
	} else if using != "" {
		text += " USING " + strings.ToUpper(using)
	}
	if idx.Comment != "" {
		text += " COMMENT " + Text(idx.Comment)
	}
	return text
}

// IndexUsing is the key of catalog.IndexDef.Options that holds the algorithm of a USING clause.
const IndexUsing = "using"

// ForeignKey is a foreign key's clause: CONSTRAINT name FOREIGN KEY ...
func ForeignKey(def *catalog.TableDef, fk *catalog.ForeignKeyDef) string {
	list := func(names []string) string {
		quoted := make([]string, len(names))
		for i, n := range names {
			quoted[i] = Name(n)
		}
		return strings.Join(quoted, ", ")
	}
	parent := Name(fk.ParentTable)
	if !strings.EqualFold(fk.ParentDB, def.DB) && fk.ParentDB != "" {
		parent = Name(fk.ParentDB) + "." + parent
	}
	text := "CONSTRAINT " + Name(fk.Name) + " FOREIGN KEY (" + list(fk.Columns) + ") REFERENCES " + parent + " (" + list(fk.ParentColumns) + ")"
	for _, action := range [][2]string{{"DELETE", fk.OnDelete}, {"UPDATE", fk.OnUpdate}} {
		if a := Rule(action[1]); a != "RESTRICT" {
			text += " ON " + action[0] + " " + a
		}
	}
	return text
}

// Rule is a foreign key's action; RESTRICT is the default.
func Rule(action string) string {
	a := strings.ToUpper(action)
	if a == "" || a == "DEFAULT" {
		return "RESTRICT"
	}
	return a
}
