package engines

import "github.com/duramendb/duramen/query/mysqlerr"

// Request is what a statement says of the engine of a table, and what its session does.
type Request struct {
	// Table is the name of the table, for notes.
	Table string
	// Name is ENGINE=, "" if that is not there.
	Name string
	// Alters says that the table is there already.
	Alters bool
	// Default is default_storage_engine, or default_tmp_storage_engine; Enforced is enforce_storage_engine, "" for none.
	Default, Enforced string
	// Strict is NO_ENGINE_SUBSTITUTION.
	Strict bool
}

// Choose finds the engine for a table, with MariaDB's errors and notes; nil leaves it where it is.
func (l *List) Choose(r Request, note func(level string, number uint16, message string)) (*Engine, error) {
	if r.Alters && r.Name == "" {
		return nil, nil
	}
	e, err := l.choose(r, note)
	if e == nil || err != nil {
		return nil, err
	}
	if only := l.Named(r.Enforced); only != nil && only.Name != e.Name {
		if r.Strict {
			return nil, mysqlerr.New(mysqlerr.OptionPreventsStatement, "NO_ENGINE_SUBSTITUTION")
		}
		e = only
		note("Note", mysqlerr.WarnUsingOtherHandler, using(e, r.Table))
	}
	return e, nil
}

func (l *List) choose(r Request, note func(level string, number uint16, message string)) (*Engine, error) {
	byDefault := l.Of(r.Default)
	if r.Name == "" {
		return byDefault, nil
	}
	if e := l.Named(r.Name); e != nil {
		return e, nil
	}
	if e, ok := l.Replaced(r.Name); ok {
		if e == nil {
			e = byDefault
		}
		if e.Memory { // what is asked for outlives the server
			e = l.Default()
		}
		note("Note", mysqlerr.WarnUsingOtherHandler, using(e, r.Table))
		return e, nil
	}
	unknown := mysqlerr.New(mysqlerr.UnknownStorageEngine, r.Name)
	if r.Strict {
		return nil, unknown
	}
	note("Warning", unknown.Number, unknown.Message)
	if r.Alters {
		return nil, nil
	}
	note("Warning", mysqlerr.WarnUsingOtherHandler, using(byDefault, r.Table))
	return byDefault, nil
}

func using(e *Engine, table string) string {
	return mysqlerr.New(mysqlerr.WarnUsingOtherHandler, e.Name, table).Message
}

// Logged is the name that a definition in the log may have in place of one that it has: "" for the same. No MariaDB has
// the engines that are only ours; and what was asked for in vain may refuse on a replica what this server took.
func (l *List) Logged(name string) string {
	if e := l.Named(name); e != nil {
		if e.Foreign {
			return InnoDB
		}
		return ""
	}
	if _, ok := l.Replaced(name); ok {
		return InnoDB
	}
	return ""
}
