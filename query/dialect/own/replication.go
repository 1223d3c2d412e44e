package own

import (
	"github.com/duramendb/duramen/query/dialect"
	"github.com/duramendb/duramen/query/dialect/tree"
)

// replication is the value of a statement about connections to primaries.
func (t text) replication(s tree.Statement) (dialect.Statement, error) {
	switch n := s.(type) {
	case *tree.ChangeMaster:
		options, err := masterOptions(n.Options)
		return dialect.ChangeMaster{Connection: connection(n.Name, n.Channel), Options: options}, err
	case *tree.Replica:
		which := dialect.SlaveThreads{All: n.All, Connection: connection(n.Name, n.Channel)}
		for _, thread := range n.Threads {
			which.IO = which.IO || thread == "IO_THREAD"
			which.SQL = which.SQL || thread == "SQL_THREAD"
		}
		if n.Stop {
			return dialect.StopSlave{SlaveThreads: which}, nil
		}
		until, err := masterOptions(n.Until)
		return dialect.StartSlave{SlaveThreads: which, Until: until}, err
	}
	return nil, nil
}

// connection is what names a connection, of which there is one at most.
func connection(names ...*string) dialect.Connection {
	for _, name := range names {
		if name != nil {
			return dialect.Connection{Given: true, Name: *name}
		}
	}
	return dialect.Connection{}
}

// olderWords are the newer words for what MariaDB also calls by older ones.
var olderWords = map[string]string{"MASTER_DEMOTE_TO_REPLICA": "MASTER_DEMOTE_TO_SLAVE", "REPLICA_POS": "SLAVE_POS"}

func older(word string) string {
	if w, ok := olderWords[word]; ok {
		return w
	}
	return word
}

// masterOptions are options of CHANGE MASTER. Numbers become decimal digits, but for MASTER_HEARTBEAT_PERIOD, which may have a fraction.
func masterOptions(options []*tree.Option) (out []dialect.MasterOption, err error) {
	for _, o := range options {
		v := dialect.MasterOption{Name: older(o.Name), IsList: o.IsList}
		for _, id := range o.List {
			n, err := number(id.Text)
			if err != nil {
				return nil, err
			}
			v.IDs = append(v.IDs, n)
		}
		switch {
		case o.Value == nil:
		case o.Value.Kind == tree.TextValue:
			v.Value, v.Text = o.Value.Text, true
		case o.Value.Kind == tree.NumberValue && o.Name != "MASTER_HEARTBEAT_PERIOD":
			if _, err := number(o.Value.Text); err != nil {
				return nil, err
			}
			v.Value = o.Value.Text
		default:
			v.Value = older(o.Value.Text)
		}
		out = append(out, v)
	}
	return out, nil
}
