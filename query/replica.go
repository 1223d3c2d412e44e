package query

import (
	"context"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/duramendb/duramen/gtid"
	"github.com/duramendb/duramen/query/admin"
	"github.com/duramendb/duramen/query/mysqlerr"
	"github.com/duramendb/duramen/query/session"
	"github.com/duramendb/duramen/query/sysvar"
	"github.com/duramendb/duramen/replication/replica"
	"github.com/duramendb/duramen/replication/replica/apply"
)

// openReplication makes the manager of the connections to primaries of what Config.Replica says and the server knows.
func (e *Engine) openReplication() error {
	cfg := e.cfg.Replica
	if cfg.FS == nil {
		cfg.FS, cfg.Dir = vfs.NewMem(), ""
	}
	cfg.Logger = e.Log
	if cfg.SlavePos == nil {
		cfg.SlavePos = func() gtid.Position { return e.positionIn("gtid_slave_pos") }
	}
	if cfg.CurrentPos == nil {
		cfg.CurrentPos = func() gtid.Position { return e.positionIn("gtid_current_pos") }
	}
	if cfg.BinlogPos == nil {
		cfg.BinlogPos = func() gtid.Position { return e.VisibleState().Position() }
	}
	if cfg.Executed == nil {
		cfg.Executed = e.Executed
	}
	cfg.ServerID = func() uint32 { return uint32(e.GlobalUint("server_id")) }
	cfg.ThreadID = e.NextConnectionID
	cfg.NetTimeout = func() time.Duration { return time.Duration(e.GlobalUint("slave_net_timeout")) * time.Second }
	if cfg.Receive == nil {
		cfg.Receive = e.receive
	}
	if cfg.Apply == nil {
		cfg.Apply = e.apply
	}
	if cfg.SetSlavePos == nil {
		cfg.SetSlavePos = func(ctx context.Context, pos gtid.Position) error {
			return e.Store.Txns().Reposition(ctx, gtid.Reposition{Pos: pos})
		}
	}
	e.duplicates = apply.NewDuplicates(cfg.SlavePos)
	m, err := replica.New(cfg)
	if err != nil {
		return err
	}
	e.admin.Replication = m
	e.filters.connections = m
	e.Globals.InParts(e.filters, "default_master_connection", slices.Collect(maps.Keys(ruleLists))...)
	e.wireReplication(cfg.SetSlavePos)
	return nil
}

// Replication has the connections to primaries.
func (e *Engine) Replication() *replica.Manager { return e.admin.Replication }

// positionIn is the position in a global variable.
func (e *Engine) positionIn(variable string) gtid.Position {
	pos, err := gtid.ParsePosition(e.GlobalString(variable))
	if err != nil {
		e.Log.Error("a GTID position does not parse", "variable", variable, "err", err)
		return gtid.Position{}
	}
	return pos
}

// whileStopped are variables that are not set while a replica runs, with what else they have to be.
var whileStopped = map[string]func(e *Engine, v string) error{
	"gtid_ignore_duplicates":           nil,
	"gtid_pos_auto_engines":            (*Engine).checkEngines,
	"slave_parallel_threads":           nil,
	"slave_parallel_workers":           nil,
	"slave_parallel_mode":              nil,
	"slave_domain_parallel_threads":    nil,
	"replicate_events_marked_for_skip": (*Engine).checkMarked,
}

