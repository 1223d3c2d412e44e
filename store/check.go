package store

import (
	"bytes"
	"context"
	"errors"
	"fmt"

	"github.com/duramendb/duramen/catalog"
	"github.com/duramendb/duramen/engine"
	"github.com/duramendb/duramen/row"
)

// ErrNoTable is returned by CheckTable for a table that does not exist.
var ErrNoTable = errors.New("store: no such table")

// problemsMax is how many problems of one table are listed; the others are
// only counted.
const problemsMax = 100

// CheckResult is what CheckTable found.
type CheckResult struct {
	DB, Table string
	Rows      int64
	Entries   int64 // of all indexes
	// Problems are sentences, one per damaged row or entry, at most 100.
	Problems []string
	// ProblemCount counts all of them.
	ProblemCount int64
}

// OK reports whether nothing was found.
func (r *CheckResult) OK() bool { return r.ProblemCount == 0 }

func (r *CheckResult) problem(format string, args ...any) {
	r.ProblemCount++
	if len(r.Problems) < problemsMax {
		r.Problems = append(r.Problems, fmt.Sprintf(format, args...))
	}
}

// CheckTable reads a whole table, as of one moment, and verifies that every
// row is well formed and lies under its own key, that every row has its entry in every
// index, and that every entry of an index has its row.
func (s *Store) CheckTable(ctx context.Context, db, name string) (*CheckResult, error) {
	var t *catalog.Table
	var snap engine.Snapshot
	s.pipeline.ApplyBarrier(func() {
		if t = s.registry.Current().Table(db, name); t != nil {
			snap = s.engine.Snapshot()
		}
	})
	if t == nil {
		return nil, fmt.Errorf("%w: %s.%s", ErrNoTable, db, name)
	}
	defer snap.Close()
	return checkTable(ctx, t, snap)
}

// checkTable is CheckTable of a table in a snapshot.
func checkTable(ctx context.Context, t *catalog.Table, snap engine.Snapshot) (*CheckResult, error) {
	c := &checker{t: t, snap: snap, CheckResult: CheckResult{DB: t.Def.DB, Table: t.Def.Name}}
	if err := c.rows(ctx); err != nil {
		return nil, fmt.Errorf("store: check %s.%s: %w", t.Def.DB, t.Def.Name, err)
	}
	for i := range t.Indexes {
		if !t.Indexes[i].Stored {
			continue
		}
		if err := c.index(ctx, i); err != nil {
			return nil, fmt.Errorf("store: check index %s of %s.%s: %w", t.Indexes[i].Def.Name, t.Def.DB, t.Def.Name, err)
		}
	}
	return &c.CheckResult, nil
}

// CheckAll runs CheckTable over all tables.
func (s *Store) CheckAll(ctx context.Context) ([]*CheckResult, error) {
	var results []*CheckResult
	for _, t := range s.registry.Current().AllTables() {
		r, err := s.CheckTable(ctx, t.Def.DB, t.Def.Name)
		if errors.Is(err, ErrNoTable) {
			continue // dropped or renamed meanwhile
		}
		if err != nil {
			return results, err
		}
		results = append(results, r)
	}
	return results, nil
}

type checker struct {
	CheckResult
	t    *catalog.Table
	snap engine.Snapshot
}

// cancelEvery is how many keys are read between two looks at the context.
const cancelEvery = 1024

func (c *checker) rows(ctx context.Context) error {
	return c.walk(ctx, -1, func(key, image []byte) error {
		c.Rows++
		if size, err := row.Size(c.t.Columns, nil, image); err != nil || size != len(image) {
			c.problem("row %x is malformed: %d bytes, image of %d (%v)", key, len(image), size, err)
			return nil
		}
		if !c.t.Keyless() {
			own, err := c.t.PrimaryKey(nil, image)
			if err != nil || !bytes.Equal(own, key) {
				c.problem("row %x has the primary key %x (%v)", key, own, err)
				return nil
			}
		}
		for i := range c.t.Indexes {
			if c.t.Indexes[i].Stored {
				if err := c.entryOf(i, key, image); err != nil {
					return err
				}
			}
		}
		return nil
	})
}

// entryOf checks that index i has the entry of a row.
func (c *checker) entryOf(i int, key, image []byte) error {
	e, err := c.t.Entry(i, image, key)
	if err != nil {
		c.problem("row %x has no key in index %s: %v", key, c.t.Indexes[i].Def.Name, err)
		return nil
	}
	value, ok, release, err := c.snap.Get(e.Key)
	if err != nil {
		return err
	}
	if !ok {
		if release != nil {
			release()
		}
		c.problem("row %x has no entry in index %s (%x)", key, c.t.Indexes[i].Def.Name, e.Key)
		return nil
	}
	defer release()
	if !bytes.Equal(value, e.Value) {
		c.problem("entry %x of index %s points to %x instead of %x", e.Key, c.t.Indexes[i].Def.Name, value, e.Value)
	}
	return nil
}

func (c *checker) index(ctx context.Context, i int) error {
	name := c.t.Indexes[i].Def.Name
	return c.walk(ctx, i, func(key, value []byte) error {
		c.Entries++
		rowKey, err := c.t.EntryRowKey(nil, i, key, value)
		if err != nil {
			c.problem("entry %x of index %s is malformed: %v", key, name, err)
			return nil
		}
		image, ok, release, err := c.snap.Get(rowKey)
		if err != nil {
			return err
		}
		if release != nil {
			defer release()
		}
		if !ok {
			c.problem("entry %x of index %s has no row (%x)", key, name, rowKey)
			return nil
		}
		if match, err := c.t.Matches(i, key, value, image, rowKey); err != nil || !match {
			c.problem("entry %x of index %s is not the one of row %x (%v)", key, name, rowKey, err)
		}
		return nil
	})
}

// walk calls f for every key of an index, -1 for the rows.
func (c *checker) walk(ctx context.Context, index int, f func(key, value []byte) error) error {
	it, err := c.snap.NewIter(c.t.Span(index))
	if err != nil {
		return err
	}
	n := 0
	for ok := it.First(); ok && err == nil; ok = it.Next() {
		if n++; n%cancelEvery == 0 {
			err = ctx.Err()
		}
		if err == nil {
			err = f(it.Key(), it.Value())
		}
	}
	if err == nil {
		err = it.Error()
	}
	if cerr := it.Close(); err == nil {
		err = cerr
	}
	return err
}
