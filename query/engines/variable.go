package engines

import (
	"context"

	"github.com/duramendb/duramen/query/mysqlerr"
	"github.com/duramendb/duramen/query/sysvar"
)

// Variables are the system variables that name an engine. The last one is another name of the first.
var Variables = []string{"default_storage_engine", "default_tmp_storage_engine", "enforce_storage_engine", "storage_engine"}

// Variable is what a variable of Variables becomes when it is set to a value: the engine's own name, or NULL where that
// is allowed. A ctx that is a sysvar.Warner is told of what is otherwise than asked for.
func (l *List) Variable(ctx context.Context, variable string, v any) (any, error) {
	isDefault := variable == "default_storage_engine" || variable == "storage_engine"
	w, _ := ctx.(sysvar.Warner)
	if variable == "storage_engine" && w != nil {
		w.Warn(int(mysqlerr.WarnDeprecatedSyntax), "%s", mysqlerr.New(mysqlerr.WarnDeprecatedSyntax, "@@storage_engine", "'@@default_storage_engine'").Message)
	}
	name, isName := v.(string)
	if !isName {
		if isDefault {
			return nil, mysqlerr.New(mysqlerr.WrongValueForVar, variable, "NULL")
		}
		return nil, nil
	}
	if e := l.Named(name); e != nil {
		return e.Name, nil
	}
	e, ok := l.Replaced(name)
	if !ok {
		return nil, mysqlerr.New(mysqlerr.UnknownStorageEngine, name)
	}
	if e == nil {
		e = l.Default()
	}
	if w != nil {
		w.Warn(int(mysqlerr.WarnUsingOtherHandler), "Using storage engine %s in place of %s", e.Name, name)
	}
	return e.Name, nil
}
