package variable

import (
	"context"
	"math"
	"sync/atomic"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/dolthub/go-mysql-server/sql/variables"

	"github.com/duramendb/duramen/query/mysqlerr"
	"github.com/duramendb/duramen/query/sysvar"
)

// fallback is go-mysql-server's own registry.
var fallback sql.SystemVariableRegistry

// last are the values for reads that come without a context.
var last atomic.Pointer[sysvar.Globals]

func init() {
	variables.InitSystemVariables()
	fallback = sql.SystemVariables
	for _, d := range sysvar.All() {
		known[d] = &variable{def: d, typ: typeOf(d)}
	}
	sql.SystemVariables = registry{}
}

// Serve makes the values of a server those that go-mysql-server reads without a context, and gives the server the variables that only
// go-mysql-server has.
func Serve(g *sysvar.Globals) {
	g.Foreign = foreign{}
	last.Store(g)
}

// foreign are the variables that only go-mysql-server has.
type foreign struct{}

// Default implements sysvar.Foreign.
func (foreign) Default(name string) (any, bool) {
	_, v, ok := fallback.GetGlobal(name)
	return v, ok
}

// Convert implements sysvar.Foreign.
func (foreign) Convert(ctx context.Context, name string, v any) (any, error) {
	def, _, ok := fallback.GetGlobal(name)
	c, isOurs := ctx.(*sql.Context)
	if !ok || !isOurs {
		return nil, mysqlerr.New(mysqlerr.UnknownSystemVariable, name)
	}
	val, err := def.SetValue(c, v, false)
	return val.Val, err
}

// known are the definitions as go-mysql-server sees them; not changed after init.
var known = map[*sysvar.Def]*variable{}

// variable is a definition as go-mysql-server sees it.
type variable struct {
	def *sysvar.Def
	typ sql.Type
}

// typeOf is go-mysql-server's type of a variable's values.
func typeOf(d *sysvar.Def) sql.Type {
	switch d.Kind {
	case sysvar.Bool:
		return types.NewSystemBoolType(d.Name)
	case sysvar.Uint:
		return types.NewSystemUintType(d.Name, 0, math.MaxUint64)
	case sysvar.Int:
		return types.NewSystemIntType(d.Name, math.MinInt64, math.MaxInt64, true)
	case sysvar.Double:
		return types.NewSystemDoubleType(d.Name, -math.MaxFloat64, math.MaxFloat64)
	case sysvar.Enum:
		if d.Name == "lc_time_names" { // what is no locale has an error of its own
			break
		}
		return types.NewSystemEnumType(d.Name, d.Members...)
	}
	return types.NewSystemStringType(d.Name)
}

// registry is what go-mysql-server sees in sql.SystemVariables.
type registry struct{}

var _ sql.SystemVariableRegistry = registry{}

func (registry) AddSystemVariables(vars []sql.SystemVariable) { fallback.AddSystemVariables(vars) }

func (registry) AssignValues(vals map[string]any) error {
	rest := map[string]any{}
	for name, v := range vals {
		if _, ok := sysvar.Lookup(name); !ok {
			rest[name] = v
		} else if g := last.Load(); g != nil {
			if err := g.Configure(name, v); err != nil {
				return err
			}
		}
	}
	return fallback.AssignValues(rest)
}

// NewSessionMap is empty: sessions keep their values in a Session.
func (registry) NewSessionMap() map[string]sql.SystemVarValue {
	return map[string]sql.SystemVarValue{}
}

// noDirectory is secure_file_priv for go-mysql-server's own reading and writing of files, which package query
// replaces: what should be left of it finds no directory.
const noDirectory = "/dev/null/none"

func (registry) GetGlobal(name string) (sql.SystemVariable, any, bool) {
	d, ok := sysvar.Lookup(name)
	if !ok {
		return fallback.GetGlobal(name)
	}
	if d.Name == "secure_file_priv" {
		return known[d], noDirectory, true
	}
	if g := last.Load(); g != nil {
		return known[d], g.Value(d), true
	}
	return known[d], d.Default, true
}

func (registry) SetGlobal(ctx *sql.Context, name string, v any) error {
	if _, ok := sysvar.Lookup(name); !ok {
		return fallback.SetGlobal(ctx, name, v)
	}
	if h, ok := holderOf(ctx); ok {
		return h.SysVars().SetGlobal(ctx, name, v)
	}
	g := last.Load()
	if g == nil {
		return mysqlerr.New(mysqlerr.UnknownSystemVariable, name)
	}
	return g.Set(plain(ctx), name, v)
}

