package grammar

import (
	"github.com/duramendb/duramen/query/dialect/lex"
	"github.com/duramendb/duramen/query/dialect/tree"
)

// insert takes INSERT and REPLACE.
func insert(p *parser, t lex.Token) tree.Statement {
	n := &tree.Insert{Replace: t.Word == lex.WReplace}
	switch {
	case p.accept(lex.WLowPriority):
		n.Priority = tree.LowPriority
	case p.accept(lex.WDelayed):
		n.Priority = tree.Delayed
	case !n.Replace && p.accept(lex.WHighPriority):
		n.Priority = tree.HighPriority
	}
	n.Ignore = !n.Replace && p.accept(lex.WIgnore)
	p.accept(lex.WInto)
	n.Table = p.tableName()
	n.Partitions = partitions(p)
	switch {
	case p.accept(lex.WSet):
		n.Set = list(p, assignment)
	case p.is('(') && p.peek(1).Word == lex.WWith:
		n.Query = inParens(p, p.query)
	case p.is('(') && p.peek(1).Word == lex.WValues && p.peek(2).Kind != '(': // no column has that name
		p.next()
		p.next()
		p.fail()
	case p.is('(') && p.peek(1).Kind != '(' && !isQuery(p):
		p.next()
		n.Columns = []tree.Expr{}
		if !p.is(')') {
			n.Columns = list(p, insertColumn)
		}
		p.expectKind(')')
		insertValues(p, n)
	default:
		insertValues(p, n)
	}
	if !n.Replace && p.accept(lex.WOn) {
		p.expect(lex.WDuplicate, lex.WKey, lex.WUpdate)
		p.valuesCall = true
		n.OnDuplicate = list(p, assignment)
		p.valuesCall = false
	}
	n.Returning = returning(p)
	n.Span = p.from(t.Start)
	return n
}

// partitions takes PARTITION (...), if it is there.
func partitions(p *parser) []tree.Ident {
	if !p.accept(lex.WPartition) {
		return nil
	}
	return columnNames(p)
}

// returning takes RETURNING, if it is there.
func returning(p *parser) []*tree.SelectItem {
	if !p.accept(lex.WReturning) {
		return nil
	}
	return selectItems(p)
}

func insertColumn(p *parser) tree.Expr {
	if isTableStar(p) {
		return tableStar(p)
	}
	return column(p)
}

// insertValues takes VALUES (...), or a query.
func insertValues(p *parser, n *tree.Insert) {
	if p.acceptAny(lex.WValues, lex.WValue) == lex.NoWord {
		if !isQueryWord(p) && !p.is('(') {
			p.fail()
		}
		n.Query = selectQuery(p)
		return
	}
	start := p.start()
	insertRows(p, n)
	if continuesQuery(p) {
		values := &tree.Values{Span: p.from(start), Rows: n.Rows}
		n.Query, n.Rows = queryEnd(p, start, nil, values, false, false), nil
	}
}

// insertRows takes rows, and gives them away as they come if that is asked for.
func insertRows(p *parser, n *tree.Insert) {
	if p.o.Row == nil {
		n.Rows = list(p, insertRow)
		return
	}
	before := p.made
	p.lent = &rowNodes{}
	for more := true; more; more = p.sign(',') {
		if row := &p.lent.row; p.o.Row(insertRowInto(p, row)) {
			before = p.made
			p.lent = &rowNodes{}
		} else {
			p.made = before
			p.lent.reset()
		}
	}
	p.lent = nil
}

// insertRow takes (...), which may be empty.
func insertRow(p *parser) *tree.Row { return insertRowInto(p, &tree.Row{}) }

// insertRowInto is insertRow with the node to fill.
func insertRowInto(p *parser, n *tree.Row) *tree.Row {
	p.expectSign('(')
	start := p.end - 1
	x := plain(p) // before anything is looked at, which reads it as a token like any other
	if x == nil && !p.is(')') {
		x = exprOrDefault(p)
	}
	if x != nil {
		n.Items = append(n.Items, x)
		for p.sign(',') {
			n.Items = append(n.Items, exprOrDefault(p))
		}
	}
	p.expectSign(')')
	n.Span = p.from(start)
	return n
}

// assignment takes column = value.
func assignment(p *parser) *tree.Assignment {
	start := p.start()
	n := &tree.Assignment{Column: column(p)}
	equal(p)
	n.Value = exprOrDefault(p)
	n.Span = p.from(start)
	return n
}

// equal takes = or :=.
func equal(p *parser) {
	if !p.acceptKind('=') {
		p.expectKind(lex.Assign)
	}
}

