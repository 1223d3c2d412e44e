package grammar

import (
	"reflect"
	"strings"

	"github.com/duramendb/duramen/query/dialect/lex"
	"github.com/duramendb/duramen/query/dialect/tree"
	"github.com/duramendb/duramen/query/mysqlerr"
)

// The texts of errors in partitions that count as errors in the syntax.
const (
	wrongPartitionCount    = "Wrong number of partitions defined, mismatch with previous setting"
	wrongSubpartitionCount = "Wrong number of subpartitions defined, mismatch with previous setting"
	wrongColumnCount       = "Inconsistency in usage of column lists for partitioning"
	rowOfOneColumn         = "Row expressions in VALUES IN only allowed for multi-field column partitioning"
	maximumInList          = "Cannot use MAXVALUE as value in VALUES IN"
	impureExpression       = "Constant, random or timezone-dependent expressions in (sub)partitioning function are not allowed"
)

// partitionShape is what the partitions of one list have in common.
type partitionShape struct {
	// method is empty in ALTER TABLE, which does not know the table's.
	method    string
	isColumns bool
	columns   int // how many values a row has; 0: not known yet
	subs      int // how many subpartitions there are in each; 0: not known yet
	subsNamed bool
	partition int // how many there were
}

// partitionsOf takes the partitions of a table, in parentheses.
func partitionsOf(p *parser, of *tree.Partitioning) []*tree.Partition {
	s := &partitionShape{method: of.By.Method, isColumns: of.By.IsColumns, columns: 1}
	if s.isColumns {
		s.columns = len(of.By.Columns)
	}
	if n, ok := parseNumber(of.SubCount); ok {
		s.subs = int(n)
	}
	p.expectKind('(')
	all := commas(p, func() *tree.Partition { return partition(p, s) })
	if n, ok := parseNumber(of.Count); ok && n != uint64(len(all)) && p.is(')') {
		p.failSaying(wrongPartitionCount, p.peek(0))
	}
	p.expectKind(')')
	return all
}

// partitionDefinitions takes partitions in parentheses that come to those of a table.
func partitionDefinitions(p *parser) []*tree.Partition {
	s := &partitionShape{}
	return inParens(p, func() []*tree.Partition { return commas(p, func() *tree.Partition { return partition(p, s) }) })
}

// partition takes a partition's definition.
func partition(p *parser, s *partitionShape) *tree.Partition {
	start := p.start()
	p.accept(lex.WPartition)
	s.partition++
	n := &tree.Partition{Name: p.ident(), Values: partitionValues(p, s), Options: partitionOptions(p, true)}
	switch {
	case p.is('('):
		n.SubPartitions = subPartitions(p, s)
	case s.subs > 0 && s.subsNamed:
		p.failSaying(wrongSubpartitionCount, p.peek(0))
	}
	n.Span = p.from(start)
	return n
}

// subPartitions takes the subpartitions of a partition.
func subPartitions(p *parser, s *partitionShape) []*tree.Partition {
	p.expectKind('(')
	all := commas(p, func() *tree.Partition {
		start, t := p.start(), p.peek(0)
		p.expect(lex.WSubpartition)
		if !s.subsNamed && s.partition > 1 {
			p.failSaying(wrongSubpartitionCount, t)
		}
		s.subsNamed = true
		n := &tree.Partition{Sub: true, Name: identOrText(p), Options: partitionOptions(p, false)}
		n.Span = p.from(start)
		return n
	})
	if s.subs > 0 && s.subs != len(all) && p.is(')') {
		p.failSaying(wrongSubpartitionCount, p.peek(0))
	}
	s.subs = len(all)
	p.expectKind(')')
	return all
}

// partitionValues takes which rows a partition has; nil: it does not say.
func partitionValues(p *parser, s *partitionShape) *tree.PartitionValues {
	start := p.start()
	v := &tree.PartitionValues{}
	switch p.acceptAny(lex.WValues, lex.WDefault, lex.WHistory, lex.WCurrent) {
	case lex.WDefault:
		v.Kind = "DEFAULT"
		s.requireMethod(p, "LIST", "DEFAULT")
	case lex.WHistory:
		v.Kind = "HISTORY"
	case lex.WCurrent:
		v.Kind = "CURRENT"
	case lex.WValues:
		if p.accept(lex.WIn) {
			v.Kind = "IN"
			s.requireMethod(p, "LIST", "IN")
			partitionList(p, v, s)
			break
		}
		p.expect(lex.WLess, lex.WThan)
		v.Kind = "LESS THAN"
		s.requireMethod(p, "RANGE", "LESS THAN")
		partitionLimit(p, v, s)
	default:
		switch s.method {
		case "RANGE":
			p.failWith(mysqlerr.New(mysqlerr.PartitionRequiresValues, "RANGE", "LESS THAN"))
		case "LIST":
			p.failWith(mysqlerr.New(mysqlerr.PartitionRequiresValues, "LIST", "IN"))
		}
		return nil
	}
	v.Span = p.from(start)
	return v
}

