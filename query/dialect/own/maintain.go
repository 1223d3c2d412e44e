package own

import (
	"github.com/duramendb/duramen/query/dialect"
	"github.com/duramendb/duramen/query/dialect/tree"
)

// maintenance is the value of a statement that looks after tables.
func (t text) maintenance(s tree.Statement) (dialect.Statement, error) {
	switch n := s.(type) {
	case *tree.Maintain:
		return maintain(n)
	case *tree.Describe:
		return describe(n), nil
	case *tree.AlterTable:
		if st, ok := alterKeys(n); ok {
			return st, nil
		}
	case *tree.Explain:
		if n.Analyze {
			return nil, notYet("ANALYZE statement")
		}
	}
	return nil, nil
}

func maintain(n *tree.Maintain) (dialect.Statement, error) {
	if n.View {
		return nil, notYet(n.Verb + " VIEW")
	}
	names := make([]dialect.TableName, len(n.Tables))
	for i, one := range n.Tables {
		names[i] = tableName(one.Table)
	}
	if n.Verb == "CHECKSUM" {
		st := dialect.ChecksumTables{Tables: names}
		if n.Options != nil {
			st.Option = n.Options[0]
		}
		return st, nil
	}
	st := dialect.MaintainTables{Do: dialect.Maintenance(n.Verb), Local: n.NoWriteToLog, Tables: names, Options: n.Options}
	for i, one := range n.Tables {
		if one.Statistics == nil {
			continue
		}
		if st.Persistent == nil {
			st.Persistent = make([]string, len(names))
		}
		st.Persistent[i] = tree.String(one.Statistics)
	}
	if n.Wait != nil {
		st.Wait.Given = true
		if n.Wait.Seconds != "" {
			var err error
			if st.Wait.Seconds, err = number(n.Wait.Seconds); err != nil {
				return nil, err
			}
		}
	}
	return st, nil
}

func describe(n *tree.Describe) dialect.Describe {
	st := dialect.Describe{Table: tableName(n.Table)}
	switch {
	case n.Column != nil:
		st.Like = n.Column.Text
	case n.Like != nil:
		st.Like = n.Like.Value
	}
	return st
}

// alterKeys is the value of an ALTER TABLE that does nothing but ENABLE or DISABLE KEYS.
func alterKeys(n *tree.AlterTable) (st dialect.AlterKeys, ok bool) {
	if len(n.Actions) != 1 || n.Online || n.Ignore || n.IfExists || n.Wait != nil || n.Partitioning != nil || n.Unpartition {
		return st, false
	}
	w, ok := n.Actions[0].(*tree.AlterWords)
	if !ok || w.Words != "ENABLE KEYS" && w.Words != "DISABLE KEYS" {
		return st, false
	}
	return dialect.AlterKeys{Table: tableName(n.Name), Enable: w.Words == "ENABLE KEYS"}, true
}