// update takes UPDATE.
func update(p *parser, t lex.Token) tree.Statement {
	n := &tree.Update{}
	if p.accept(lex.WLowPriority) {
		n.Priority = tree.LowPriority
	}
	n.Ignore = p.accept(lex.WIgnore)
	n.Tables = list(p, tableReference)
	if len(n.Tables) == 1 && p.isWord(lex.WFor) {
		only, ok := n.Tables[0].(*tree.Table)
		if !ok || only.Alias != nil || only.Time != nil || only.Hints != nil {
			p.fail()
		}
		n.Portion = portion(p)
		only.Alias = tableAlias(p)
		only.Hints = indexHints(p)
		only.End = p.end
	}
	p.expect(lex.WSet)
	n.Set = list(p, assignment)
	n.Where, n.OrderBy, n.Limit = changeTail(p)
	n.Span = p.from(t.Start)
	return n
}

// changeTail takes WHERE, ORDER BY and LIMIT of an UPDATE or DELETE.
func changeTail(p *parser) (tree.Expr, []*tree.Order, *tree.Limit) {
	where := whereClause(p)
	orders := orderBy(p)
	if !p.isWord(lex.WLimit) {
		return where, orders, nil
	}
	start := p.next().Start
	if p.accept(lex.WRows) { // the server's parser goes one word further, too
		p.fail()
	}
	n := &tree.Limit{Count: limitValue(p)}
	if p.accept(lex.WRows) {
		p.fail()
	}
	n.Span = p.from(start)
	return where, orders, n
}

// whereClause takes WHERE; nil: there is none.
func whereClause(p *parser) tree.Expr {
	if !p.accept(lex.WWhere) {
		return nil
	}
	return expr(p)
}

// portion takes FOR PORTION OF.
func portion(p *parser) *tree.Portion {
	start := p.start()
	p.expect(lex.WFor, lex.WPortion)
	if p.isWords(lex.WOf, lex.WSystemTime) {
		p.fail()
	}
	p.expect(lex.WOf)
	n := &tree.Portion{Name: p.ident()}
	p.expect(lex.WFrom)
	n.Start = bitExpr(p)
	p.expect(lex.WTo)
	n.End = bitExpr(p)
	n.Span = p.from(start)
	return n
}

// deleteRows takes DELETE.
func deleteRows(p *parser, t lex.Token) tree.Statement {
	n := &tree.Delete{}
	if n.History = p.accept(lex.WHistory); !n.History {
		for more := true; more; {
			switch p.acceptAny(lex.WQuick, lex.WLowPriority, lex.WIgnore) {
			case lex.WQuick:
				n.Quick = true
			case lex.WLowPriority:
				n.Priority = tree.LowPriority
			case lex.WIgnore:
				n.Ignore = true
			default:
				more = false
			}
		}
	}
	switch {
	case p.accept(lex.WFrom):
		deleteFrom(p, n)
	case n.History:
		p.fail()
	default:
		n.Targets = list(p, deleteTarget)
		p.expect(lex.WFrom)
		n.From = list(p, tableReference)
		n.Where = whereClause(p)
	}
	n.Span = p.from(t.Start)
	return n
}

// deleteFrom takes what follows DELETE FROM: one table, or several and USING.
func deleteFrom(p *parser, n *tree.Delete) {
	start := p.start()
	first := deleteTarget(p)
	wild := p.end > first.End
	if !n.History && (wild || p.is(',') || p.isWord(lex.WUsing)) {
		n.Targets = []*tree.TableName{first}
		for p.acceptKind(',') {
			n.Targets = append(n.Targets, deleteTarget(p))
		}
		p.expect(lex.WUsing)
		n.From = list(p, tableReference)
		n.Where = whereClause(p)
		return
	}
	table := &tree.Table{Name: first}
	table.Partitions = partitions(p)
	table.Span = p.from(start)
	n.From = []tree.TableRef{table}
	if n.History {
		if p.accept(lex.WBefore) {
			p.expect(lex.WSystemTime)
			n.Before = timePoint(p)
		}
		return
	}
	if p.isWord(lex.WFor) {
		n.Portion = portion(p)
	}
	n.Where, n.OrderBy, n.Limit = changeTail(p)
	n.Returning = returning(p)
}

// deleteTarget takes the name of a table, perhaps with .* behind it.
func deleteTarget(p *parser) *tree.TableName {
	start := p.start()
	p.acceptKind('.')
	n := &tree.TableName{Name: p.ident()}
	if p.is('.') && p.peek(1).Kind != '*' {
		p.next()
		n.DB, n.Name = n.Name, p.identAfterPoint()
	}
	n.Span = p.from(start)
	if p.acceptKind('.') {
		p.expectKind('*')
	}
	return n
}

