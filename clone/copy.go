package clone

import (
	"cmp"
	"context"
	"database/sql"
	"slices"
	"sync"
)

// copyTables copies all rows, with as many workers as there are connections: each takes the next part, the largest tables first.
func copyTables(ctx context.Context, s *source, to *target, tables []*table, done *counters, o *Options) error {
	parts, err := divide(ctx, s, tables, done, o.PartBytes)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	queue := make(chan *part, len(parts))
	for i := range parts {
		queue <- &parts[i]
	}
	close(queue)
	var teller, workers sync.WaitGroup
	telling, told := context.WithCancel(ctx)
	teller.Go(func() { tell(telling, o.Progress, o.ProgressInterval, done.line) })
	for i := range s.readers {
		workers.Go(func() {
			if err := work(ctx, s.readers[i], to.writers[i], queue, done, o.Verify); err != nil {
				cancel(err) // ends the others; the first one counts
			}
		})
	}
	workers.Wait()
	told()
	teller.Wait()
	return context.Cause(ctx)
}

// divide gives the parts of all tables.
func divide(ctx context.Context, s *source, tables []*table, done *counters, size int64) ([]part, error) {
	tables = slices.Clone(tables)
	slices.SortStableFunc(tables, func(a, b *table) int { return cmp.Compare(b.bytes, a.bytes) })
	var all []part
	for _, t := range tables {
		parts, err := t.parts(ctx, s.readers[0], size)
		if err != nil {
			return nil, err
		}
		done.start(t, len(parts))
		all = append(all, parts...)
	}
	return all, nil
}

// work copies parts until there are none left.
func work(ctx context.Context, from, to *sql.Conn, queue <-chan *part, done *counters, check bool) error {
	for p := range queue {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := copyPart(ctx, from, to, p, done); err != nil {
			return err
		}
		if done.finish(p.table) && check {
			if err := verify(ctx, from, to, p.table); err != nil {
				return err
			}
		}
	}
	return nil
}
