package grammar

import (
	"github.com/duramendb/duramen/query/dialect/lex"
	"github.com/duramendb/duramen/query/dialect/tree"
)

// isAlterTable reports whether [ONLINE | IGNORE ...] TABLE follows ALTER.
func isAlterTable(p *parser) bool {
	w := p.peek(0).Word
	return w == lex.WTable || w == lex.WOnline || w == lex.WIgnore
}

// alterTable takes ALTER TABLE, after ALTER.
func alterTable(p *parser, start int32) tree.Statement {
	n := &tree.AlterTable{}
	for !p.accept(lex.WTable) {
		switch p.acceptAny(lex.WOnline, lex.WIgnore) {
		case lex.WOnline:
			n.Online = true
		case lex.WIgnore:
			n.Ignore = true
		default:
			p.fail()
		}
	}
	n.IfExists = ifExists(p)
	n.Name = p.tableName()
	n.Wait = waitClause(p)
	alterActions(p, n)
	n.Span = p.from(start)
	return n
}

// alterActions takes what is done with the table: nothing, one of the actions that stand alone, or a list.
func alterActions(p *parser, n *tree.AlterTable) {
	switch {
	case p.is(lex.EOF), p.is(';'):
		return
	case p.isWord(lex.WPartition):
		n.Partitioning = partitioning(p)
		return
	case p.accept(lex.WRemove):
		p.expect(lex.WPartitioning)
		n.Unpartition = true
		return
	}
	if a := lonelyAction(p); a != nil {
		n.Actions = []tree.Action{a}
		return
	}
	n.Actions = commas(p, func() tree.Action { return alterAction(p) })
	switch {
	case p.isWord(lex.WPartition):
		n.Partitioning = partitioning(p)
	case p.isWord(lex.WRemove):
		p.next()
		p.expect(lex.WPartitioning)
		n.Unpartition = true
	}
}

// alterWords takes an action that consists of keywords.
func alterWords(p *parser, words ...lex.Word) *tree.AlterWords {
	start := p.start()
	n := &tree.AlterWords{}
	for i, w := range words {
		p.expect(w)
		if i > 0 {
			n.Words += " "
		}
		n.Words += w.String()
	}
	n.Span = p.from(start)
	return n
}

// lonelyAction takes an action that stands alone; nil: none follows.
func lonelyAction(p *parser) tree.Action {
	switch p.peek(0).Word {
	case lex.WDiscard:
		return alterWords(p, lex.WDiscard, lex.WTablespace)
	case lex.WImport:
		return alterWords(p, lex.WImport, lex.WTablespace)
	case lex.WExchange:
		return exchangePartition(p)
	case lex.WConvert:
		switch p.peek(1).Word {
		case lex.WPartition:
			return convertPartition(p)
		case lex.WTable:
			return convertTable(p)
		}
	case lex.WRebuild, lex.WOptimize, lex.WAnalyze, lex.WCheck, lex.WRepair, lex.WCoalesce, lex.WTruncate, lex.WReorganize:
		return alterPartitions(p)
	case lex.WAdd, lex.WDrop:
		if p.peek(1).Word == lex.WPartition {
			return alterPartitions(p)
		}
	}
	return nil
}

// exchangePartition takes EXCHANGE PARTITION.
func exchangePartition(p *parser) tree.Action {
	start := p.start()
	p.expect(lex.WExchange, lex.WPartition)
	n := &tree.ExchangePartition{Name: p.ident()}
	p.expect(lex.WWith, lex.WTable)
	n.Table = p.tableName()
	n.Span = p.from(start)
	return n
}

// convertPartition takes CONVERT PARTITION.
func convertPartition(p *parser) tree.Action {
	start := p.start()
	p.expect(lex.WConvert, lex.WPartition)
	n := &tree.ConvertPartition{Name: p.ident()}
	p.expect(lex.WTo, lex.WTable)
	n.Table = p.tableName()
	n.Span = p.from(start)
	return n
}

// convertTable takes CONVERT TABLE.
func convertTable(p *parser) tree.Action {
	start := p.start()
	p.expect(lex.WConvert, lex.WTable)
	n := &tree.ConvertTable{Table: p.tableName()}
	p.expect(lex.WTo)
	n.Partition = partition(p, &partitionShape{})
	n.Span = p.from(start)
	return n
}

