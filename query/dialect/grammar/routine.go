package grammar

import (
	"github.com/duramendb/duramen/query/dialect/lex"
	"github.com/duramendb/duramen/query/dialect/tree"
	"github.com/duramendb/duramen/query/mysqlerr"
)

// createRoutine takes CREATE PROCEDURE and CREATE FUNCTION, from there on.
func createRoutine(p *parser, start int32, orReplace bool, definer *tree.Account) tree.Statement {
	n := &tree.CreateRoutine{OrReplace: orReplace, Definer: definer}
	switch p.next().Word {
	case lex.WAggregate:
		p.expect(lex.WFunction)
		n.Kind = tree.AggregateFunction
	case lex.WFunction:
		n.Kind = tree.Function
	}
	n.IfNotExists = ifNotExists(p)
	n.Name = routineName(p)
	if n.Kind != tree.Procedure && definer == nil && n.Name.DB.Text == "" && p.isWord(lex.WReturns) {
		return libraryFunction(p, start, n)
	}
	if p.routine != nil {
		word := "PROCEDURE"
		if n.Kind != tree.Procedure {
			word = "FUNCTION"
		}
		p.failWith(mysqlerr.New(mysqlerr.SPNoRecursiveCreate, word))
	}
	kind := procedureBody
	if n.Kind != tree.Procedure {
		kind = functionBody
	}
	_, r := body(p, kind, func() bool {
		routineRest(p, n)
		return true
	})
	if kind == functionBody {
		allowedInFunction(p, r, "function")
		if !r.returns {
			p.failWith(mysqlerr.New(mysqlerr.SPNoReturn, qualified(n.Name)))
		}
	}
	n.Span = p.from(start)
	return n
}

// routineName takes the name of a routine, a trigger or an event. Unlike that of a table it does not begin with a point.
func routineName(p *parser) *tree.TableName {
	if p.is('.') {
		p.fail()
	}
	return p.tableName()
}

// qualified is the name of an object with that of its database, if the text has that.
func qualified(n *tree.TableName) string {
	if n.DB.Text == "" {
		return n.Name.Text
	}
	return n.DB.Text + "." + n.Name.Text
}

// routineRest takes a routine from its parameters on.
func routineRest(p *parser, n *tree.CreateRoutine) {
	p.expectKind('(')
	if !p.is(')') {
		n.Params = commas(p, func() *tree.Param {
			start := p.start()
			mode := p.acceptAny(lex.WIn, lex.WOut, lex.WInout)
			param := param(p)
			if mode != lex.NoWord {
				param.Mode, param.Start = mode.String(), start
			}
			return param
		})
	}
	p.expectKind(')')
	if n.Kind != tree.Procedure {
		p.expect(lex.WReturns)
		if p.isWords(lex.WRow) && !p.isWords(lex.WRow, lex.WType) {
			p.fail()
		}
		n.Returns = variableType(p)
	}
	n.Characteristics = characteristics(p, true)
	if n.Kind == tree.Procedure {
		n.Body = routineStatement(p)
	} else if n.Body = functionBodyStatement(p); n.Body == nil {
		p.fail()
	}
}

// characteristics takes what is said of a routine.
func characteristics(p *parser, create bool) (all []*tree.Option) {
	for {
		start := p.start()
		o := &tree.Option{}
		switch w := p.peek(0).Word; {
		case w == lex.WComment:
			o = option(p, 1, func() *tree.Value { return textValue(p) })
		case w == lex.WLanguage, w == lex.WNo, w == lex.WContains:
			p.next()
			p.expect(lex.WSql)
			o.Name = w.String() + " SQL"
		case w == lex.WReads, w == lex.WModifies:
			p.next()
			p.expect(lex.WSql, lex.WData)
			o.Name = w.String() + " SQL DATA"
		case w == lex.WSql:
			o.Name = "SQL SECURITY " + security(p)
		case w == lex.WDeterministic && create:
			o = option(p, 1, nil)
		case w == lex.WNot && create:
			p.next()
			p.expect(lex.WDeterministic)
			o.Name = "NOT DETERMINISTIC"
		default:
			return all
		}
		o.Span = p.from(start)
		all = append(all, o)
	}
}

// libraryFunction takes a function of a library, from RETURNS on.
func libraryFunction(p *parser, start int32, r *tree.CreateRoutine) tree.Statement {
	p.next()
	n := &tree.CreateLibraryFunction{
		OrReplace: r.OrReplace, IfNotExists: r.IfNotExists, Aggregate: r.Kind == tree.AggregateFunction, Name: r.Name.Name,
	}
	switch wordValue(p, lex.WString, lex.WReal, lex.WDecimal, lex.WDec, lex.WInt, lex.WInteger).Text {
	case "STRING":
		n.Returns = "STRING"
	case "REAL":
		n.Returns = "REAL"
	case "INT", "INTEGER":
		n.Returns = "INTEGER"
	default:
		n.Returns = "DECIMAL"
	}
	p.expect(lex.WSoname)
	n.Library = p.stringLiteral()
	n.Span = p.from(start)
	return n
}

