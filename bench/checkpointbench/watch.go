package checkpointbench

import (
	"context"
	"database/sql"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// watchEvery is how often the server is asked for its checkpoints.
const watchEvery = 10 * time.Millisecond

// watcher asks for the checkpoints of an engine.
type watcher struct {
	db     *sql.DB
	prefix string // of the names of its counters, in lower case, such as engine_btree_
	began  time.Time
}

// ask fails if the server does not count checkpoints of the engine.
func (w *watcher) ask(ctx context.Context) (t told, err error) {
	rows, err := w.db.QueryContext(ctx, "SHOW GLOBAL STATUS LIKE '"+strings.ReplaceAll(w.prefix, "_", `\_`)+"checkpoint%'")
	if err != nil {
		return t, err
	}
	defer rows.Close()
	known := 0
	for rows.Next() {
		var name, text string
		if err := rows.Scan(&name, &text); err != nil {
			return t, err
		}
		n, err := strconv.ParseUint(text, 10, 63)
		if err != nil {
			return t, fmt.Errorf("status %s: %w", name, err)
		}
		switch strings.TrimPrefix(strings.ToLower(name), w.prefix) {
		case "checkpoints":
			t.checkpoints, known = n, known+1
		case "checkpoint_time_ms":
			t.time, known = time.Duration(n)*time.Millisecond, known+1
		}
	}
	if err := rows.Err(); err != nil {
		return t, err
	}
	if known != 2 {
		return t, fmt.Errorf("the server does not tell %scheckpoints and %scheckpoint_time_ms", w.prefix, w.prefix)
	}
	return t, nil
}

// seen is what a watcher has found: the times in which there were checkpoints, and how many and how long by the engine's own count.
type seen struct {
	during  []span
	number  uint64
	time    time.Duration
	longest time.Duration
}

// watch asks until ctx is done.
func (w *watcher) watch(ctx context.Context, first told) (found seen, err error) {
	whole := context.WithoutCancel(ctx)
	tick := time.NewTicker(watchEvery)
	defer tick.Stop()
	last, asked := first, time.Since(w.began)
	for done := false; !done; {
		select {
		case <-ctx.Done():
			done = true // and one last question
		case <-tick.C:
		}
		begin := time.Since(w.began)
		now, err := w.ask(whole)
		if err != nil {
			return found, err
		}
		if s, some := spans(asked, time.Since(w.began), last, now); some {
			found.during = append(found.during, s)
			found.number += now.checkpoints - last.checkpoints
			found.time += now.time - last.time
			found.longest = max(found.longest, (now.time-last.time)/time.Duration(now.checkpoints-last.checkpoints))
		}
		last, asked = now, begin
	}
	found.during = union(found.during)
	return found, nil
}
