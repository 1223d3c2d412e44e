package sysvar

import (
	"math"
	"strconv"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"

	"github.com/duramendb/duramen/query/mysqlerr"
)

// Holder is what a sql.Session implements to have variables of this package.
type Holder interface{ SysVars() *Session }

// fallback is go-mysql-server's own registry.
var fallback sql.SystemVariableRegistry

func installRegistry() {
	fallback = sql.SystemVariables
	sql.SystemVariables = registry{}
}

// registry is what go-mysql-server sees in sql.SystemVariables.
type registry struct{}

var _ sql.SystemVariableRegistry = registry{}

func (registry) AddSystemVariables(vars []sql.SystemVariable) { fallback.AddSystemVariables(vars) }

func (registry) AssignValues(vals map[string]any) error {
	rest := map[string]any{}
	for name, v := range vals {
		if _, ok := Lookup(name); !ok {
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
	d, ok := Lookup(name)
	if !ok {
		return fallback.GetGlobal(name)
	}
	if d.Name == "secure_file_priv" {
		return d, noDirectory, true
	}
	if g := last.Load(); g != nil {
		return d, g.Value(d), true
	}
	return d, d.Default, true
}

func (registry) SetGlobal(ctx *sql.Context, name string, v any) error {
	if _, ok := Lookup(name); !ok {
		return fallback.SetGlobal(ctx, name, v)
	}
	g := last.Load()
	if h, ok := holderOf(ctx); ok {
		g = h.SysVars().Globals()
	}
	if g == nil {
		return mysqlerr.New(mysqlerr.UnknownSystemVariable, name)
	}
	return g.Set(ctx, name, v)
}

func (registry) GetAllGlobalVariables() map[string]any {
	out := map[string]any{}
	g := last.Load()
	for _, d := range sorted {
		if g == nil {
			out[d.Name] = d.Default
		} else if d.Scope != SessionOnly {
			out[d.Name] = g.Value(d)
		}
	}
	return out
}

func holderOf(ctx *sql.Context) (Holder, bool) {
	if ctx == nil || ctx.Session == nil {
		return nil, false
	}
	h, ok := ctx.Session.(Holder)
	return h, ok
}

// Def implements sql.SystemVariable.
var _ sql.SystemVariable = (*Def)(nil)

// GetName implements sql.SystemVariable.
func (d *Def) GetName() string { return d.Name }

// GetType implements sql.SystemVariable.
func (d *Def) GetType() sql.Type { return d.typ }

// GetSessionScope implements sql.SystemVariable.
func (d *Def) GetSessionScope() sql.SystemVariableScope { return scope{} }

// SetDefault implements sql.SystemVariable; definitions are immutable.
func (d *Def) SetDefault(any) {}

// GetDefault implements sql.SystemVariable.
func (d *Def) GetDefault() any { return d.Default }

// InitValue implements sql.SystemVariable.
func (d *Def) InitValue(ctx *sql.Context, val any, _ bool) (sql.SystemVarValue, error) {
	v, err := d.convert(ctx, val)
	return sql.SystemVarValue{Var: d, Val: v}, err
}

// SetValue implements sql.SystemVariable.
func (d *Def) SetValue(ctx *sql.Context, val any, global bool) (sql.SystemVarValue, error) {
	return d.InitValue(ctx, val, global)
}

// IsReadOnly implements sql.SystemVariable.
func (d *Def) IsReadOnly() bool { return d.ReadOnly }

// IsGlobalOnly implements sql.SystemVariable.
func (d *Def) IsGlobalOnly() bool { return d.Scope == Global }

// DisplayString implements sql.SystemVariable.
func (d *Def) DisplayString(specifiedScope string) string {
	if specifiedScope == "" {
		return "@@" + d.Name
	}
	return "@@" + specifiedScope + "." + d.Name
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
		if d, known := Lookup(name); known && ok {
			if d.Scope == SessionOnly {
				return nil, mysqlerr.New(mysqlerr.IncorrectGlobalLocalVar, d.Name, "SESSION")
			}
			return h.SysVars().Globals().Value(d), nil
		}
		return sql.GetMysqlScope(sql.SystemVariableScope_Global).GetValue(ctx, name, collation)
	}
	switch strings.ToLower(name) {
	case "character_set_database", "collation_database":
		return sql.GetMysqlScope(sql.SystemVariableScope_Session).GetValue(ctx, name, collation)
	}
	if ok {
		if v, known := h.SysVars().Get(name); known {
			return v, nil
		}
	}
	return ctx.GetSessionVariable(ctx, name)
}

// IsGlobalOnly implements sql.SystemVariableScope.
func (s scope) IsGlobalOnly() bool { return s.global }

// IsSessionOnly implements sql.SystemVariableScope.
func (s scope) IsSessionOnly() bool { return !s.global }

// Range are the least and the greatest value of a numeric variable as text, nil if there is no bound.
func (d *Def) Range() (low, high any) {
	switch d.Kind {
	case Uint:
		return strconv.FormatUint(d.minU, 10), strconv.FormatUint(d.maxU, 10)
	case Int, Double:
		if !math.IsInf(d.min, 0) {
			low = strconv.FormatFloat(d.min, 'f', -1, 64)
		}
		if !math.IsInf(d.max, 0) {
			high = strconv.FormatFloat(d.max, 'f', -1, 64)
		}
	}
	return low, high
}