// alterRoutine takes ALTER PROCEDURE and ALTER FUNCTION, from there on.
func alterRoutine(p *parser, start int32) tree.Statement {
	w := p.next().Word
	n := &tree.AlterRoutine{Name: routineName(p)}
	if w == lex.WFunction {
		n.Kind = tree.Function
	}
	if p.routine != nil {
		p.failWith(mysqlerr.New(mysqlerr.SPNoDropSP, w))
	}
	n.Characteristics = characteristics(p, false)
	n.Span = p.from(start)
	return n
}

// createTrigger takes CREATE TRIGGER, from TRIGGER on.
func createTrigger(p *parser, start int32, orReplace bool, definer *tree.Account) tree.Statement {
	p.next()
	n := &tree.CreateTrigger{OrReplace: orReplace, IfNotExists: ifNotExists(p), Definer: definer, Name: routineName(p)}
	n.Time = wordValue(p, lex.WBefore, lex.WAfter).Text
	n.Event = wordValue(p, lex.WInsert, lex.WUpdate, lex.WDelete).Text
	p.expect(lex.WOn)
	n.Table = p.tableName()
	p.expect(lex.WFor, lex.WEach, lex.WRow)
	if w := p.acceptAny(lex.WFollows, lex.WPrecedes); w != lex.NoWord {
		n.Order, n.Anchor = w.String(), identOrText(p)
	}
	if p.routine != nil {
		p.failWith(mysqlerr.New(mysqlerr.SPNoRecursiveCreate, "TRIGGER"))
	}
	var r *routine
	n.Body, r = body(p, triggerBody, func() tree.Statement { return routineStatement(p) })
	allowedInFunction(p, r, "trigger")
	n.Span = p.from(start)
	return n
}

// createEvent takes CREATE EVENT, from EVENT on.
func createEvent(p *parser, start int32, orReplace bool, definer *tree.Account) tree.Statement {
	p.next()
	n := &tree.Event{OrReplace: orReplace, IfNotExists: ifNotExists(p), Definer: definer, Name: routineName(p)}
	p.expect(lex.WOn, lex.WSchedule)
	n.Schedule = schedule(p)
	if p.accept(lex.WOn) {
		eventCompletion(p, n)
	}
	eventStatus(p, n)
	p.expect(lex.WDo)
	eventStatement(p, n)
	n.Span = p.from(start)
	return n
}

// alterEvent takes ALTER EVENT, from EVENT on.
func alterEvent(p *parser, start int32, definer *tree.Account) tree.Statement {
	p.next()
	n := &tree.Event{Alter: true, Definer: definer, Name: routineName(p)}
	at := p.end
	if p.accept(lex.WOn) {
		if p.accept(lex.WSchedule) {
			n.Schedule = schedule(p)
			if p.accept(lex.WOn) {
				eventCompletion(p, n)
			}
		} else {
			eventCompletion(p, n)
		}
	}
	if p.accept(lex.WRename) {
		p.expect(lex.WTo)
		n.Rename = routineName(p)
	}
	eventStatus(p, n)
	if p.accept(lex.WDo) {
		eventStatement(p, n)
	}
	if p.end == at {
		p.fail()
	}
	n.Span = p.from(start)
	return n
}

// schedule takes a schedule after SCHEDULE.
func schedule(p *parser) *tree.Schedule {
	start := p.start()
	n := &tree.Schedule{}
	if p.accept(lex.WAt) {
		n.At = expr(p)
	} else {
		p.expect(lex.WEvery)
		n.Every = expr(p)
		n.Unit = scheduleUnit(p)
		if p.accept(lex.WStarts) {
			n.Starts = expr(p)
		}
		if p.accept(lex.WEnds) {
			n.Ends = expr(p)
		}
	}
	n.Span = p.from(start)
	return n
}

// eventCompletion takes COMPLETION [NOT] PRESERVE.
func eventCompletion(p *parser, n *tree.Event) {
	p.expect(lex.WCompletion)
	n.Completion = "PRESERVE"
	if p.accept(lex.WNot) {
		n.Completion = "NOT PRESERVE"
	}
	p.expect(lex.WPreserve)
}

// eventStatus takes whether an event is enabled, and its comment.
func eventStatus(p *parser, n *tree.Event) {
	switch p.acceptAny(lex.WEnable, lex.WDisable) {
	case lex.WEnable:
		n.Status = "ENABLE"
	case lex.WDisable:
		n.Status = "DISABLE"
		if p.accept(lex.WOn) {
			if !isReplica(p, 0) {
				p.fail()
			}
			p.next()
			n.Status = "DISABLE ON SLAVE"
		}
	}
	if p.accept(lex.WComment) {
		n.Comment = text(p)
	}
}

// eventStatement takes what an event does.
func eventStatement(p *parser, n *tree.Event) {
	if p.routine != nil {
		p.failWith(mysqlerr.New(mysqlerr.EventRecursionForbidden))
	}
	n.Body, _ = body(p, eventBody, func() tree.Statement { return routineStatement(p) })
}