// load takes LOAD DATA and LOAD XML.
func load(p *parser, t lex.Token) tree.Statement {
	n := &tree.Load{XML: p.accept(lex.WXml)}
	if !n.XML {
		p.expect(lex.WData)
	}
	switch {
	case p.accept(lex.WLowPriority):
		n.Priority = tree.LowPriority
	case p.accept(lex.WConcurrent):
		n.Priority = tree.Concurrent
	}
	n.Local = p.accept(lex.WLocal)
	p.expect(lex.WInfile)
	n.File = p.stringLiteral()
	if n.Replace = p.accept(lex.WReplace); !n.Replace {
		n.Ignore = p.accept(lex.WIgnore)
	}
	p.expect(lex.WInto, lex.WTable)
	n.Table = p.tableName()
	n.Partitions = partitions(p)
	if isCharsetWord(p) {
		charsetWords(p)
		n.Charset = namedCharset(p)
	}
	if p.accept(lex.WRows) {
		p.expect(lex.WIdentified, lex.WBy)
		n.RowTag = plainText(p)
	}
	n.Format = textFormat(p)
	if p.accept(lex.WIgnore) {
		n.Skip = integerLiteral(p)
		if p.acceptAny(lex.WLines, lex.WRows) == lex.NoWord {
			p.fail()
		}
	}
	if p.acceptKind('(') {
		n.Fields = []tree.Expr{}
		if !p.is(')') {
			n.Fields = list(p, loadField)
		}
		p.expectKind(')')
	}
	if p.accept(lex.WSet) {
		n.Set = list(p, assignment)
	}
	n.Span = p.from(t.Start)
	return n
}

// loadField takes a column, or @a.
func loadField(p *parser) tree.Expr {
	if p.is('@') {
		return userVariable(p, false)
	}
	return column(p)
}

// callRoutine takes CALL.
func callRoutine(p *parser, t lex.Token) tree.Statement {
	n := &tree.CallRoutine{Name: p.ident()}
	if p.acceptKind('.') {
		n.DB, n.Name = n.Name, p.identAfterPoint()
	}
	if n.DB.Text != "" && p.acceptKind('.') {
		n.Package, n.Name = n.Name, p.identAfterPoint()
	}
	if p.is('(') {
		n.Args = arguments(p, expr)
	}
	n.Span = p.from(t.Start)
	return n
}

// do takes DO.
func do(p *parser, t lex.Token) tree.Statement {
	n := &tree.Do{Items: list(p, expr)}
	n.Span = p.from(t.Start)
	return n
}

// handler takes HANDLER.
func handler(p *parser, t lex.Token) tree.Statement {
	table := p.tableName()
	if table.DB.Text != "" && !p.isWord(lex.WOpen) {
		p.fail()
	}
	switch p.acceptAny(lex.WOpen, lex.WClose, lex.WRead) {
	case lex.WOpen:
		alias := tableAlias(p)
		return &tree.HandlerOpen{Span: p.from(t.Start), Table: table, Alias: alias}
	case lex.WClose:
		return &tree.HandlerClose{Span: p.from(t.Start), Table: table}
	case lex.NoWord:
		p.fail()
	}
	n := &tree.HandlerRead{Table: table}
	if w := p.peek(0).Word; w != lex.WFirst && w != lex.WNext || !p.isName(0) || isHandlerStep(p) {
		index := p.ident()
		n.Index = &index
	}
	switch w := p.acceptAny(lex.WFirst, lex.WNext, lex.WPrev, lex.WLast); {
	case w != lex.NoWord:
		n.Step = w.String()
	default:
		op, bind := operatorOf(p, p.peek(0))
		if bind != tree.BindCompare || op == opOther || op == tree.OpNullSafeEqual || op == tree.OpNotEqual {
			p.fail()
		}
		p.next()
		n.Op = op
		p.expectKind('(')
		n.Key = list(p, exprOrDefault)
		p.expectKind(')')
	}
	n.Where = whereClause(p)
	n.Limit = limit(p)
	n.Span = p.from(t.Start)
	return n
}

// isHandlerStep reports whether the token behind the next one says which row to read.
func isHandlerStep(p *parser) bool {
	switch t := p.peek(1); t.Kind {
	case '=', '<', '>', lex.LessEqual, lex.GreaterEqual:
		return true
	default:
		return t.Word == lex.WFirst || t.Word == lex.WNext || t.Word == lex.WPrev || t.Word == lex.WLast
	}
}
