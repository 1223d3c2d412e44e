package tables

// TempSet are temporary tables that no session has at the moment. The zero value is empty.
type TempSet struct{ byName map[parentName]*tempTable }

// Empty reports whether there are none.
func (s TempSet) Empty() bool { return len(s.byName) == 0 }

// Exchange gives the session other tables, and yields those that it had. No transaction may be running.
func (t *TempTables) Exchange(next TempSet) TempSet {
	had := TempSet{t.byName}
	t.byName = next.byName
	return had
}
