package evalcall

import (
	"github.com/dolthub/go-mysql-server/sql"

	"github.com/duramendb/duramen/query/eval"
	"github.com/duramendb/duramen/query/gms/function"
	"github.com/duramendb/duramen/query/mysqlerr"
	"github.com/duramendb/duramen/query/types"
	"github.com/duramendb/duramen/query/types/charset"
)

// conditionsMost is how many conditions one call may have.
const conditionsMost = 64

// envOf is what a session's variables say of the meaning of functions.
func envOf(ctx *sql.Context) (*types.Env, error) {
	utf8, _ := charset.ByName("utf8mb4_general_ci")
	env := &types.Env{DivIncrement: 4, Names: "en_US", ConcatMax: 1 << 20, Connection: utf8, Client: utf8.Set(), Server: utf8, Database: utf8}
	s := function.SessionOf(ctx)
	if s == nil { // the planner of a tool, without a session of ours
		return env, nil
	}
	vars := s.SysVars()
	env.ConcatMax = vars.Uint("group_concat_max_len")
	var ok bool
	if env.Connection, ok = charset.ByName(vars.Str("collation_connection")); !ok {
		return nil, mysqlerr.NotYet("this collation_connection")
	}
	if env.Client, ok = charset.SetByName(vars.Str("character_set_client")); !ok {
		return nil, mysqlerr.NotYet("this character_set_client")
	}
	if name := vars.Str("character_set_results"); name != "" {
		if env.Results, ok = charset.SetByName(name); !ok {
			return nil, mysqlerr.NotYet("this character_set_results")
		}
	}
	return env, nil
}

// frameOf is a frame for values of one statement.
func frameOf(ctx *sql.Context, env *types.Env, values int) *eval.Frame {
	f := &eval.Frame{Env: env, Diag: &types.Diagnostics{Most: conditionsMost}, Kept: make([]types.Value, values), MaxPacket: 16 << 20}
	f.Interrupted = ctx.Err
	if s := function.SessionOf(ctx); s != nil {
		f.MaxPacket = s.SysVars().Uint("max_allowed_packet")
		m := s.Memory()
		f.Charge = func(n int64) error {
			if n < 0 {
				m.Release(-n)
				return nil
			}
			return m.Hold(n)
		}
		if function.StrictMode(s.SysVars()) {
			if stores, ignore := s.Storing(); stores && !ignore {
				f.Diag.Strict = func(number uint16) bool { return number == mysqlerr.WarnAllowedPacketOverflowed }
			}
		}
	}
	return f
}

// Told hands the conditions that a frame has collected on to the session; an error among them is returned.
func Told(ctx *sql.Context, f *eval.Frame) error {
	if f.Diag.Failed() == nil && len(f.Diag.Conditions) == 0 {
		return nil
	}
	failed := f.Diag.Failed()
	if failed == nil {
		for _, c := range f.Diag.Conditions {
			ctx.Session.Warn(&sql.Warning{Level: c.Level.String(), Code: int(c.Number), Message: c.Message})
		}
	}
	f.Diag.Reset(0)
	if failed != nil {
		return failed
	}
	return nil
}
