package clone

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"
)

// Result says what was cloned.
type Result struct {
	// Source is the source's kind and version.
	Source string
	// File, Position and GTID are the place of the snapshot in the source's log; File is "" if that has none.
	File     string
	Position uint64
	GTID     string
	// Method is MethodFiles or MethodSQL.
	Method Method
	// Tables is how many were copied. Rows is how many rows they have, and Bytes the size of their values as texts; of MethodFiles, Files is how many
	// files there were, and Bytes their size.
	Tables, Rows, Files, Bytes int64
	Took                       time.Duration
	// Skipped are problems that Options.SkipErrors names.
	Skipped []Problem
}

// inventoryTries is how often definitions are read around a snapshot until they are the same before and after it.
const inventoryTries = 10

// Run makes a data directory of the source's data. If it fails, or ctx ends, what it has made is removed again. A *ProblemsError tells what
// the new server cannot have.
func Run(ctx context.Context, o Options) (_ *Result, err error) {
	o.EnsureDefaults()
	if err := o.Validate(); err != nil {
		return nil, err
	}
	began := time.Now()
	t, err := claim(o.Dir)
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, t.stop(), t.discard())
		}
	}()
	s, err := openSource(ctx, &o)
	if err != nil {
		return nil, err
	}
	defer func() { _ = s.close() }() // nothing was changed there
	if err := s.check(ctx, &o); err != nil {
		return nil, err
	}
	if err := tryFollowing(ctx, &o, s.how()); err != nil {
		return nil, err
	}
	shipped, err := s.ship(ctx, t, &o)
	if err != nil {
		return nil, err
	}
	if shipped != nil {
		result, err := t.adopt(ctx, &o, shipped)
		if err != nil {
			return nil, err
		}
		result.Source, result.Took = string(s.flavor)+" "+s.version, time.Since(began)
		return result, nil
	}
	if err := t.start(ctx, &o); err != nil {
		return nil, err
	}
	if !o.NoFollow {
		if err := t.follow(ctx, &o, s); err != nil {
			return nil, err
		}
	}
	inv, at, err := s.freeze(ctx, &o)
	if err != nil {
		return nil, err
	}
	if err := s.checkSet(at, &o); err != nil {
		return nil, err
	}
	_, _ = fmt.Fprintf(o.Progress, "clone: %s %s at %s:%d, GTID %s\n", s.flavor, s.version, at.File, at.Position, cmp.Or(at.GTID, "none"))
	problems, err := t.create(ctx, inv)
	if err != nil {
		return nil, err
	}
	problems = append(problems, t.unfillable(ctx, wanted(inv.tables, problems))...)
	problems = append(problems, untransactional(inv.tables, &o)...)
	if left := unskipped(problems, o.SkipErrors); len(left) > 0 {
		return nil, &ProblemsError{Problems: left}
	}
	tables := wanted(inv.tables, problems)
	done := newCounters(o.Progress, tables)
	if err := copyTables(ctx, s, t, tables, done, &o); err != nil {
		return nil, err
	}
	if err := t.createTriggers(ctx, inv, problems); err != nil {
		return nil, err
	}
	if err := t.finish(ctx, &o, s, at); err != nil {
		return nil, err
	}
	if err := t.stop(); err != nil {
		return nil, err
	}
	if err := errors.Join(t.writeFiles(&o, at), t.complete()); err != nil {
		return nil, err
	}
	for _, p := range problems {
		_, _ = fmt.Fprintln(o.Progress, "clone: left out", p)
	}
	return &Result{
		Source: string(s.flavor) + " " + s.version, File: at.File, Position: at.Position, GTID: at.GTID, Method: MethodSQL, Tables: int64(len(tables)),
		Rows: done.mu.rows, Bytes: done.mu.bytes, Took: time.Since(began), Skipped: problems,
	}, nil
}

// check refuses a source that the new server could not follow.
func (s *source) check(ctx context.Context, o *Options) error {
	switch {
	case o.NoFollow:
		return nil
	case !s.logs:
		return errors.New("the source writes no binary log, which a replica needs: switch log_bin on there, or give --no-follow")
	case s.id == o.ServerID:
		return fmt.Errorf("the source has server_id %d, too: give another --server-id", s.id)
	case s.flavor == duramen:
		return nil // it logs what it received
	case s.flavor == mySQL:
		return s.checkMySQL(ctx, o)
	}
	var logs bool
	var received string
	row := s.admin.QueryRowContext(ctx, "SELECT @@GLOBAL.log_slave_updates, @@GLOBAL.gtid_slave_pos")
	if err := row.Scan(&logs, &received); err != nil {
		return fmt.Errorf("ask the source what it logs: %w", err)
	}
	if !logs && received != "" {
		return errors.New("the source does not log what it receives from its primary (log_slave_updates=0): clone the primary, or give --no-follow")
	}
	return nil
}

// freeze reads the definitions and takes the snapshot, so that the definitions are those of the snapshot.
func (s *source) freeze(ctx context.Context, o *Options) (*inventory, place, error) {
	before, err := s.readInventory(ctx, !o.WithoutAccounts)
	if err != nil {
		return nil, place{}, err
	}
	for range inventoryTries {
		at, err := s.takeSnapshot(ctx, o.Lock)
		if err != nil {
			return nil, place{}, err
		}
		after, err := s.readInventory(ctx, !o.WithoutAccounts)
		if err != nil {
			return nil, place{}, err
		}
		if after.equal(before) {
			return after, at, nil
		}
		before = after
	}
	return nil, place{}, errors.New("definitions on the source change all the time: none were the same before and after a snapshot")
}

// untransactional are the tables that a snapshot does not hold still.
func untransactional(tables []*table, o *Options) []Problem {
	if o.Lock {
		return nil
	}
	var problems []Problem
	for _, t := range tables {
		if !t.transactional {
			problems = append(problems, Problem{Kind: kindEngine, Name: t.title(),
				Err: fmt.Errorf("engine %s has no transactions: rows may be written while they are copied; --lock prevents that", t.engine)})
		}
	}
	return problems
}

// wanted are the tables that the new server has.
func wanted(tables []*table, problems []Problem) []*table {
	gone := make(map[string]bool)
	for _, p := range problems {
		switch p.Kind {
		case kindTable:
			gone[p.Name] = true
		case kindDatabase:
			gone[p.Name+"."] = true
		}
	}
	return slices.DeleteFunc(slices.Clone(tables), func(t *table) bool { return gone[t.title()] || gone[t.database+"."] })
}
