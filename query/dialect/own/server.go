package own

import (
	"math"

	"github.com/duramendb/duramen/query/dialect"
	"github.com/duramendb/duramen/query/dialect/tree"
	"github.com/duramendb/duramen/query/mysqlerr"
)

// server is the value of a statement that empties, ends or forgets something of the server.
func (t text) server(s tree.Statement) (dialect.Statement, error) {
	switch n := s.(type) {
	case *tree.Flush:
		return flush(n)
	case *tree.Purge:
		if n.To != nil {
			return dialect.PurgeBinaryLogs{To: *n.To}, nil
		}
		return dialect.PurgeBinaryLogs{Before: t.from(n.Before, n.Span)}, nil
	case *tree.Reset:
		return reset(n)
	case *tree.Kill:
		return kill(n)
	case *tree.Shutdown:
		return dialect.Shutdown{WaitForReplicas: n.WaitForReplicas}, nil
	}
	return nil, nil
}

func flush(n *tree.Flush) (dialect.Statement, error) {
	if n.Items == nil {
		st := dialect.FlushTables{Local: n.NoWriteToLog, Lock: dialect.FlushLock(n.Lock)}
		for _, name := range n.Tables {
			st.Tables = append(st.Tables, tableName(name))
		}
		return st, nil
	}
	if item := n.Items[0]; item.What == "REPLICA" && len(n.Items) == 1 {
		return dialect.ResetSlave{Connection: connection(item.Name)}, nil
	}
	st := dialect.Flush{Local: n.NoWriteToLog}
	for _, item := range n.Items {
		if item.Name != nil {
			return nil, notYet("FLUSH of a replication connection by its name")
		}
		what := dialect.Flushed(item.What)
		if what == "REPLICA" {
			return nil, notYet("FLUSH SLAVE together with something else")
		}
		if !dialect.IsFlushed(what) {
			return nil, notYet("FLUSH " + item.What)
		}
		st.What = append(st.What, what)
		if item.Domains == nil {
			continue
		}
		st.DeleteDomains = make([]uint64, len(item.Domains))
		for i, v := range item.Domains {
			id, err := number(v.Text)
			if err != nil {
				return nil, err
			}
			if id > math.MaxUint32 {
				return nil, mysqlerr.Newf(mysqlerr.BinlogCantDeleteGTIDDomain,
					"The value of gtid domain being deleted ('%d') exceeds its maximum size of 32 bit unsigned integer", id)
			}
			st.DeleteDomains[i] = id
		}
	}
	return st, nil
}

func reset(n *tree.Reset) (dialect.Statement, error) {
	if len(n.Items) > 1 {
		return nil, notYet("RESET of several things")
	}
	switch item := n.Items[0]; item.What {
	case "QUERY CACHE":
		return dialect.ResetQueryCache{}, nil
	case "REPLICA":
		return dialect.ResetSlave{Connection: connection(item.Name, item.Channel), All: item.All}, nil
	default:
		if item.To == "" {
			return dialect.ResetMaster{To: 1}, nil
		}
		to, err := number(item.To)
		return dialect.ResetMaster{To: max(to, 1)}, err
	}
}

func kill(n *tree.Kill) (dialect.Statement, error) {
	st := dialect.Kill{Query: n.Query, Soft: n.Soft}
	switch {
	case n.ID:
		return nil, notYet("KILL QUERY ID")
	case n.User == nil:
		id, ok := n.Of.(*tree.NumberLit)
		if !ok || id.Kind != tree.IntegerNumber {
			return nil, notYet("KILL of anything but a number")
		}
		var err error
		st.ID, err = number(id.Text)
		return st, err
	case n.User.Kind == tree.CurrentUser:
		return nil, notYet("KILL USER CURRENT_USER")
	}
	a, err := account(n.User)
	if a.Form == dialect.BareAccount {
		a.Host = "%"
	}
	st.ByUser, st.User, st.Host = true, a.User, a.Host
	return st, err
}
