package native

import (
	"bytes"
	"context"

	"github.com/duramendb/duramen/query/bind"
	"github.com/duramendb/duramen/query/dialect/tree"
	"github.com/duramendb/duramen/query/plan"
	"github.com/duramendb/duramen/query/types"
	"github.com/duramendb/duramen/query/types/assign"
)

// Values computes expressions of a routine, which name no columns; ok is false if they are not understood here.
func (s Session) Values(ctx context.Context, list []tree.Expr) (values []types.Value, kinds []types.Type, ok bool, err error) {
	if s.Vars.Str("native_sql") == "OFF" {
		return nil, nil, false, nil
	}
	for _, x := range list {
		if len(bind.Assigned(x)) > 0 {
			return nil, nil, false, nil
		}
	}
	b, err := s.begin(ctx, nil)
	if err != nil {
		return nil, nil, false, s.declined(err)
	}
	xs, err := plan.CompileValues(b.binder, list, "SELECT")
	switch {
	case refused(err):
		return nil, nil, false, nil
	case err != nil:
		return nil, nil, false, err
	}
	defer s.Memory.End(s.Memory.Begin(s.MemoryLimit()))
	f := b.frame
	for _, x := range xs {
		v := x.Compute(f)
		v.Text = bytes.Clone(v.Text)
		values, kinds = append(values, v), append(kinds, x.Type)
	}
	s.note(f.Diag)
	if ctx.Err() != nil {
		return nil, nil, false, context.Cause(ctx)
	}
	if err := f.Diag.Failed(); err != nil {
		return nil, nil, false, err
	}
	return values, kinds, true, nil
}

// Assigning is how a routine's variables get values.
func (s Session) Assigning(ctx context.Context) (types.Mode, *assign.Context, error) {
	b, err := s.begin(ctx, nil)
	if err != nil {
		return 0, nil, err
	}
	f := b.frame
	if f.Env.Mode.Strict() {
		f.Diag.Strict = func(uint16) bool { return true }
	}
	return f.Env.Mode, &assign.Context{Diag: f.Diag, Zone: f.Zone, Now: f.Started}, nil
}

// Note gives the session the conditions of d.
func (s Session) Note(d *types.Diagnostics) { s.note(d) }