func (registry) GetAllGlobalVariables() map[string]any {
	out := map[string]any{}
	g := last.Load()
	for _, d := range sysvar.All() {
		if g == nil {
			out[d.Name] = d.Default
		} else if d.Scope != sysvar.SessionOnly {
			out[d.Name] = g.Value(d)
		}
	}
	return out
}

// plain is a context that may be nil as one that is not.
func plain(ctx *sql.Context) context.Context {
	if ctx == nil {
		return context.Background()
	}
	return ctx
}

func holderOf(ctx *sql.Context) (sysvar.Holder, bool) {
	if ctx == nil || ctx.Session == nil {
		return nil, false
	}
	h, ok := ctx.Session.(sysvar.Holder)
	return h, ok
}

var _ sql.SystemVariable = (*variable)(nil)

// GetName implements sql.SystemVariable.
func (v *variable) GetName() string { return v.def.Name }

// GetType implements sql.SystemVariable.
func (v *variable) GetType() sql.Type { return v.typ }

// GetSessionScope implements sql.SystemVariable.
func (v *variable) GetSessionScope() sql.SystemVariableScope { return scope{} }

// SetDefault implements sql.SystemVariable; definitions are immutable.
func (v *variable) SetDefault(any) {}

// GetDefault implements sql.SystemVariable.
func (v *variable) GetDefault() any { return v.def.Default }

// InitValue implements sql.SystemVariable.
func (v *variable) InitValue(ctx *sql.Context, val any, _ bool) (sql.SystemVarValue, error) {
	converted, err := v.def.Convert(plain(ctx), val)
	return sql.SystemVarValue{Var: v, Val: converted}, err
}

// SetValue implements sql.SystemVariable.
func (v *variable) SetValue(ctx *sql.Context, val any, global bool) (sql.SystemVarValue, error) {
	return v.InitValue(ctx, val, global)
}

// IsReadOnly implements sql.SystemVariable.
func (v *variable) IsReadOnly() bool { return v.def.ReadOnly }

// IsGlobalOnly implements sql.SystemVariable.
func (v *variable) IsGlobalOnly() bool { return v.def.Scope == sysvar.Global }

// DisplayString implements sql.SystemVariable.
func (v *variable) DisplayString(specifiedScope string) string {
	if specifiedScope == "" {
		return "@@" + v.def.Name
	}
	return "@@" + specifiedScope + "." + v.def.Name
}

// scope is the session scope of a variable, or with global set the global one
// of the session's own server (GlobalScope).
type scope struct{ global bool }

// GlobalScope reads and writes global values of the server that the context's
// session belongs to; it takes the place of go-mysql-server's process-wide scope.
var GlobalScope sql.SystemVariableScope = scope{global: true}

// SetValue implements sql.SystemVariableScope.
func (s scope) SetValue(ctx *sql.Context, name string, v any) error {
	if s.global {
		return sql.SystemVariables.SetGlobal(ctx, name, v)
	}
	return ctx.SetSessionVariable(ctx, name, v)
}

// GetValue implements sql.SystemVariableScope.
func (s scope) GetValue(ctx *sql.Context, name string, collation sql.CollationID) (any, error) {
	h, ok := holderOf(ctx)
	if s.global {
		if d, isKnown := sysvar.Lookup(name); isKnown && ok {
			if d.Scope == sysvar.SessionOnly {
				return nil, mysqlerr.New(mysqlerr.IncorrectGlobalLocalVar, d.Name, "SESSION")
			}
			return h.SysVars().Globals().Value(d), nil
		}
		return sql.GetMysqlScope(sql.SystemVariableScope_Global).GetValue(ctx, name, collation)
	}
	if ok {
		if v, isKnown := h.SysVars().Get(name); isKnown {
			return v, nil
		}
	}
	return ctx.GetSessionVariable(ctx, name)
}

// IsGlobalOnly implements sql.SystemVariableScope.
func (s scope) IsGlobalOnly() bool { return s.global }

// IsSessionOnly implements sql.SystemVariableScope.
func (s scope) IsSessionOnly() bool { return !s.global }
