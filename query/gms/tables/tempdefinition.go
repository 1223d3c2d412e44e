package tables

import "github.com/duramendb/duramen/catalog"

// Has reports whether there is a temporary table of exactly that name.
func (t *TempTables) Has(db, name string) bool { return t.exact(db, name) != nil }

// HasLike reports whether there is a temporary table whose name differs in the case of letters at most.
func (t *TempTables) HasLike(db, name string) bool { return t.find(db, name) != nil }

// find finds the table whose name differs in the case of letters at most: the SQL engine asks with small letters, too.
func (t *TempTables) find(db, name string) *tempTable {
	if len(t.byName) == 0 {
		return nil
	}
	return t.byName[parentOf(db, name)]
}

// exact finds the table of exactly that name.
func (t *TempTables) exact(db, name string) *tempTable {
	if tmp := t.find(db, name); tmp != nil && tmp.tbl.Def.Name == name && tmp.tbl.Def.DB == db {
		return tmp
	}
	return nil
}

// Definition is what a temporary table of that name is, and the next value of its counter; nil if there is none.
func (t *TempTables) Definition(db, name string) (def *catalog.TableDef, next uint64) {
	tmp := t.exact(db, name)
	if tmp == nil {
		return nil, 0
	}
	if tmp.tbl.AutoIncrement >= 0 {
		next = tmp.rows.nextAuto
	}
	return tmp.tbl.Def, next
}

// Rows is how many rows a temporary table has.
func (t *TempTables) Rows(db, name string) uint64 {
	if tmp := t.exact(db, name); tmp != nil {
		return tmp.count()
	}
	return 0
}
