package privilege

// What statements of both kinds need.

// AnyOnDatabase is some privilege on a database or on something in it.
func AnyOnDatabase(db string, _ TableName) []Need {
	return []Need{{On: Database, DB: db, Any: OnDatabase}}
}

// Describing a table needs any privilege on it or on one of its columns.
func Describing(_ string, t TableName) []Need {
	n := NeedTable(t, 0)
	n.Any, n.ByColumn, n.Word = OnTable, true, "SELECT"
	return []Need{n}
}

// listing the objects of a database needs some privilege on it or on something in it, or any global one.
func ListingOf(db string, _ TableName) []Need { return []Need{{On: Database, DB: db, Any: All}} }

// ShowCreateTable needs any privilege on the table as a whole.
func ShowCreate(_ string, t TableName) []Need {
	n := NeedTable(t, 0)
	n.Any, n.Word = OnTable, "SHOW"
	return []Need{n}
}

func ShowCreateView(_ string, t TableName) []Need {
	view := NeedTable(t, ShowView)
	return []Need{NeedTable(t, Select), view}
}

func Locking(t TableName) []Need {
	return []Need{{On: Database, DB: t.DB, Name: t.Name, All: LockTables, Temporary: true}, NeedTable(t, Select)}
}
