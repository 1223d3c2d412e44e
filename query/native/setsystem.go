package native

import (
	"context"
	"strconv"
	"strings"

	"github.com/duramendb/duramen/query/bind"
	"github.com/duramendb/duramen/query/dialect/tree"
	"github.com/duramendb/duramen/query/eval"
	"github.com/duramendb/duramen/query/mysqlerr"
	"github.com/duramendb/duramen/query/plan"
	"github.com/duramendb/duramen/query/privilege"
	"github.com/duramendb/duramen/query/sysvar"
	"github.com/duramendb/duramen/query/types"
	"github.com/duramendb/duramen/query/types/charset"
	"github.com/duramendb/duramen/query/types/decimal"
)

// withoutDefault are the variables that DEFAULT is no value of.
var withoutDefault = map[string]bool{"last_insert_id": true, "identity": true, "rand_seed1": true, "rand_seed2": true}

// systemVariable makes an item of SET. A variable that is not known is the fallback's, which has some of its own.
func (b *binding) systemVariable(n *tree.SetVariable) (value, error) {
	v := value{name: n.Name.Text, global: n.Scope == tree.ScopeGlobal}
	var ok bool
	if v.system, ok = sysvar.Lookup(n.Name.Text); !ok {
		if n.Base.Text != "" {
			return v, mysqlerr.New(mysqlerr.UnknownStructuredVariable, n.Base.Text)
		}
		return v, bind.Refusal("this variable")
	}
	if v.part = n.Base.Text; v.part != "" {
		if err := b.Server.Globals.CheckPart(v.system); err != nil {
			return v, err
		}
	}
	if rights := b.Rights(); !rights.Everything() {
		if err := rights.Check(privilege.Needs{List: privilege.Variable(v.name, v.global)}); err != nil {
			return v, err
		}
	}
	if err := v.system.Settable(v.global); err != nil {
		return v, err
	}
	if n.Value == nil {
		if withoutDefault[v.system.Name] {
			return v, mysqlerr.New(mysqlerr.NoDefault, v.system.Name)
		}
		return v, nil
	}
	x := n.Value
	if word, ok := x.(*tree.ColumnRef); ok && word.Table.Text == "" { // a word is a text
		x = &tree.TextLit{Span: word.Span, Value: word.Name.Text}
	}
	xs, err := plan.CompileValues(b.binder, []tree.Expr{x}, "SET")
	if err != nil {
		return v, err
	}
	switch v.x = xs[0]; {
	case v.x.Type.Kind.Address():
		return v, bind.Refusal("a variable that becomes a " + v.x.Type.Name())
	case v.x.Type.Hybrid:
		return v, bind.Refusal("a binary literal as a variable's value")
	}
	if v.x.Type.Class() == types.ClassTime {
		v.x = b.binder.ToText(v.x)
	}
	return v, nil
}

// takes reports whether a variable can have a value of a class, whatever the value is (check_update_type in MariaDB's sql/sys_vars.inl).
func takes(d *sysvar.Def, c types.Class) bool {
	number, text := c == types.ClassInt, c != types.ClassInt && c != types.ClassFloat && c != types.ClassDec
	switch d.Kind {
	case sysvar.Uint, sysvar.Int:
		return number
	case sysvar.Double:
		return !text
	case sysvar.String, sysvar.Name:
		return text || number && ofCharset(d)
	}
	return number || text
}

// ofCharset reports whether the variable is a character set or a collation, whose value may be a number.
func ofCharset(d *sysvar.Def) bool {
	return strings.HasPrefix(d.Name, "character_set_") || strings.HasPrefix(d.Name, "collation_")
}

// setting is a system variable with the value that it is to have.
type setting struct {
	of *value
	v  any
}

// defaultOf is what DEFAULT means: the global value for a session, and globally what the server began with.
func (s Session) defaultOf(v *value) setting {
	if v.global && v.system.Scope != sysvar.SessionOnly {
		return setting{v, s.Server.Globals.Default(v.system)}
	}
	d, _ := s.Vars.Default(v.system.Name)
	return setting{v, d}
}

