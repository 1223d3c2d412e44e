package apply

import (
	"context"
	"errors"
	"hash/maphash"
	"runtime"
	"sync"
	"time"

	"github.com/duramendb/duramen/binlog/event"
	"github.com/duramendb/duramen/catalog"
	"github.com/duramendb/duramen/replication/replica/convert"
	"github.com/duramendb/duramen/replication/replica/primary"
	"github.com/duramendb/duramen/txn"
)

// Groups that are about different rows are prepared side by side: their rows are found, locked and changed in transactions of their own, by a crew of goroutines. The
// applier starts their commits, in the primary's order, so nothing is in another order for being prepared out of it.
//
// Which groups those are is told by the primary keys in their images: a group that has a key of one that is prepared and not started waits until all are
// started. What keys do not tell (an entry of a unique index, a local transaction) the locks of rows do: who comes too early keeps one from a group before it,
// which gives up after crewPatience. Then, as with any other error, that group and all behind it are rolled back, and applied one by one; so are the next ones, as
// the same may come again.

const (
	// chunkGroups and chunkBytes bound what is handed to a goroutine at a time: handing over takes some microseconds.
	chunkGroups = 8
	chunkBytes  = 64 << 10
	// crewMax bounds the goroutines, chunksPerHand how many chunks are under way or prepared for each of them.
	crewMax       = 16
	chunksPerHand = 2
	// crewPatience is how long the preparation of a chunk may take, if it has to wait for a lock.
	crewPatience = 200 * time.Millisecond
	// aloneAfter is how many groups are applied one by one after one that could not be prepared.
	aloneAfter = 256
)

// crew prepares groups. Its methods are for the applier's goroutine.
type crew struct {
	a     *Applier
	seed  maphash.Seed
	hands int
	work  chan *chunk
	ended sync.WaitGroup

	next *chunk   // being filled; nil or not empty
	open []*chunk // handed over and not started, oldest first
	// keys are those of the groups in next and open.
	keys  map[uint64]struct{}
	found []uint64 // memory of keysOf
	key   []byte
	maps  map[uint64]*keyed
	alone int // so many groups more are applied one by one
}

// chunk is some groups, one after the other.
type chunk struct {
	ctx  context.Context //nolint:containedctx // of the call that hands it over; it is waited for
	jobs []job
	keys []uint64
	size int
	done chan struct{}
}

// job is a group. t is its transaction, with all changes; nil if err is not.
type job struct {
	part *primary.Part
	t    *txn.Txn
	err  error
}

// errNotPrepared: a group of the chunk before this one had an error.
var errNotPrepared = errors.New("replica: a group before it could not be prepared")

// errHandSession: what needs a session is not for the crew. Tables of which that is known are not given to it.
var errHandSession = errors.New("replica: the crew has no session")

func newCrew(a *Applier) *crew {
	return &crew{a: a, seed: maphash.MakeSeed(), keys: map[uint64]struct{}{}, maps: map[uint64]*keyed{}}
}

// start starts the goroutines, when there is something to do.
func (c *crew) start() {
	c.hands = min(max(runtime.GOMAXPROCS(0), 2), crewMax)
	c.work = make(chan *chunk, c.hands*chunksPerHand)
	for range c.hands {
		c.ended.Go(c.hand)
	}
}

// close ends the goroutines; nothing is open.
func (c *crew) close() {
	if c.hands > 0 {
		close(c.work)
	}
	c.ended.Wait()
}

// hand prepares chunks.
func (c *crew) hand() {
	a := c.a
	// It has what is kept between rows, and neither a session nor commits.
	own := &Applier{txns: a.txns, opts: a.opts, report: a.report, ahead: a.ahead, line: a.line, tables: map[uint64]*mapped{},
		open: func() (Session, error) { return nil, errHandSession }}
	for ch := range c.work {
		own.prepare(ch)
		close(ch.done)
	}
}

// prepare does the work of a chunk, up to the first error.
func (a *Applier) prepare(ch *chunk) {
	ctx, cancel := context.WithTimeout(ch.ctx, crewPatience)
	defer cancel()
	var failed bool
	for i := range ch.jobs {
		j := &ch.jobs[i]
		if failed {
			j.err = errNotPrepared
			continue
		}
		j.t, j.err = a.prepared(ctx, j.part)
		failed = j.err != nil
	}
}

