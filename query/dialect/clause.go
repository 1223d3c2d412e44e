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

// filter takes LIKE or WHERE at the end of a statement.
func (p *Parser) filter() (f Filter, err error) {
	if p.Accept("LIKE") {
		var ok bool
		if f.Like, ok = p.StringLiteral(); !ok {
			return f, p.Syntax()
		}
	} else if f.Where, err = p.where(); err != nil {
		return f, err
	}
	return f, p.Done()
}

// where takes WHERE with a condition, to the end of the statement; "" if there is none.
func (p *Parser) where() (string, error) {
	if !p.Accept("WHERE") {
		return "", nil
	}
	return p.remainder()
}

// remainder takes what is left of a statement, which must not be nothing.
func (p *Parser) remainder() (string, error) {
	if p.End() {
		return "", p.Syntax()
	}
	text := p.Rest()
	p.Pos = len(p.Tokens)
	return text, nil
}

// fromDB takes [{FROM | IN} db].
func (p *Parser) fromDB() (string, error) {
	if !p.AcceptAny("FROM", "IN") {
		return "", nil
	}
	return p.name()
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

// limitClause takes [LIMIT {[offset,] count | count OFFSET offset}].
func (p *Parser) limitClause() (l Limit, err error) {
	if !p.Accept("LIMIT") {
		return l, nil
	}
	l.Given = true
	if l.Count, err = p.need(); err != nil {
		return l, err
	}
	switch {
	case p.Accept(","):
		l.Offset = l.Count
		l.Count, err = p.need()
	case p.Accept("OFFSET"):
		l.Offset, err = p.need()
	}
	return l, err
}

// need takes a number.
func (p *Parser) need() (uint64, error) {
	n, ok := p.Number()
	if !ok {
		return 0, p.Syntax()
	}
	return n, nil
}

// all takes words of which the first decides: if it stands there, the others must follow.
func (p *Parser) all(first string, others ...string) (bool, error) {
	if !p.Accept(first) {
		return false, nil
	}
	for _, w := range others {
		if !p.Accept(w) {
			return false, p.Syntax()
		}
	}
	return true, nil
}
