package grammar

import (
	"github.com/duramendb/duramen/query/dialect/lex"
	"github.com/duramendb/duramen/query/dialect/tree"
)

// maintain takes ANALYZE, CHECK, CHECKSUM, OPTIMIZE and REPAIR TABLE.
func maintain(p *parser) tree.Statement {
	start := p.start()
	verb := p.next().Word
	n := &tree.Maintain{Verb: verb.String()}
	if verb != lex.WCheck && verb != lex.WChecksum {
		n.NoWriteToLog = noWriteToLog(p)
	}
	if n.View = (verb == lex.WCheck || verb == lex.WRepair) && p.accept(lex.WView); !n.View {
		tableOrTables(p)
	}
	n.Tables = commas(p, func() *tree.MaintainedTable {
		start := p.start()
		t := &tree.MaintainedTable{Table: p.tableName()}
		if verb == lex.WAnalyze {
			t.Statistics = statistics(p)
		}
		t.Span = p.from(start)
		return t
	})
	switch verb {
	case lex.WOptimize:
		n.Wait = waitClause(p)
	case lex.WChecksum:
		if w := p.acceptAny(lex.WQuick, lex.WExtended); w != lex.NoWord {
			n.Options = []string{w.String()}
		}
	case lex.WCheck:
		switch {
		case !n.View:
			n.Options = checkOptions(p)
		case p.accept(lex.WFor):
			p.expect(lex.WUpgrade)
			n.Options = []string{"FOR UPGRADE"}
		}
	case lex.WRepair:
		switch {
		case !n.View:
			n.Options = repairOptions(p)
		case p.accept(lex.WFrom):
			p.expect(lex.WMysql)
			n.Options = []string{"FROM MYSQL"}
		}
	}
	n.Span = p.from(start)
	return n
}

// checkOptions takes the options of CHECK TABLE.
func checkOptions(p *parser) (all []string) {
	for {
		w := p.acceptAny(lex.WQuick, lex.WFast, lex.WMedium, lex.WExtended, lex.WChanged, lex.WFor)
		switch w {
		case lex.NoWord:
			return all
		case lex.WFor:
			p.expect(lex.WUpgrade)
			all = append(all, "FOR UPGRADE")
		default:
			all = append(all, w.String())
		}
	}
}

// repairOptions takes the options of REPAIR TABLE.
func repairOptions(p *parser) (all []string) {
	for {
		w := p.acceptAny(lex.WQuick, lex.WExtended, lex.WUseFrm)
		if w == lex.NoWord {
			return all
		}
		all = append(all, w.String())
	}
}

// statistics takes [PERSISTENT FOR ...].
func statistics(p *parser) *tree.Statistics {
	start := p.start()
	if !p.accept(lex.WPersistent) {
		return nil
	}
	p.expect(lex.WFor)
	n := &tree.Statistics{All: p.accept(lex.WAll)}
	if !n.All {
		if p.acceptAny(lex.WColumns, lex.WFields) == lex.NoWord {
			p.fail()
		}
		n.AllColumns, n.Columns = allOrNames(p, p.ident)
		p.expect(lex.WIndexes)
		n.AllIndexes, n.Indexes = allOrNames(p, func() tree.Ident {
			if p.isWord(lex.WPrimary) {
				return p.identOf(p.next())
			}
			return p.ident()
		})
	}
	n.Span = p.from(start)
	return n
}

// allOrNames takes ALL, or names in parentheses, or none of them.
func allOrNames(p *parser, f func() tree.Ident) (all bool, some []tree.Ident) {
	if p.accept(lex.WAll) {
		return true, nil
	}
	p.expectKind('(')
	if !p.is(')') {
		some = commas(p, f)
	}
	p.expectKind(')')
	return false, some
}

// cacheIndex takes CACHE INDEX.
func cacheIndex(p *parser) tree.Statement {
	start := p.start()
	p.next()
	p.expect(lex.WIndex)
	n := &tree.KeyCache{Tables: cachedTables(p, false)}
	p.expect(lex.WIn)
	n.In = nameOrDefault(p, func() string { return p.ident().Text })
	n.Span = p.from(start)
	return n
}

// loadIndex takes LOAD INDEX INTO CACHE.
func loadIndex(p *parser) tree.Statement {
	start := p.start()
	p.expect(lex.WLoad, lex.WIndex, lex.WInto, lex.WCache)
	n := &tree.KeyCache{Load: true, Tables: cachedTables(p, true)}
	n.Span = p.from(start)
	return n
}

// cachedTables takes tables with their indexes; one with partitions stands alone.
func cachedTables(p *parser, load bool) (all []*tree.CachedTable) {
	for {
		start := p.start()
		t := &tree.CachedTable{Table: p.tableName()}
		if all == nil && p.accept(lex.WPartition) {
			t.HasPartitions = true
			p.expectKind('(')
			if t.AllPartitions = p.accept(lex.WAll); !t.AllPartitions {
				t.Partitions = names(p)
			}
			p.expectKind(')')
		}
		if p.acceptAny(lex.WKey, lex.WIndex) != lex.NoWord {
			t.HasKeys = true
			_, t.Keys = allOrNames(p, func() tree.Ident {
				if p.isWord(lex.WPrimary) {
					return p.identOf(p.next())
				}
				return p.ident()
			})
		}
		if load && p.accept(lex.WIgnore) {
			p.expect(lex.WLeaves)
			t.IgnoreLeaves = true
		}
		t.Span = p.from(start)
		all = append(all, t)
		if t.HasPartitions || !p.acceptKind(',') {
			return all
		}
	}
}