func (s *setting) convert(ctx context.Context, on Session) error {
	d := s.of.system
	needed := ofCharset(d) && d.Name != "character_set_results" || d.Name == "time_zone" || d.Name == "default_master_connection"
	if s.v == nil && s.of.x != nil && needed {
		return mysqlerr.New(mysqlerr.WrongValueForVar, d.Name, "NULL")
	}
	if s.v == nil && s.of.x != nil && d.Name == "sql_mode" && strings.Contains(on.Vars.Str("sql_mode"), "EMPTY_STRING_IS_NULL") {
		s.v = "" // as which NULL is taken in that mode
	}
	now := on.Vars.Value
	if s.of.global {
		now = on.Server.Globals.Value
	}
	v, err := d.ConvertFrom(ctx, s.v, now(d))
	s.v = v
	return err
}

func (s *setting) apply(ctx context.Context, on Session) error {
	set, get := on.Vars.SetConverted, on.Vars.Value
	if s.of.global {
		get = on.Server.Globals.Value
		set = func(ctx context.Context, d *sysvar.Def, v any) error {
			return on.Vars.SetGlobalConverted(ctx, d, s.of.part, v)
		}
	}
	if name := s.of.system.Name; name == "gtid_slave_pos" || name == "gtid_purged" {
		switch {
		case s.of.x == nil:
			return mysqlerr.New(mysqlerr.NoDefault, s.of.system.Name)
		case on.InTransaction():
			return mysqlerr.New(mysqlerr.CantDoThisDuringTransaction)
		}
	}
	if err := set(ctx, s.of.system, s.v); err != nil {
		return err
	}
	if s.of.global && s.of.system.Name == "server_id" { // the session's own follows
		return on.Vars.SetConverted(ctx, s.of.system, s.v)
	}
	now, _ := get(s.of.system).(string)
	if other, v := together(s.of.system.Name, now); other != nil && (s.of.global || !strings.HasSuffix(other.Name, "_database")) {
		return set(ctx, other, v)
	}
	return nil
}

// together is what becomes of the collation when its character set is set, and the other way round. Package session knows it of those of the
// database.
func together(name, v string) (*sysvar.Def, string) {
	kind, of, _ := strings.Cut(name, "_")
	if kind == "character" {
		of = strings.TrimPrefix(of, "set_")
	}
	if of != "connection" && of != "server" && of != "database" {
		return nil, ""
	}
	if kind == "collation" {
		if c, ok := charset.ByName(v); ok {
			d, _ := sysvar.Lookup("character_set_" + of)
			return d, c.Set().Name()
		}
	} else if c, ok := charset.SetByName(v); ok {
		d, _ := sysvar.Lookup("collation_" + of)
		return d, c.Default().Name()
	}
	return nil, ""
}

// warner takes the warnings of a statement that sets variables.
type warner struct {
	context.Context
	f *eval.Frame
}

var _ sysvar.Warner = warner{}

// Warn implements sysvar.Warner.
func (w warner) Warn(code int, format string, args ...any) {
	w.f.Diag.Warnf(uint16(code), format, args...)
}

// goValue is a value as package sysvar takes it.
func goValue(v types.Value, t types.Type) any {
	switch c := t.Class(); {
	case v.Null && c == types.ClassInt:
		return int64(0) // MariaDB does not ask whether it is NULL
	case v.Null:
		return nil
	}
	switch t.Class() {
	case types.ClassInt:
		if t.Unsigned {
			return uint64(v.Int)
		}
		return v.Int
	case types.ClassFloat:
		return v.Float
	case types.ClassDec:
		return exact{v.Dec}
	}
	utf8, _ := charset.SetByName("utf8mb4")
	if set := t.Collation.Set(); set.Name() != "binary" {
		text, _ := charset.Convert(nil, utf8, set, v.Text)
		return string(text)
	}
	return string(v.Text)
}

// exact is a DECIMAL that says its value.
type exact struct{ decimal.Dec }

// Float64 is the nearest DOUBLE.
func (d exact) Float64() (float64, error) {
	return strconv.ParseFloat(strings.TrimSpace(d.String()), 64)
}