// wireReplication connects the variables about following primaries.
func (e *Engine) wireReplication(setSlavePos func(context.Context, gtid.Position) error) {
	for name, check := range whileStopped {
		e.Globals.OnSet(name, func(_ context.Context, v any) (any, error) {
			if err := e.Replication().MustStop(); err != nil {
				return nil, admin.ReplicaError(err)
			}
			if text, ok := v.(string); ok && check != nil {
				return v, check(e, text)
			}
			return v, nil
		})
	}
	e.Globals.Computed("sql_slave_skip_counter", func() any { return e.skipCounter("") })
	e.Globals.OnSet("sql_slave_skip_counter", func(_ context.Context, v any) (any, error) {
		return v, admin.ReplicaError(e.Replication().SetSkipCounter("", session.UintOf(v)))
	})
	e.Globals.OnSet("gtid_purged", func(ctx context.Context, v any) (any, error) {
		if err := e.Replication().MustStop(); err != nil {
			return nil, admin.ReplicaError(err)
		}
		text, ok := v.(string)
		if !ok {
			return nil, mysqlerr.New(mysqlerr.WrongValueForVar, "gtid_purged", "NULL")
		}
		to, err := gtid.ParseExecutedChange(text)
		if err != nil {
			return nil, mysqlerr.New(mysqlerr.WrongValueForVar, "gtid_purged", text).WithCause(err)
		}
		return text, e.Store.Txns().SetExecuted(ctx, to)
	})
	e.Globals.OnSet("gtid_slave_pos", func(ctx context.Context, v any) (any, error) {
		if err := e.Replication().MustStop(); err != nil {
			return nil, admin.ReplicaError(err)
		}
		text, ok := v.(string)
		if !ok {
			return nil, mysqlerr.New(mysqlerr.WrongValueForVar, "gtid_slave_pos", "NULL")
		}
		pos, err := e.checkSlavePos(ctx, text)
		if err != nil {
			return nil, err
		}
		return pos.String(), admin.ReplicaError(setSlavePos(ctx, pos))
	})
}

// checkSlavePos parses a value of gtid_slave_pos, and compares it with what this server has logged itself.
func (e *Engine) checkSlavePos(ctx context.Context, text string) (gtid.Position, error) {
	pos := gtid.Position{}
	for part := range strings.SplitSeq(text, ",") {
		if part = strings.TrimSpace(part); part == "" && strings.TrimSpace(text) == "" {
			break
		}
		g, err := gtid.Parse(part)
		if err != nil {
			return nil, mysqlerr.New(mysqlerr.IncorrectGTIDState).WithCause(err)
		}
		if b, twice := pos[g.Domain]; twice {
			return nil, mysqlerr.New(mysqlerr.DuplicateGTIDDomain, g.Domain, g.Server, g.Seq, b.Domain, b.Server, b.Seq, g.Domain)
		}
		pos.Update(g)
	}
	own := uint32(e.GlobalUint("server_id"))
	for _, logged := range e.VisibleState().Position().List() {
		have, there := pos[logged.Domain]
		if logged.Server != own || there && have.Seq >= logged.Seq {
			continue
		}
		conflict := mysqlerr.New(mysqlerr.MasterGTIDPosConflict, have, logged)
		if !there {
			conflict = mysqlerr.New(mysqlerr.MasterGTIDPosMissingDomain, logged.Domain, logged)
		}
		if e.Globals.On("gtid_strict_mode") {
			return nil, conflict
		}
		if w, ok := ctx.(sysvar.Warner); ok {
			w.Warn(int(conflict.Number), "%s", conflict.Message)
		}
	}
	return pos, nil
}

// checkEngines checks a list of storage engines.
func (e *Engine) checkEngines(list string) error {
	for name := range strings.SplitSeq(list, ",") {
		if name = strings.TrimSpace(name); name == "" || e.Engines.Named(name) != nil {
			continue
		}
		if _, ok := e.Engines.Replaced(name); !ok {
			return mysqlerr.New(mysqlerr.UnknownStorageEngine, name)
		}
	}
	return nil
}

// checkMarked refuses to leave out events that are marked.
func (e *Engine) checkMarked(v string) error {
	if v != "REPLICATE" {
		return mysqlerr.NotYet("replicate_events_marked_for_skip=" + v)
	}
	return nil
}

// skipCounter is sql_slave_skip_counter of a connection.
func (e *Engine) skipCounter(name string) uint64 {
	st, _, err := e.Replication().Status(name)
	if err != nil {
		return 0
	}
	return st.SkipCounter
}

// setUpReplica connects a session's variables about following primaries: sql_slave_skip_counter is that of default_master_connection.
func (s *Session) setUpReplica() {
	connection := func() string { return s.Vars.Str("default_master_connection") }
	s.Vars.Computed("sql_slave_skip_counter", func() any { return s.engine.skipCounter(connection()) })
	check := s.Vars.Check
	s.Vars.Check = func(ctx context.Context, d *sysvar.Def, v any) (any, error) {
		if d.Name == "sql_slave_skip_counter" {
			return v, admin.ReplicaError(s.engine.Replication().SetSkipCounter(connection(), session.UintOf(v)))
		}
		return check(ctx, d, v)
	}
}
