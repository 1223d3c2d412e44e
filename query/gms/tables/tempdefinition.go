package tables

import "github.com/duramendb/duramen/catalog"

// Definition is what a temporary table of that name is, and the next value of its counter; nil if there is none.
func (t *TempTables) Definition(db, name string) (def *catalog.TableDef, next uint64) {
	tmp := t.find(db, name)
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
	if tmp := t.find(db, name); tmp != nil {
		return tmp.count()
	}
	return 0
}
