package own

import (
	"github.com/duramendb/duramen/query/dialect"
	"github.com/duramendb/duramen/query/dialect/tree"
)

// refused is the value of a statement that the server refuses to those who may run it: of what it says, nothing but text is kept.
func (t text) refused(s tree.Statement) (dialect.Statement, error) {
	switch n := s.(type) {
	case *tree.XA:
		return dialect.XA{Text: t.after("XA", n.Span)}, nil
	case *tree.Help:
		return dialect.Help{Text: t.after("HELP", n.Span)}, nil
	case *tree.Backup:
		return dialect.Backup{Text: t.after("BACKUP", n.Span)}, nil
	case *tree.BinlogEvent:
		return dialect.Binlog{Text: t.after("BINLOG", n.Span)}, nil
	case *tree.Plugin:
		if n.Uninstall {
			return dialect.Uninstall{Text: t.after("UNINSTALL", n.Span)}, nil
		}
		return dialect.Install{Text: t.after("INSTALL", n.Span)}, nil
	case *tree.HandlerOpen:
		return t.handler(n.Table, n.Span), nil
	case *tree.HandlerClose:
		return t.handler(n.Table, n.Span), nil
	case *tree.HandlerRead:
		return t.handler(n.Table, n.Span), nil
	}
	return nil, nil
}

func (t text) handler(table *tree.TableName, s tree.Span) dialect.Handler {
	after := tree.Span{Start: table.End, End: s.End}
	return dialect.Handler{Table: tableName(table), Text: t.after("", after)}
}