// alterPartitions takes a verb and the partitions it is about.
func alterPartitions(p *parser) tree.Action {
	start := p.start()
	verb := p.next().Word
	p.expect(lex.WPartition)
	n := &tree.AlterPartitions{Verb: verb.String()}
	switch verb {
	case lex.WAdd:
		n.IfExists = ifNotExists(p)
	case lex.WDrop:
		n.IfExists = ifExists(p)
	}
	switch verb {
	case lex.WDrop, lex.WCheck, lex.WTruncate:
	default:
		n.NoWriteToLog = noWriteToLog(p)
	}
	switch verb {
	case lex.WAdd:
		if p.accept(lex.WPartitions) {
			n.Count = wholeNumber(p)
		} else if p.is('(') {
			n.Definitions = partitionDefinitions(p)
		}
	case lex.WCoalesce:
		n.Count = wholeNumber(p)
	case lex.WReorganize:
		if p.isName(0) {
			n.Names = names(p)
			p.expect(lex.WInto)
			n.Definitions = partitionDefinitions(p)
		}
	case lex.WDrop:
		n.Names = names(p)
	default:
		if n.All = p.accept(lex.WAll); !n.All {
			n.Names = names(p)
		}
	}
	switch verb {
	case lex.WCheck:
		n.CheckOptions = checkOptions(p)
	case lex.WRepair:
		n.CheckOptions = repairOptions(p)
	case lex.WOptimize: // may say it twice
		n.NoWriteToLog = noWriteToLog(p) || n.NoWriteToLog
	}
	n.Span = p.from(start)
	return n
}

// alterAction takes one of a list of actions.
func alterAction(p *parser) tree.Action {
	start := p.start()
	switch p.peek(0).Word {
	case lex.WAdd:
		p.next()
		return addAction(p, start)
	case lex.WChange, lex.WModify:
		return changeColumn(p)
	case lex.WDrop:
		p.next()
		return dropAction(p, start)
	case lex.WDisable:
		return alterWords(p, lex.WDisable, lex.WKeys)
	case lex.WEnable:
		return alterWords(p, lex.WEnable, lex.WKeys)
	case lex.WForce:
		return alterWords(p, lex.WForce)
	case lex.WAlter:
		p.next()
		return alterElement(p, start)
	case lex.WRename:
		p.next()
		return renameAction(p, start)
	case lex.WConvert:
		p.next()
		return convertCharset(p, start)
	case lex.WOrder:
		p.next()
		return orderTable(p, start)
	case lex.WAlgorithm, lex.WLock:
		n := &tree.SetOptions{Options: []*tree.Option{alterSetting(p)}}
		n.Span = p.from(start)
		return n
	}
	n := &tree.SetOptions{}
	for o := tableOption(p); o != nil; o = tableOption(p) {
		n.Options = append(n.Options, o)
	}
	if n.Options == nil {
		p.fail()
	}
	n.Span = p.from(start)
	return n
}

// addAction takes an action after ADD.
func addAction(p *parser, start int32) tree.Action {
	switch {
	case p.isWord(lex.WSystem):
		n := alterWords(p, lex.WSystem, lex.WVersioning)
		n.Words, n.Start = "ADD "+n.Words, start
		return n
	case p.isWords(lex.WPeriod, lex.WIf), p.isWords(lex.WConstraint, lex.WIf):
		return addIfNotExists(p, start)
	case isKeyStart(p), p.isWord(lex.WPeriod):
		n := &tree.AddElement{Element: keyElement(p, true)}
		n.Span = p.from(start)
		return n
	}
	p.accept(lex.WColumn)
	n := &tree.AddColumns{IfNotExists: ifNotExists(p)}
	if p.is('(') {
		n.InParens = true
		n.Elements = inParens(p, func() []tree.Element { return commas(p, func() tree.Element { return element(p, true) }) })
	} else {
		n.Elements = []tree.Element{columnDefinition(p)}
		n.At = columnPlace(p)
	}
	n.Span = p.from(start)
	return n
}

// addIfNotExists takes a period or a check that may be there.
func addIfNotExists(p *parser, start int32) tree.Action {
	n := &tree.AddElement{}
	at := p.start()
	check := p.next().Word == lex.WConstraint
	n.IfNotExists = ifNotExists(p)
	if check {
		c := &tree.Check{Constraint: fieldIdent(p)}
		p.expect(lex.WCheck)
		c.Expr = inParens(p, func() tree.Expr { return expr(p) })
		c.Span = p.from(at)
		n.Element = c
	} else {
		p.expect(lex.WFor)
		n.Element = period(p, at)
	}
	n.Span = p.from(start)
	return n
}

// columnPlace takes [FIRST | AFTER column].
func columnPlace(p *parser) *tree.ColumnPlace {
	start := p.start()
	n := &tree.ColumnPlace{}
	switch p.acceptAny(lex.WFirst, lex.WAfter) {
	case lex.WFirst:
	case lex.WAfter:
		n.After = p.ident()
	default:
		return nil
	}
	n.Span = p.from(start)
	return n
}