// takes takes a group, which holds nothing but rows, if it can be prepared beside others. more says that other groups have come already. If not, whatever is
// under way is started first.
func (c *crew) takes(ctx context.Context, p *primary.Part, more bool) (bool, error) {
	if c.alone > 0 {
		c.alone--
		return false, nil // nothing is open
	}
	ok := (more || c.next != nil || len(c.open) > 0) && c.keysOf(p)
	if !ok || c.conflict() {
		if err := c.flush(ctx); err != nil {
			return false, err
		}
		if !ok || !more || c.alone > 0 {
			return false, nil
		}
	}
	if c.next == nil {
		c.next = &chunk{ctx: ctx, done: make(chan struct{})}
	}
	n := c.next
	n.jobs, n.keys, n.size = append(n.jobs, job{part: p}), append(n.keys, c.found...), n.size+p.Bytes
	for _, k := range c.found {
		c.keys[k] = struct{}{}
	}
	if len(n.jobs) < chunkGroups && n.size < chunkBytes {
		return true, nil
	}
	return true, c.handOver(ctx)
}

// handOver gives the chunk that is full to a hand, and starts what is prepared; at least so much that there is room for it.
func (c *crew) handOver(ctx context.Context) error {
	if c.hands == 0 {
		c.start()
	}
	for len(c.open) > 0 && (len(c.open) >= c.hands*chunksPerHand || c.open[0].prepared()) {
		if err := c.startOldest(ctx); err != nil {
			return err
		}
	}
	if c.next != nil {
		c.tell(len(c.next.jobs), false)
		c.open = append(c.open, c.next)
		c.work <- c.next
		c.next = nil
	}
	return nil
}

func (c *crew) tell(groups int, again bool) {
	if c.a.opts.CrewForTesting != nil {
		c.a.opts.CrewForTesting(groups, again)
	}
}

func (ch *chunk) prepared() bool {
	select {
	case <-ch.done:
		return true
	default:
		return false
	}
}

// flush returns when everything that was taken is started. What nobody has begun is applied here.
func (c *crew) flush(ctx context.Context) error {
	for len(c.open) > 0 {
		if err := c.startOldest(ctx); err != nil {
			return err
		}
	}
	if c.next == nil {
		return nil
	}
	ch := c.next
	c.next = nil
	c.forget(ch)
	return c.oneByOne(ctx, appendParts(nil, ch.jobs))
}

// startOldest starts the commits of the oldest chunk's groups.
func (c *crew) startOldest(ctx context.Context) error {
	ch := c.open[0]
	<-ch.done
	c.open = c.open[1:]
	c.forget(ch)
	for i := range ch.jobs {
		j := &ch.jobs[i]
		if j.err != nil {
			return c.redo(ctx, ch.jobs[i:])
		}
		if err := c.a.commit(ctx, j.t, j.part); err != nil {
			ch.jobs = ch.jobs[i+1:]
			c.open = append([]*chunk{ch}, c.open...)
			c.abandon()
			return err
		}
	}
	return nil
}

func (c *crew) forget(ch *chunk) {
	for _, k := range ch.keys {
		delete(c.keys, k)
	}
}

// redo applies groups one by one of which the first could not be prepared, and all that were taken after them.
func (c *crew) redo(ctx context.Context, jobs []job) error {
	rest := appendParts(nil, jobs)
	for _, ch := range c.open { // of which some may be under way yet: only the parts may be read
		rest = appendParts(rest, ch.jobs)
	}
	if c.next != nil {
		rest = appendParts(rest, c.next.jobs)
	}
	c.open = append(c.open, &chunk{jobs: jobs, done: closed})
	c.abandon()
	c.alone = aloneAfter
	c.tell(len(rest), true)
	return c.oneByOne(ctx, rest)
}

// closed is the channel of a chunk that nobody works at.
var closed = func() chan struct{} { c := make(chan struct{}); close(c); return c }()

