package statement

import (
	"slices"
	"strings"

	"github.com/duramendb/duramen/query/dialect/facts"
	"github.com/duramendb/duramen/query/dialect/tree"
	"github.com/duramendb/duramen/query/mysqlerr"
)

// Mention is one mention of a table in a FROM clause.
type Mention struct {
	Alias    string // or its name; unique in its query block
	Strength Strength
	Wait     Wait
}

// Mentions tells one by one how the tables of a SELECT's outermost query block are read, and by name those of the query blocks below it, which
// their own lock clauses lock. They are nil where Statement.Tables says the same: for what is no SELECT with a lock clause, and where no
// table is named more than once. Statements that change rows lock a table in all places, as MariaDB does.
func Mentions(s tree.Statement, f *facts.Facts) (outermost []Mention, below []Use) {
	if _, ok := s.(*tree.Select); !ok || f.Lock == nil {
		return nil, nil
	}
	inner := collector{f: f}
	names := map[string]bool{}
	twice := false
	for i := range f.Tables {
		t := &f.Tables[i]
		name := strings.ToLower(t.Name.Name.Text)
		twice = twice || names[name]
		names[name] = true
		strength, wait := Snapshot, WaitForLock
		if t.Lock != nil {
			strength, wait = lockOf(t)
		}
		if t.Lock == f.Lock {
			outermost = append(outermost, Mention{Alias: t.Alias, Strength: strength, Wait: wait})
		} else {
			inner.add(Use{DB: t.Name.DB.Text, Name: t.Name.Name.Text, Strength: strength, Wait: wait})
		}
	}
	if !twice || outermost == nil {
		return nil, nil
	}
	return outermost, inner.st.Tables
}

// Refs are the tables that a session with LOCK TABLES must have locked for a statement. The error is that of a statement which it may not run
// at all.
func Refs(s tree.Statement, f *facts.Facts) ([]Ref, error) {
	switch n := s.(type) {
	case *tree.CreateDatabase, *tree.AlterDatabase, *tree.View, *tree.CreateRoutine, *tree.AlterRoutine, *tree.CreateLibraryFunction,
		*tree.Event, *tree.RenameTables:
		return nil, errLocked
	case *tree.Drop:
		switch n.What {
		case "TRIGGER": // does not name its table
			return nil, nil
		case "TABLE", "SEQUENCE":
		default:
			return nil, errLocked
		}
	case *tree.AlterTable:
		return []Ref{refTo(n.Name)}, nil
	case *tree.CreateIndex:
		return []Ref{refTo(n.Table)}, nil
	case *tree.DropIndex:
		return []Ref{refTo(n.Table)}, nil
	}
	if f.Kind == facts.Account {
		return nil, errLockedAccounts
	}
	var like *tree.TableName
	if n, ok := s.(*tree.CreateTable); ok {
		like = n.Like
	}
	var refs []Ref
	for _, t := range f.Tables {
		if t.Use == facts.Named && t.Name != like {
			continue
		}
		r := refTo(t.Name)
		r.Alias, r.Write = t.Alias, t.Use >= facts.Written && f.Kind != facts.Explain
		refs = append(refs, r)
	}
	return refs, nil
}

// Errors of statements that LOCK TABLES forbids. Those about accounts change mysql.db, as MariaDB has it.
var (
	errLocked         = mysqlerr.New(mysqlerr.LockOrActiveTransaction)
	errLockedAccounts = mysqlerr.New(mysqlerr.TableNotLocked, "db")
)

// refTo is a table that a statement changes under its own name.
func refTo(t *tree.TableName) Ref {
	return Ref{DB: t.DB.Text, Table: t.Name.Text, Alias: t.Name.Text, Write: true}
}

// OnlyRead are those of tables that are not changed.
func OnlyRead(refs []Ref) []Ref {
	return slices.DeleteFunc(slices.Clone(refs), func(r Ref) bool { return r.Write })
}
