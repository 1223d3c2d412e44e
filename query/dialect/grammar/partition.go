package grammar

import (
	"strconv"
	"strings"

	"github.com/duramendb/duramen/query/dialect/lex"
	"github.com/duramendb/duramen/query/dialect/tree"
	"github.com/duramendb/duramen/query/mysqlerr"
)

// parseNumber is the value of a number in decimal or hexadecimal digits.
func parseNumber(s string) (uint64, bool) {
	n, err := strconv.ParseUint(s, 0, 64)
	if err != nil { // leading zeros
		n, err = strconv.ParseUint(s, 10, 64)
	} else if !strings.HasPrefix(s, "0x") {
		n, err = strconv.ParseUint(s, 10, 64)
	}
	return n, err == nil
}

// partitioning takes PARTITION BY.
func partitioning(p *parser) *tree.Partitioning {
	start := p.start()
	p.expect(lex.WPartition, lex.WBy)
	n := &tree.Partitioning{By: partitionBy(p, false)}
	if p.accept(lex.WPartitions) {
		n.Count = partitionCount(p, "partitions")
	}
	if p.accept(lex.WSubpartition) {
		p.expect(lex.WBy)
		n.Sub = partitionBy(p, true)
		if p.accept(lex.WSubpartitions) {
			n.SubCount = partitionCount(p, "subpartitions")
		}
	}
	if p.is('(') {
		n.Partitions = partitionsOf(p, n)
	} else if m := n.By.Method; m == "RANGE" || m == "LIST" {
		p.failWith(mysqlerr.New(mysqlerr.PartitionsMustBeDefined, m))
	}
	n.Span = p.from(start)
	return n
}

// partitionCount takes how many there are; none are an error.
func partitionCount(p *parser, what string) string {
	s := wholeNumber(p)
	if n, ok := parseNumber(s); ok && uint32(n) == 0 {
		p.failWith(mysqlerr.New(mysqlerr.NoPartitions, what))
	}
	return s
}

// partitionBy takes how rows are distributed, of subpartitions only some of the ways.
func partitionBy(p *parser, sub bool) *tree.PartitionBy {
	start := p.start()
	by := &tree.PartitionBy{Linear: p.accept(lex.WLinear)}
	switch {
	case p.accept(lex.WKey):
		by.Method = "KEY"
		if p.accept(lex.WAlgorithm) {
			p.expectKind('=')
			t := p.peek(0)
			by.Algorithm = wholeNumber(p)
			if n, ok := parseNumber(by.Algorithm); !ok || n < 1 || n > 2 {
				p.failAt(t)
			}
		}
		partitionColumns(p, by, sub)
	case p.accept(lex.WHash):
		by.Method, by.Expr = "HASH", inParens(p, func() tree.Expr { return partitionExpr(p) })
	case sub || by.Linear:
		p.fail()
	case p.isWord(lex.WRange), p.isWord(lex.WList):
		by.Method = p.next().Word.String()
		if p.acceptAny(lex.WColumns, lex.WFields) != lex.NoWord {
			by.IsColumns = true
			partitionColumns(p, by, false)
		} else {
			by.Expr = inParens(p, func() tree.Expr { return partitionExpr(p) })
		}
	default:
		p.expect(lex.WSystemTime)
		by.Method = "SYSTEM_TIME"
		rotation(p, by)
	}
	by.Span = p.from(start)
	return by
}

// partitionColumns takes columns in parentheses; those of partitions may be none.
func partitionColumns(p *parser, by *tree.PartitionBy, sub bool) {
	p.expectKind('(')
	by.Columns = []tree.Ident{}
	if sub || !p.is(')') {
		by.Columns = names(p)
	}
	p.expectKind(')')
}

// rotation takes when a new partition for history begins.
func rotation(p *parser, by *tree.PartitionBy) {
	switch {
	case p.accept(lex.WInterval):
		by.Interval = expr(p)
		by.Unit = scheduleUnit(p)
		if p.accept(lex.WStarts) {
			by.Starts = expr(p)
		}
		by.Auto = p.accept(lex.WAuto)
	case p.accept(lex.WLimit):
		by.Limit = number(p)
		by.Auto = p.accept(lex.WAuto)
	}
}

var partitionOptionRules = map[lex.Word][]optionRule{
	lex.WTablespace: {{equal: true, value: nameOrTextValue}},
	lex.WStorage:    {{more: []lex.Word{lex.WEngine}, equal: true, value: nameOrTextValue, name: "ENGINE"}},
	lex.WEngine:     {{equal: true, value: nameOrTextValue}},
	lex.WConnection: {{equal: true, value: textValue}},
	lex.WNodegroup:  {{equal: true, value: wholeValue}},
	lex.WMaxRows:    {{equal: true, value: wholeValue}},
	lex.WMinRows:    {{equal: true, value: wholeValue}},
	lex.WData:       {{more: []lex.Word{lex.WDirectory}, equal: true, value: textValue}},
	lex.WIndex:      {{more: []lex.Word{lex.WDirectory}, equal: true, value: textValue}},
	lex.WComment:    {{equal: true, value: textValue}},
}

// partitionOptions takes the options of a partition; those of the storage engine (own) can only be said of whole partitions.
func partitionOptions(p *parser, own bool) (all []*tree.Option) {
	for {
		o := ruledOption(p, partitionOptionRules)
		if o == nil && own && isPlainName(p, 0) {
			o = ownOption(p)
		}
		if o == nil {
			return all
		}
		all = append(all, o)
	}
}