// requireMethod checks that values are of a table's kind of partitioning.
func (s *partitionShape) requireMethod(p *parser, method, values string) {
	if s.method != "" && s.method != method {
		p.failWith(mysqlerr.New(mysqlerr.PartitionWrongValues, method, values))
	}
}

// partitionLimit takes the values of LESS THAN.
func partitionLimit(p *parser, v *tree.PartitionValues, s *partitionShape) {
	if t := p.peek(0); p.accept(lex.WMaxvalue) {
		if s.columns > 1 {
			p.failSaying(wrongColumnCount, t)
		}
		s.columns = 1
		return
	}
	v.Rows = [][]tree.Expr{partitionTuple(p, s, "RANGE")}
}

// partitionList takes the values of IN.
func partitionList(p *parser, v *tree.PartitionValues, s *partitionShape) {
	v.Tuples = p.is('(') && p.peek(1).Kind == '('
	if !v.Tuples && s.columns <= 1 {
		s.columns = 1
		v.Rows = inParens(p, func() [][]tree.Expr {
			return commas(p, func() []tree.Expr { return []tree.Expr{partitionValue(p, false)} })
		})
		return
	}
	if !v.Tuples {
		partitionTuple(p, s, "LIST")
		p.failSaying(wrongColumnCount, lex.Token{Start: p.end - 1, End: p.end, Line: p.peek(0).Line})
	}
	p.expectKind('(')
	single := s.columns == 1
	v.Rows = commas(p, func() []tree.Expr {
		if !single {
			return partitionTuple(p, s, "LIST")
		}
		return inParens(p, func() []tree.Expr { return commas(p, func() tree.Expr { return partitionValue(p, false) }) })
	})
	if s.columns < 2 && p.is(')') {
		p.failSaying(rowOfOneColumn, p.peek(0))
	}
	p.expectKind(')')
}

// partitionTuple takes values in parentheses, as many as there are columns; nil is MAXVALUE.
func partitionTuple(p *parser, s *partitionShape, method string) (row []tree.Expr) {
	p.expectKind('(')
	row = commas(p, func() tree.Expr {
		x := partitionValue(p, method == "RANGE")
		if row = append(row, x); s.columns > 0 && len(row) > s.columns {
			if !s.isColumns {
				p.failWith(mysqlerr.New(mysqlerr.TooManyPartitionValues, method))
			}
			p.failWith(mysqlerr.New(mysqlerr.PartitionColumnList))
		}
		return x
	})
	if s.columns > 0 && len(row) < s.columns && p.is(')') {
		p.failSaying(wrongColumnCount, p.peek(0))
	}
	s.columns = len(row)
	p.expectKind(')')
	return row
}

// partitionValue takes a value; nil is MAXVALUE.
func partitionValue(p *parser, maximum bool) tree.Expr {
	if !p.isWord(lex.WMaxvalue) {
		return partitionExpr(p)
	}
	if !maximum {
		p.failSaying(maximumInList, p.peek(0))
	}
	p.next()
	return nil
}

// partitionExpr takes an expression that depends on nothing but the row.
func partitionExpr(p *parser) tree.Expr {
	x := bitExpr(p)
	if impure(reflect.ValueOf(x)) {
		p.failSaying(impureExpression, p.peek(0))
	}
	return x
}

// impureFunctions are those whose result depends on more than their arguments, as the server says when it reads a partitioning expression.
var impureFunctions = func() map[string]bool {
	m := map[string]bool{}
	for _, name := range strings.Fields(`BENCHMARK CONNECTION_ID CURDATE CURRENT_DATE CURRENT_ROLE CURRENT_TIME CURRENT_TIMESTAMP CURRENT_USER
		CURTIME DATABASE ENCRYPT FOUND_ROWS GET_LOCK IS_FREE_LOCK IS_USED_LOCK LAST_INSERT_ID LOAD_FILE LOCALTIME LOCALTIMESTAMP
		MASTER_GTID_WAIT MASTER_POS_WAIT NOW RAND RANDOM_BYTES RELEASE_ALL_LOCKS RELEASE_LOCK ROWNUM ROW_COUNT SCHEMA SESSION_USER SLEEP SYSDATE
		SYSTEM_USER SYS_GUID USER UTC_DATE UTC_TIME UTC_TIMESTAMP UUID UUID_SHORT`) {
		m[name] = true
	}
	return m
}()

// impure reports whether a part of an expression depends on more than the row: a variable, or a function.
func impure(v reflect.Value) bool {
	if v.Kind() == reflect.Pointer && !v.IsNil() {
		switch n := v.Interface().(type) {
		case *tree.UserVariable, *tree.AssignVariable, *tree.SystemVariable:
			return true
		case *tree.Call:
			name := strings.ToUpper(n.Name.Text)
			if n.DB.Text != "" || impureFunctions[name] || name == "UNIX_TIMESTAMP" && len(n.Args) == 0 {
				return true
			}
		}
	}
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		return !v.IsNil() && impure(v.Elem())
	case reflect.Slice:
		for i := range v.Len() {
			if impure(v.Index(i)) {
				return true
			}
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if impure(v.Field(i)) {
				return true
			}
		}
	}
	return false
}
