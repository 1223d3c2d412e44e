package native

import (
	"context"
	"math/rand/v2"
	"strings"
	"time"

	"github.com/duramendb/duramen/query/bind"
	"github.com/duramendb/duramen/query/eval"
	"github.com/duramendb/duramen/query/types"
	"github.com/duramendb/duramen/query/types/charset"
	"github.com/duramendb/duramen/query/types/temporal"
)

// env is what the session's variables say of the meaning of expressions; error 1235 if they say what is not understood.
func (s Session) env() (*types.Env, error) {
	mode := s.Vars.Str("sql_mode")
	e := &types.Env{DivIncrement: uint8(s.Vars.Uint("div_precision_increment")), Names: s.Vars.Str("lc_time_names"), ConcatMax: s.Vars.Uint("group_concat_max_len"),
		WeekFormat: uint8(s.Vars.Uint("default_week_format")), SafeUpdates: s.Vars.On("sql_safe_updates")}
	for name := range strings.SplitSeq(mode, ",") {
		e.Mode |= types.ModeNamed(name)
	}
	if e.Mode &^= types.Oracle; s.LexMode.Oracle { // what a text means, as of a prepared one
		e.Mode |= types.Oracle
	}
	if _, err := temporal.ParseZone(s.Vars.Str("time_zone")); err != nil {
		return nil, bind.Refusal("this time_zone")
	}
	old := strings.ToUpper(s.Vars.Str("old_mode"))
	e.Utf8mb3 = strings.Contains(old, "UTF8_IS_UTF8MB3")
	var ok bool
	if e.Connection, ok = charset.ByName(s.Vars.Str("collation_connection")); !ok {
		return nil, bind.Refusal("this collation_connection")
	}
	if e.Server, ok = charset.ByName(s.Vars.Str("collation_server")); !ok {
		return nil, bind.Refusal("this collation_server")
	}
	if e.Database, ok = charset.ByName(s.Vars.Str("collation_database")); !ok {
		return nil, bind.Refusal("this collation_database")
	}
	if e.Client, ok = charset.SetByName(s.Vars.Str("character_set_client")); !ok {
		return nil, bind.Refusal("this character_set_client")
	}
	if name := s.Vars.Str("character_set_results"); name != "" {
		if e.Results, ok = charset.SetByName(name); !ok {
			return nil, bind.Refusal("this character_set_results")
		}
	}
	return e, nil
}

// frame is a frame for one statement.
func (s Session) frame(ctx context.Context, env *types.Env) *eval.Frame {
	zone, err := temporal.ParseZone(s.Vars.Str("time_zone"))
	if err != nil {
		zone = temporal.UTC // env has refused it
	}
	return &eval.Frame{
		Env: env, Diag: &types.Diagnostics{Most: int(max(s.Vars.Uint("max_error_count"), 1)), NoNotes: !s.Vars.On("sql_notes")}, MaxPacket: s.Vars.Uint("max_allowed_packet"),
		Started: temporal.Stamp(s.Clock.Begin(ctx).UnixMicro()), Zone: zone, Names: temporal.English,
		Random:      s.random(),
		Session:     functions{s, &underway{ctx: ctx}},
		Interrupted: interrupted(ctx), // for what is computed while types are settled
		Charge:      s.charge,
	}
}

// charge is eval.Frame.Charge.
func (s Session) charge(n int64) error {
	if n < 0 {
		s.Memory.Release(-n)
		return nil
	}
	return s.Memory.Hold(n)
}

// interrupted asks whether a statement is to end.
func interrupted(ctx context.Context) func() error {
	return func() error {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		return nil
	}
}

// within has the statement run until ctx ends.
func (st *Statement) within(ctx context.Context) {
	if st.running != nil {
		st.running.now.ctx = ctx
		return
	}
	st.frame.Interrupted = interrupted(ctx)
	if f, ok := st.frame.Session.(functions); ok {
		f.now.ctx = ctx
	}
}

// random makes the numbers of RAND(): those of the primary in its statements.
func (s Session) random() interface{ Float64() float64 } {
	if r := s.Replicated; r != nil && r.Random != nil {
		return r.Random
	}
	return rand.New(rand.NewPCG(uint64(time.Now().UnixNano()), uint64(s.Info.ID)))
}
