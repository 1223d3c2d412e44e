package dialect

import "strconv"

// Filter is the end of a SHOW statement: LIKE 'pattern', or WHERE with a condition on the columns of the result, which stays a text.
// MariaDB takes LIKE ” for no filter, and so does the zero value.
type Filter struct{ Like, Where string }

func (f Filter) text() string {
	switch {
	case f.Where != "":
		return "WHERE " + f.Where
	case f.Like != "":
		return "LIKE " + QuoteString(f.Like)
	}
	return ""
}

func fromText(db string) string {
	if db == "" {
		return ""
	}
	return "FROM " + QuoteName(db)
}

// Limit is LIMIT [offset,] count. Its zero value limits nothing.
type Limit struct {
	Given         bool
	Offset, Count uint64
}

// Holds reports whether the row with an index is among those that a LIMIT asks for.
func (l Limit) Holds(index uint64) bool {
	return !l.Given || index >= l.Offset && index-l.Offset < l.Count
}

// Past reports whether neither the row with an index nor any later one is asked for.
func (l Limit) Past(index uint64) bool { return index >= l.Offset && !l.Holds(index) }

func (l Limit) text() string {
	if !l.Given {
		return ""
	}
	return "LIMIT " + number(l.Offset) + ", " + number(l.Count)
}

func number(n uint64) string { return strconv.FormatUint(n, 10) }
