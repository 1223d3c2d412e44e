package own

import (
	"math"
	"strconv"

	"github.com/duramendb/duramen/query/dialect"
	"github.com/duramendb/duramen/query/dialect/tree"
	"github.com/duramendb/duramen/query/mysqlerr"
)

// show is the value of a SHOW.
func (t text) show(n *tree.Show) (dialect.Statement, error) {
	f := t.filter(n)
	switch n.What {
	case "TABLES":
		return dialect.ShowTables{Full: n.Full, DB: n.DB.Text, Filter: f}, nil
	case "OPEN TABLES":
		return dialect.ShowOpenTables{DB: n.DB.Text, Filter: f}, nil
	case "TABLE STATUS":
		return dialect.ShowTableStatus{DB: n.DB.Text, Filter: f}, nil
	case "COLUMNS":
		return dialect.ShowColumns{Table: ofDB(n), Full: n.Full, Filter: f}, nil
	case "INDEX":
		return dialect.ShowIndex{Table: ofDB(n), Where: f.Where}, nil
	case "COLLATION":
		return dialect.ShowCollation{Filter: f}, nil
	case "TRIGGERS":
		return dialect.ShowTriggers{DB: n.DB.Text, Filter: f}, nil
	case "EVENTS":
		return dialect.ShowEvents{DB: n.DB.Text, Filter: f}, nil
	case "VARIABLES":
		return dialect.ShowVariables{Global: n.Scope == "GLOBAL", Filter: f}, nil
	case "STATUS":
		return dialect.ShowStatus{Global: n.Scope == "GLOBAL", Filter: f}, nil
	case "PROCEDURE STATUS":
		return dialect.ShowRoutines{Kind: dialect.Procedure, Filter: f}, nil
	case "FUNCTION STATUS":
		return dialect.ShowRoutines{Kind: dialect.Function, Filter: f}, nil
	case "PACKAGE STATUS":
		return dialect.ShowRoutines{Kind: dialect.Package, Filter: f}, nil
	case "PACKAGE BODY STATUS":
		return dialect.ShowRoutines{Kind: dialect.PackageBody, Filter: f}, nil
	case "GRANTS", "CREATE USER":
		return showAccount(n)
	}
	if st := showCreate(n); st != nil {
		return st, nil
	}
	return showServer(n)
}

// filter is LIKE or WHERE.
func (t text) filter(n *tree.Show) (f dialect.Filter) {
	if n.Like != nil {
		f.Like = *n.Like
	}
	if n.Where != nil {
		f.Where = t.from(n.Where, n.Span)
	}
	return f
}

func tableName(n *tree.TableName) dialect.TableName {
	return dialect.TableName{DB: n.DB.Text, Name: n.Name.Text}
}

// ofDB is the table of a SHOW, which may name its database twice: the second one counts.
func ofDB(n *tree.Show) dialect.TableName {
	name := tableName(n.Object)
	if n.DB.Text != "" {
		name.DB = n.DB.Text
	}
	return name
}

// showCreate is the value of a SHOW CREATE of what is no account.
func showCreate(n *tree.Show) dialect.Statement {
	switch n.What {
	case "CREATE TABLE":
		return dialect.ShowCreateTable{Table: tableName(n.Object)}
	case "CREATE VIEW":
		return dialect.ShowCreateView{View: tableName(n.Object)}
	case "CREATE TRIGGER":
		return dialect.ShowCreateTrigger{Trigger: tableName(n.Object)}
	case "CREATE PROCEDURE":
		return dialect.ShowCreateProcedure{Procedure: tableName(n.Object)}
	case "CREATE EVENT":
		return dialect.ShowCreateEvent{Event: tableName(n.Object)}
	case "CREATE DATABASE":
		return dialect.ShowCreateDatabase{IfNotExists: n.IfNotExists, DB: n.Object.Name.Text}
	}
	return nil
}

// showServer is the value of a SHOW about logs, engines, connections and conditions.
func showServer(n *tree.Show) (dialect.Statement, error) {
	switch n.What {
	case "MASTER STATUS":
		return dialect.ShowMasterStatus{}, nil
	case "BINARY LOGS":
		return dialect.ShowBinaryLogs{}, nil
	case "BINLOG EVENTS":
		e, err := logEvents(n)
		return dialect.ShowBinlogEvents{LogEvents: e}, err
	case "RELAYLOG":
		of := n.Channel
		if n.Name != nil {
			of = &n.Name.Text
		}
		e, err := logEvents(n)
		return dialect.ShowRelaylogEvents{Connection: connection(of), LogEvents: e}, err
	case "REPLICA HOSTS":
		return dialect.ShowSlaveHosts{}, nil
	case "REPLICA":
		of := n.Channel
		if n.Name != nil {
			of = &n.Name.Text
		}
		return dialect.ShowSlaveStatus{Connection: connection(of)}, nil
	case "ALL REPLICAS STATUS":
		return dialect.ShowSlaveStatus{All: true}, nil
	case "ENGINES":
		return dialect.ShowEngines{}, nil
	case "ENGINE":
		return showEngine(n)
	case "PLUGINS":
		return dialect.ShowPlugins{}, nil
	case "PLUGINS SONAME":
		return nil, notYet("SHOW PLUGINS SONAME")
	case "PROFILES":
		return dialect.ShowProfiles{}, nil
	case "PROCESSLIST":
		return dialect.ShowProcesslist{Full: n.Full}, nil
	case "WARNINGS", "ERRORS":
		l, err := limit(n.Limit)
		return dialect.ShowWarnings{ErrorsOnly: n.What == "ERRORS", Limit: l}, err
	case "COUNT(*) WARNINGS", "COUNT(*) ERRORS":
		return dialect.ShowWarningCount{ErrorsOnly: n.What == "COUNT(*) ERRORS"}, nil
	}
	return nil, nil
}

// showEngine is the value of SHOW ENGINE. The value's empty name is ALL.
func showEngine(n *tree.Show) (dialect.Statement, error) {
	st := dialect.ShowEngine{What: n.Part}
	if n.Name.Kind != tree.WordValue {
		if st.Engine = n.Name.Text; st.Engine == "" {
			return nil, mysqlerr.New(mysqlerr.UnknownStorageEngine, "")
		}
	}
	return st, nil
}

// firstEvent is the offset of the first event of a log file.
const firstEvent = 4

func logEvents(n *tree.Show) (e dialect.LogEvents, err error) {
	e.From = firstEvent
	if n.Log != nil {
		e.File = *n.Log
	}
	if n.Position != "" {
		if e.From, err = number(n.Position); err != nil {
			return e, err
		}
	}
	e.Limit, err = limit(n.Limit)
	return e, err
}

func limit(n *tree.ShowLimit) (l dialect.Limit, err error) {
	if n == nil {
		return l, nil
	}
	l.Given = true
	if n.Offset != "" {
		if l.Offset, err = number(n.Offset); err != nil {
			return l, err
		}
	}
	l.Count, err = number(n.Count)
	return l, err
}

// number is the value of an integer as it was written, or the largest one.
func number(digits string) (uint64, error) {
	for i := range len(digits) {
		if digits[i] < '0' || digits[i] > '9' {
			return 0, notYet("anything but decimal digits as this number")
		}
	}
	n, err := strconv.ParseUint(digits, 10, 64)
	if err != nil {
		return math.MaxUint64, nil //nolint:nilerr // what is larger counts as that
	}
	return n, nil
}
