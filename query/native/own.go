package native

import (
	"context"

	"github.com/duramendb/duramen/query/dialect/shape"
	"github.com/duramendb/duramen/query/eval"
	"github.com/duramendb/duramen/query/plan"
	"github.com/duramendb/duramen/query/privilege"
	"github.com/duramendb/duramen/query/result"
	"github.com/duramendb/duramen/query/sysvar"
	"github.com/duramendb/duramen/query/types"
	"github.com/duramendb/duramen/query/types/temporal"
)

// Own is what a session uses again from statement to statement: memory of statements that have run, and what is known of programs. The zero value is ready
// for use, by one goroutine at a time.
type Own struct {
	idle []*running
	// text is the last one that was looked at without its literals.
	text shape.Text

	// known are programs whose variables are as this session has them, by their numbers, as long as none of these is set.
	known   [knownPrograms]uint64
	vars    *sysvar.Session
	version uint64
	most    int
	noNotes bool
	packet  uint64
	zone    *temporal.Zone
}

// knownPrograms is a power of two.
const knownPrograms = 64

// idleMost is how many statements a session keeps the memory of: they run within each other.
const idleMost = 4

// running is a statement that runs, in memory that another one may use after it.
type running struct {
	frame   *eval.Frame
	now     *underway
	st      Statement
	selects plan.Select
	writes  plan.Write
	own     *Own

	columns []result.Column
	items   []item
	out     output
	attempt attempt
	values  result.Values
}

// follow looks whether variables were set.
func (o *Own) follow(s Session) {
	if o.vars == s.Vars && o.version == s.Vars.Version() {
		return
	}
	clear(o.known[:])
	o.vars, o.version = s.Vars, s.Vars.Version()
	o.most, o.noNotes, o.packet = int(max(s.Vars.Uint("max_error_count"), 1)), !s.Vars.On("sql_notes"), s.Vars.Uint("max_allowed_packet")
	zone, err := temporal.ParseZone(s.Vars.Str("time_zone"))
	if err != nil {
		zone = temporal.UTC // what is kept was bound with another one
	}
	o.zone = zone
}

// same reports whether all variables that a program depends on have the values that they had.
func (o *Own) same(s Session, p *program) bool {
	o.follow(s)
	slot := &o.known[p.number%knownPrograms]
	if *slot == p.number {
		return true
	}
	if !s.Vars.Same(p.vars) {
		return false
	}
	*slot = p.number
	return true
}

// begin makes room for a run of a program.
func (o *Own) begin(ctx context.Context, s Session, p *program) *running {
	var r *running
	if n := len(o.idle); n > 0 {
		r, o.idle = o.idle[n-1], o.idle[:n-1]
		r.now.ctx, r.now.lastInsertID = ctx, givenID{}
	} else {
		now := &underway{ctx: ctx}
		r = &running{own: o, now: now, frame: &eval.Frame{
			Diag: &types.Diagnostics{}, Names: temporal.English, Session: functions{s, now}, Interrupted: now.interrupted, Charge: s.charge,
		}}
	}
	f := r.frame
	f.Env, f.MaxPacket, f.Zone = p.env, o.packet, o.zone
	f.Diag.Most, f.Diag.NoNotes = o.most, o.noNotes
	return r
}

// end gives the memory back, of which nobody uses anything any more.
func (r *running) end() {
	r.frame.Renew() // values and rows may be long
	r.st, r.selects, r.writes, r.attempt = Statement{}, plan.Select{}, plan.Write{}, attempt{}
	r.columns, r.items, r.out = nil, nil, output{decs: r.out.decs[:0]}
	r.values.Renew(nil)
	if len(r.own.idle) < idleMost {
		r.own.idle = append(r.own.idle, r)
	}
}

// interrupted is eval.Frame.Interrupted.
func (u *underway) interrupted() error {
	if u.ctx.Err() != nil {
		return context.Cause(u.ctx)
	}
	return nil
}

// everything reports whether there is nothing that the session's user may not do, as Rights().Everything() says.
func (s Session) everything() bool { return s.GlobalPrivileges()|privilege.Grant == privilege.All }