// changeColumn takes CHANGE and MODIFY.
func changeColumn(p *parser) tree.Action {
	start := p.start()
	change := p.next().Word == lex.WChange
	p.accept(lex.WColumn)
	n := &tree.ChangeColumn{IfExists: ifExists(p)}
	if change {
		n.Old = fieldIdent(p)
	}
	n.Column = columnSpec(p)
	n.At = columnPlace(p)
	n.Span = p.from(start)
	return n
}

// dropAction takes an action after DROP.
func dropAction(p *parser, start int32) tree.Action {
	n := &tree.DropElement{}
	switch {
	case p.isWord(lex.WSystem): // a column of that name needs COLUMN in front
		w := alterWords(p, lex.WSystem, lex.WVersioning)
		w.Words, w.Start = "DROP "+w.Words, start
		return w
	case p.accept(lex.WPrimary), p.accept(lex.WConstraint, lex.WPrimary):
		p.expect(lex.WKey)
		n.What = "PRIMARY KEY"
		n.Span = p.from(start)
		return n
	case p.accept(lex.WPeriod): // as SYSTEM
		n.What, n.IfExists = "PERIOD", ifExists(p)
		p.expect(lex.WFor)
		n.Name = periodName(p)
		n.Span = p.from(start)
		return n
	case p.accept(lex.WForeign):
		p.expect(lex.WKey)
		n.What = "FOREIGN KEY"
	case p.accept(lex.WConstraint):
		n.What = "CONSTRAINT"
	case p.acceptAny(lex.WKey, lex.WIndex) != lex.NoWord:
		n.What = "INDEX"
	default:
		p.accept(lex.WColumn)
		n.What = "COLUMN"
	}
	n.IfExists = ifExists(p)
	n.Name = fieldIdent(p)
	if n.What == "COLUMN" {
		n.Behavior = behavior(p)
	}
	n.Span = p.from(start)
	return n
}

// alterElement takes ALTER [COLUMN] and ALTER INDEX.
func alterElement(p *parser, start int32) tree.Action {
	if p.acceptAny(lex.WKey, lex.WIndex) != lex.NoWord {
		n := &tree.AlterIndex{IfExists: ifExists(p), Name: p.ident(), Ignored: !p.accept(lex.WNot)}
		p.expect(lex.WIgnored)
		n.Span = p.from(start)
		return n
	}
	p.accept(lex.WColumn)
	n := &tree.AlterColumn{IfExists: ifExists(p), Name: fieldIdent(p)}
	if p.accept(lex.WSet) {
		p.expect(lex.WDefault)
		n.Default = defaultValue(p)
	} else {
		p.expect(lex.WDrop, lex.WDefault)
	}
	n.Span = p.from(start)
	return n
}

// renameAction takes an action after RENAME.
func renameAction(p *parser, start int32) tree.Action {
	n := &tree.RenameElement{}
	switch {
	case p.accept(lex.WColumn):
		n.What = "COLUMN"
	case p.acceptAny(lex.WKey, lex.WIndex) != lex.NoWord:
		n.What = "INDEX"
	default:
		if p.acceptAny(lex.WTo, lex.WAs) == lex.NoWord {
			acceptEqual(p)
		}
		to := &tree.RenameTo{Name: p.tableName()}
		to.Span = p.from(start)
		return to
	}
	n.IfExists = ifExists(p)
	n.Old = p.ident()
	p.expect(lex.WTo)
	n.New = p.ident()
	n.Span = p.from(start)
	return n
}

// convertCharset takes CONVERT TO CHARACTER SET, after CONVERT.
func convertCharset(p *parser, start int32) tree.Action {
	p.expect(lex.WTo)
	if !acceptCharset(p) {
		p.fail()
	}
	n := &tree.ConvertCharset{Charset: nameOrDefault(p, func() string { return charsetName(p) })}
	if p.accept(lex.WCollate) {
		n.Collate = nameOrDefault(p, func() string { return collationName(p) })
	}
	n.Span = p.from(start)
	return n
}

// orderTable takes ORDER BY, after ORDER.
func orderTable(p *parser, start int32) tree.Action {
	p.expect(lex.WBy)
	n := &tree.OrderTable{By: commas(p, func() *tree.OrderColumn {
		start := p.start()
		c := &tree.OrderColumn{}
		if p.acceptKind('.') {
			c.Path = []tree.Ident{p.identAfterPoint()}
			p.expectKind('.')
			c.Path = append(c.Path, p.identAfterPoint())
		} else {
			c.Path = path(p, 3)
		}
		if !p.accept(lex.WAsc) {
			c.Desc = p.accept(lex.WDesc)
		}
		c.Span = p.from(start)
		return c
	})}
	n.Span = p.from(start)
	return n
}

// path takes a name that others may qualify, so many in all.
func path(p *parser, most int) []tree.Ident {
	all := []tree.Ident{p.ident()}
	for len(all) < most && p.acceptKind('.') {
		all = append(all, p.identAfterPoint())
	}
	return all
}
