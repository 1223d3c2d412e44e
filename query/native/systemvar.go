package native

import (
	"github.com/duramendb/duramen/query/bind"
	"github.com/duramendb/duramen/query/dialect/tree"
	"github.com/duramendb/duramen/query/mysqlerr"
	"github.com/duramendb/duramen/query/sysvar"
	"github.com/duramendb/duramen/query/types"
	"github.com/duramendb/duramen/query/types/charset"
)

// Lengths of system variables, as MariaDB's Item_func_get_system_var has them (sql/item_func.cc).
const (
	systemIntegerLength = 21
	systemDoubleLength  = 21
	systemDoubleDigits  = 6
)

// setByStatement are variables that a statement may change before it reads them: it clears the conditions, and LAST_INSERT_ID(id) sets an id.
var setByStatement = map[string]bool{"warning_count": true, "error_count": true, "last_insert_id": true, "identity": true}

// system is a system variable as an expression sees it, whose value is noted.
func (s Session) system(n *tree.SystemVariable, note func(systemReading)) (v bind.System, err error) {
	d, ok := sysvar.Lookup(n.Name.Text)
	if !ok {
		if _, foreign := s.Vars.Get(n.Name.Text); foreign && n.Base.Text == "" {
			return v, bind.Refusal("a system variable of the fallback's")
		}
		return v, mysqlerr.New(mysqlerr.UnknownSystemVariable, n.Name.Text)
	}
	r := systemReading{def: d, global: n.Scope == tree.ScopeGlobal, part: n.Base.Text}
	v.Name, v.Truth = d.Name, d.Kind == sysvar.Bool
	if r.part != "" {
		if err := s.Server.Globals.CheckPart(d); err != nil {
			return v, err
		}
		v.Name = r.part + "." + d.Name
	}
	switch {
	case n.Scope == tree.ScopeGlobal && d.Scope == sysvar.SessionOnly:
		return v, mysqlerr.New(mysqlerr.IncorrectGlobalLocalVar, d.Name, "SESSION")
	case n.Scope == tree.ScopeSession && d.Scope == sysvar.Global:
		return v, mysqlerr.New(mysqlerr.IncorrectGlobalLocalVar, d.Name, "GLOBAL")
	case n.Scope == tree.ScopeGlobal:
		v.Name = "global." + v.Name
	}
	r.value = r.read(s)
	note(r)
	v.Type, v.Value, ok = systemValue(d, r.value)
	if !ok {
		return v, bind.Refusal("the value of a system variable")
	}
	if setByStatement[d.Name] {
		v.Number = func() int64 {
			_, now, _ := systemValue(d, r.read(s))
			return now.Int
		}
	}
	return v, nil
}

// systemValue is a value of a variable and the type that it has in expressions, which may always be NULL; ok is false for a value that is not of the
// variable's kind.
func systemValue(d *sysvar.Def, value any) (t types.Type, v types.Value, ok bool) {
	switch d.Kind {
	case sysvar.Bool:
		n, is := value.(int8)
		t, v.Int, ok = types.BigintType(1, false), int64(n), is
	case sysvar.Uint:
		n, is := value.(uint64)
		t, v.Int, ok = types.BigintType(systemIntegerLength, true), int64(n), is
	case sysvar.Int:
		n, is := value.(int64)
		t, v.Int, ok = types.BigintType(systemIntegerLength, false), n, is
	case sysvar.Double:
		n, is := value.(float64)
		t, v.Float, ok = types.FixedDoubleType(systemDoubleLength, systemDoubleDigits), n, is
	default:
		text, is := value.(string)
		set, _ := charset.SetByName("utf8mb3")
		t = types.StringType(uint64(set.Len([]byte(text))), set.Default(), charset.SysConst, false)
		v.Text, v.Null, ok = []byte(text), value == nil, is || value == nil
	}
	return t.OrNull(), v, ok
}
