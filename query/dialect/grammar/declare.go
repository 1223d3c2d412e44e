package grammar

import (
	"github.com/duramendb/duramen/query/dialect/lex"
	"github.com/duramendb/duramen/query/dialect/tree"
	"github.com/duramendb/duramen/query/mysqlerr"
)

// declarations takes DECLARE ...; any number of times. Variables and conditions come first, then cursors, then handlers.
func declarations(p *parser) (all []tree.Declaration) {
	cursors, handlers := false, false
	for p.isWord(lex.WDeclare) {
		d := declaration(p)
		p.expectKind(';')
		switch d.(type) {
		case *tree.DeclareCursor:
			if handlers {
				p.failWith(mysqlerr.New(mysqlerr.SPCursorAfterHandler))
			}
			cursors = true
		case *tree.DeclareHandler:
			handlers = true
		default:
			if cursors || handlers {
				p.failWith(mysqlerr.New(mysqlerr.SPVariableAfterCursor))
			}
		}
		all = append(all, d)
	}
	return all
}

// declaration takes DECLARE.
func declaration(p *parser) tree.Declaration {
	start := p.start()
	p.next()
	if w := p.acceptAny(lex.WContinue, lex.WExit); w != lex.NoWord {
		return declareHandler(p, start, w)
	}
	name := p.ident()
	s := p.routine.scope
	switch {
	case p.accept(lex.WCondition):
		p.expect(lex.WFor)
		n := &tree.DeclareCondition{Name: name, Value: conditionValue(p)}
		if n.Value == nil {
			p.fail()
		}
		p.declare(&s.conditions, &name, mysqlerr.SPDupCond)
		n.Span = p.from(start)
		return n
	case p.accept(lex.WCursor):
		return declareCursor(p, start, name)
	}
	n := &tree.DeclareVariables{Names: []tree.Ident{name}}
	p.declare(&s.variables, &name, mysqlerr.SPDupVar)
	for p.acceptKind(',') {
		next := p.ident()
		p.declare(&s.variables, &next, mysqlerr.SPDupVar)
		n.Names = append(n.Names, next)
	}
	n.Type = variableType(p)
	if p.accept(lex.WDefault) {
		n.Default = expr(p)
	}
	n.Span = p.from(start)
	return n
}

// declareCursor takes a cursor after CURSOR.
func declareCursor(p *parser, start int32, name tree.Ident) tree.Declaration {
	n := &tree.DeclareCursor{Name: name}
	scoped(p, scope{}, func() bool {
		if p.is('(') {
			n.Params = inParens(p, func() []*tree.Param { return commas(p, func() *tree.Param { return cursorParam(p) }) })
		}
		p.expect(lex.WFor)
		n.Query = cursorQuery(p)
		return true
	})
	p.declare(&p.routine.scope.cursors, &name, mysqlerr.SPDupCursor)
	n.Span = p.from(start)
	return n
}

// cursorParam takes a parameter of a cursor.
func cursorParam(p *parser) *tree.Param {
	p.accept(lex.WIn) // as it is without
	return param(p)
}

// declareHandler takes a handler after CONTINUE or EXIT.
func declareHandler(p *parser, start int32, action lex.Word) tree.Declaration {
	p.expect(lex.WHandler, lex.WFor)
	n := &tree.DeclareHandler{Action: action.String()}
	n.For = commas(p, func() *tree.Condition { return handlerCondition(p) })
	n.Body = scoped(p, scope{handler: true}, func() tree.Statement { return routineStatement(p) })
	n.Span = p.from(start)
	return n
}

// handlerCondition takes a condition that a handler handles.
func handlerCondition(p *parser) *tree.Condition {
	if c := conditionValue(p); c != nil {
		return c
	}
	start := p.start()
	n := &tree.Condition{}
	switch {
	case p.accept(lex.WSqlwarning):
		n.Class = "SQLWARNING"
	case p.accept(lex.WSqlexception):
		n.Class = "SQLEXCEPTION"
	case p.accept(lex.WNot):
		p.expect(lex.WFound)
		n.Class = "NOT FOUND"
	default:
		n.Name = knownCondition(p)
	}
	n.Span = p.from(start)
	return n
}

// knownCondition takes the name of a condition.
func knownCondition(p *parser) tree.Ident {
	name := p.ident()
	if p.routine == nil || !p.routine.knows(name.Text, conditionsOf) {
		p.failWith(mysqlerr.New(mysqlerr.SPCondMismatch, name.Text))
	}
	return name
}

// conditionValue takes an error number or SQLSTATE; nil: none follows.
func conditionValue(p *parser) *tree.Condition {
	start := p.start()
	n := &tree.Condition{}
	switch p.peek(0).Kind {
	case lex.Integer, lex.HexNumber, lex.Decimal, lex.Float:
		if n.Errno = number(p); allZeros(n.Errno) {
			p.failWith(mysqlerr.New(mysqlerr.NoSuchKeyValue, "CONDITION", "0"))
		}
	default:
		if !p.isWord(lex.WSqlstate) {
			return nil
		}
		p.next()
		p.accept(lex.WValue)
		n.State = text(p)
		if !isState(*n.State) {
			p.failWith(mysqlerr.New(mysqlerr.SPBadSQLState, *n.State))
		}
	}
	n.Span = p.from(start)
	return n
}

// isState reports whether a text is an SQLSTATE that is not that of success.
func isState(s string) bool {
	for i := range len(s) {
		if c := s[i]; (c < '0' || c > '9') && (c < 'A' || c > 'Z') {
			return false
		}
	}
	return len(s) == 5 && s[:2] != "00"
}