func appendParts(to []*primary.Part, jobs []job) []*primary.Part {
	for i := range jobs {
		to = append(to, jobs[i].part)
	}
	return to
}

// oneByOne applies groups of which nothing is there.
func (c *crew) oneByOne(ctx context.Context, parts []*primary.Part) error {
	defer func(group *primary.Part) { c.a.group = group }(c.a.group)
	for _, p := range parts {
		c.a.group = p
		if err := c.a.rowGroups(ctx, p); err != nil {
			c.a.abandon()
			return err
		}
	}
	return nil
}

// abandon rolls back what is not started.
func (c *crew) abandon() {
	for _, ch := range c.open {
		<-ch.done
		for i := range ch.jobs {
			if j := &ch.jobs[i]; j.t != nil {
				j.t.Rollback()
				j.t = nil
			}
		}
	}
	c.open, c.next = nil, nil
	clear(c.keys)
}

// keyed is what is known of the rows of a table map.
type keyed struct {
	info  *event.TableMapInfo
	cat   *catalog.Snapshot
	table *catalog.Table // nil: the rows are left out
	plan  *convert.Plan
	// ok: the primary keys in the images are those of the rows here, and say all about who is in whose way, but for unique indexes.
	ok bool
}

// conflict reports whether a key that keysOf has found is one of a group that was taken.
func (c *crew) conflict() bool {
	for _, k := range c.found {
		if _, ok := c.keys[k]; ok {
			return true
		}
	}
	return false
}

// keysOf finds the keys of a group's rows, and reports whether that could be done without further ado.
func (c *crew) keysOf(p *primary.Part) bool {
	c.found = c.found[:0]
	cat := c.a.txns.Catalog().Current()
	var m *keyed
	for i := range p.Events {
		switch body := p.Events[i].Body.(type) {
		case *event.TableMapInfo:
			m = c.mapOf(cat, body)
		case *event.RowsInfo:
			if body.TableID == event.DummyTableID {
				continue
			}
			if m == nil || m.info.TableID != body.TableID {
				if m = c.maps[body.TableID]; m == nil || m.cat != cat {
					return false
				}
			}
			if !c.keysIn(m, body) {
				return false
			}
		}
	}
	return true
}

// keysIn finds the keys of an event's rows.
func (c *crew) keysIn(m *keyed, rows *event.RowsInfo) bool {
	if !m.ok {
		return false
	}
	if m.table == nil {
		return true
	}
	it := rows.Iter(m.info)
	for it.Next() {
		if !rows.IsWrite() && !c.add(m, it.Before(), rows.BitmapBefore) {
			return false
		}
		after := rows.BitmapAfter
		if rows.IsWrite() {
			after = rows.BitmapBefore
		}
		if !rows.IsDelete() && !c.add(m, it.After(), after) {
			return false
		}
	}
	return it.Err() == nil
}

func (c *crew) add(m *keyed, image, present []byte) bool {
	if !m.plan.Same(image, present) {
		return false
	}
	var err error
	if c.key, err = m.table.PrimaryKey(c.key[:0], image); err != nil {
		return false
	}
	c.found = append(c.found, maphash.Bytes(c.seed, c.key))
	return true
}

func (c *crew) mapOf(cat *catalog.Snapshot, info *event.TableMapInfo) *keyed {
	m := c.maps[info.TableID]
	if m != nil && m.cat == cat && sameMap(m.info, info) {
		return m
	}
	if len(c.maps) >= mapsMax {
		clear(c.maps)
	}
	m = &keyed{info: info, cat: cat}
	c.maps[info.TableID] = m
	db := c.a.opts.Filter.Rewritten(info.Schema)
	if !c.a.opts.Filter.Rows(db, info.Table) {
		m.ok = true
		return m
	}
	t := cat.TableLike(db, info.Table)
	if t == nil || t.Keyless() || len(t.Def.ForeignKeys) > 0 || referenced(cat, t) || len(cat.Objects("trigger", t.Def.DB)) > 0 {
		return m
	}
	plan, err := convert.Compile(info, t, c.a.opts.Conversions)
	m.table, m.plan, m.ok = t, plan, err == nil
	return m
}