// variableType takes the type of a variable or a parameter.
func variableType(p *parser) *tree.VariableType {
	start := p.start()
	n := &tree.VariableType{}
	switch {
	case p.isWords(lex.WType, lex.WOf):
		p.next()
		p.next()
		n.TypeOf = path(p, 3)
	case p.accept(lex.WRow):
		if p.is('(') {
			n.Fields = inParens(p, func() []*tree.Param { return commas(p, func() *tree.Param { return rowField(p) }) })
			break
		}
		p.expect(lex.WType, lex.WOf)
		n.RowType, n.TypeOf = true, path(p, 3)
	default:
		n.Type = typeWithCollate(p)
	}
	n.Span = p.from(start)
	return n
}

// rowField takes a field of ROW.
func rowField(p *parser) *tree.Param {
	start := p.start()
	n := &tree.Param{Name: p.ident()}
	if p.isWord(lex.WRow) {
		p.fail()
	}
	n.Type = variableType(p)
	n.Span = p.from(start)
	return n
}

// param takes a parameter.
func param(p *parser) *tree.Param {
	start := p.start()
	n := &tree.Param{Name: p.ident()}
	p.declare(&p.routine.scope.variables, &n.Name, mysqlerr.SPDupParam)
	n.Type = variableType(p)
	n.Span = p.from(start)
	return n
}

// signal takes SIGNAL and RESIGNAL.
func signal(p *parser) tree.Statement {
	start := p.start()
	n := &tree.Signal{Again: p.next().Word == lex.WResignal}
	if n.Condition = conditionOf(p); n.Condition == nil && !n.Again {
		p.fail()
	}
	if p.accept(lex.WSet) {
		seen := map[string]bool{}
		n.Set = commas(p, func() *tree.SignalItem {
			start := p.start()
			i := &tree.SignalItem{Name: wordValue(p, signalItems...).Text}
			p.expectKind('=')
			if i.Value = simpleValue(p); isAssignment(i.Value) {
				p.fail()
			}
			if seen[i.Name] {
				p.failWith(mysqlerr.New(mysqlerr.DupSignalSet, i.Name))
			}
			seen[i.Name] = true
			i.Span = p.from(start)
			return i
		})
	}
	n.Span = p.from(start)
	return n
}

// conditionOf takes what is signalled; nil: nothing follows.
func conditionOf(p *parser) *tree.Condition {
	switch {
	case p.isWord(lex.WSqlstate):
		return conditionValue(p)
	case p.isName(0):
		name := knownCondition(p)
		return &tree.Condition{Span: name.Span, Name: name}
	}
	return nil
}

var signalItems = []lex.Word{
	lex.WClassOrigin, lex.WSubclassOrigin, lex.WConstraintCatalog, lex.WConstraintSchema, lex.WConstraintName, lex.WCatalogName,
	lex.WSchemaName, lex.WTableName, lex.WColumnName, lex.WCursorName, lex.WMessageText, lex.WMysqlErrno, lex.WRowNumber,
}

var conditionItems = append([]lex.Word{lex.WReturnedSqlstate}, signalItems...)

// diagnostics takes GET DIAGNOSTICS.
func diagnostics(p *parser) tree.Statement {
	start := p.start()
	p.next()
	p.accept(lex.WCurrent)
	p.expect(lex.WDiagnostics)
	n := &tree.Diagnostics{}
	items := []lex.Word{lex.WNumber, lex.WRowCount}
	if p.accept(lex.WCondition) {
		n.Number = simpleValue(p)
		items = conditionItems
	}
	n.Items = commas(p, func() *tree.DiagnosticsItem {
		start := p.start()
		i := &tree.DiagnosticsItem{Session: p.acceptKind('@')}
		if i.Session {
			i.Target = identOrText(p)
		} else if t := p.peek(0); t.Kind == lex.AtAt {
			t.Start++
			p.failAt(t)
		} else if i.Target = p.ident(); p.routine == nil || !p.routine.knows(i.Target.Text, variablesOf) {
			p.failWith(mysqlerr.New(mysqlerr.SPUndeclaredVar, i.Target.Text))
		}
		p.expectKind('=')
		i.Name = wordValue(p, items...).Text
		i.Span = p.from(start)
		return i
	})
	n.Span = p.from(start)
	return n
}

// isAssignment reports whether an expression is @a := ...
func isAssignment(x tree.Expr) bool {
	_, ok := x.(*tree.AssignVariable)
	return ok
}

// simpleValue takes what SIGNAL and GET DIAGNOSTICS allow: a literal, a variable, a name.
func simpleValue(p *parser) tree.Expr {
	t := p.peek(0)
	switch t.Kind {
	case '@':
		return userVariable(p, true)
	case lex.AtAt, lex.Integer, lex.Decimal, lex.Float, lex.String, lex.NString, lex.Introducer, lex.HexNumber, lex.HexString, lex.BitNumber,
		lex.BitString:
		return primary(p)
	}
	switch t.Word {
	case lex.WNull, lex.WTrue, lex.WFalse:
		return primary(p)
	case lex.WDate, lex.WTime, lex.WTimestamp:
		if p.peek(1).Kind == lex.String {
			return primary(p)
		}
	}
	if !p.isName(0) {
		p.fail()
	}
	n := column(p)
	if p.routine == nil && n.Table.Text == "" {
		p.failWith(mysqlerr.New(mysqlerr.BadField, n.Name.Text, "field list"))
	}
	return n
}
