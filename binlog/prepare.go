package binlog

import (
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// The next segment waits, zero-filled and durable, as <basename>.next. While
// it is being filled it is called <basename>.next.tmp.

var zeroChunk = make([]byte, 1<<20)

// fillSyncBytes is how much is filled between two syncs, so that the
// commits' own syncs never find a mountain of dirty pages before them.
const fillSyncBytes = 4 << 20

// prepareRetry is the pause after an attempt ahead of need that failed. A writer that needs the
// segment tries at once.
const prepareRetry = 5 * time.Second

// preparer fills the next segment in the background. It has one goroutine,
// started by newPreparer and ended by close.
type preparer struct {
	o    *Options
	dir  dir
	size func() int64

	mu struct {
		sync.Mutex
		wanted  bool
		running bool
		ready   bool
		// given: the file was handed over, and still has the name under which the next one would be made.
		given   bool
		waiters int
		err     error     // of the last attempt, for those who wait for it
		retryAt time.Time // after a failed attempt: when want starts the next one
		closed  bool
	}
	cond  *sync.Cond    // of mu: any change
	hurry chan struct{} // capacity 1: somebody waits, stop pacing
	stop  chan struct{}
	done  chan struct{}
}

func newPreparer(o *Options, size func() int64) *preparer {
	p := &preparer{o: o, dir: o.dir(), size: size, hurry: make(chan struct{}, 1), stop: make(chan struct{}), done: make(chan struct{})}
	p.cond = sync.NewCond(&p.mu)
	go p.loop()
	return p
}

// adopt says that a usable next segment is there already.
func (p *preparer) adopt() {
	p.mu.Lock()
	p.mu.ready = true
	p.mu.Unlock()
}

// want starts the work ahead of need.
func (p *preparer) want() {
	if p.o.PrepareInline {
		return
	}
	p.mu.Lock()
	if !p.mu.ready && !p.mu.wanted && (p.mu.err == nil || time.Now().After(p.mu.retryAt)) {
		p.mu.wanted, p.mu.err = true, nil
		p.cond.Broadcast()
	}
	p.mu.Unlock()
}

// take waits for the next segment and hands it over: the caller gives it another name or removes it, and
// then calls settled.
func (p *preparer) take() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.o.PrepareInline && !p.mu.ready && !p.mu.closed {
		return p.fill(p.size(), false)
	}
	if !p.mu.wanted {
		p.mu.err = nil
	}
	for {
		switch {
		case p.mu.closed:
			return ErrClosed
		case p.mu.ready:
			p.mu.ready, p.mu.given = false, true
			return nil
		case p.mu.err != nil:
			return p.mu.err
		}
		if !p.mu.wanted {
			p.mu.wanted = true
			p.cond.Broadcast()
		}
		select {
		case p.hurry <- struct{}{}:
		default:
		}
		p.mu.waiters++
		p.cond.Wait()
		p.mu.waiters--
	}
}

// settled says that the file that take handed over has another name, or is gone.
func (p *preparer) settled() {
	p.mu.Lock()
	p.mu.given = false
	p.cond.Broadcast()
	p.mu.Unlock()
}

func (p *preparer) close() {
	p.mu.Lock()
	if !p.mu.closed {
		p.mu.closed = true
		close(p.stop)
	}
	p.cond.Broadcast()
	p.mu.Unlock()
	<-p.done
}

func (p *preparer) loop() {
	defer close(p.done)
	for {
		p.mu.Lock()
		for (!p.mu.wanted || p.mu.given) && !p.mu.closed {
			p.cond.Wait()
		}
		if p.mu.closed {
			p.mu.Unlock()
			return
		}
		urgent := p.mu.waiters > 0
		p.mu.Unlock()
		if !urgent {
			select { // a request of an earlier wait
			case <-p.hurry:
			default:
			}
		}
		err := p.fill(p.size(), !urgent)
		p.mu.Lock()
		p.mu.wanted = false
		p.mu.ready = err == nil
		p.mu.err = err
		p.mu.retryAt = time.Now().Add(prepareRetry)
		idle := p.mu.waiters == 0
		p.cond.Broadcast()
		p.mu.Unlock()
		if err != nil && idle && !errors.Is(err, ErrClosed) {
			p.o.Logger.Warn("next binary log file cannot be prepared yet", "err", err)
		}
	}
}

// fill makes the next segment: zeros, synced, and only then under its name.
func (p *preparer) fill(size int64, paced bool) error {
	size = roundUp(size, blockSize)
	if p.o.NoPreallocate {
		size = 0
	}
	if err := p.roomFor(size, spareBytes/4); err != nil {
		return err
	}
	return p.make(size, paced)
}

// fillSmall makes the segment that a start on a full disk needs so that one can log in and make room: the
// largest of a few sizes that fits. It is for the time when nobody else uses p.
func (p *preparer) fillSmall() error {
	var err error
	for _, size := range smallSizes {
		// As much again is left for the engine, which begins with files of its own.
		if err = p.roomFor(size, uint64(size)); err == nil {
			err = p.make(size, false)
		}
		if err == nil {
			p.adopt()
			p.o.Logger.Warn("the disk is full: the binary log goes on in a small file; make room (PURGE BINARY LOGS), then FLUSH BINARY LOGS",
				"bytes", size)
			return nil
		}
		if !errors.Is(err, ErrNoSpace) {
			return err
		}
	}
	return err
}

// smallSizes are what fillSmall tries.
var smallSizes = []int64{1 << 20, 64 << 10, 16 << 10}

// make fills a file of the given size, and gives it its name.
func (p *preparer) make(size int64, paced bool) error {
	name := p.dir.nextName()
	tmp := name + tmpSuffix
	err := p.dir.stage(tmp, func(f vfs.File) error { return p.write(f, size, paced) })
	if err == nil {
		err = p.dir.commit(tmp, name)
	}
	if err != nil {
		if rerr := p.dir.fs.Remove(p.dir.path(tmp)); rerr == nil && isNoSpace(err) {
			p.o.Logger.Debug("removed the partly filled binary log file", "file", p.dir.path(tmp))
		}
		return noSpace(fmt.Errorf("prepare %s: %w", p.dir.path(name), err))
	}
	return nil
}

// roomFor fails if the disk has no room for size bytes more and a spare: every commit on a full disk would
// fill it to the brim again otherwise, and take from the engine what is left.
func (p *preparer) roomFor(size int64, spare uint64) error {
	du, err := p.dir.fs.GetDiskUsage(p.dir.root)
	if err == nil && du.AvailBytes < uint64(size)+spare { // it is not known on every file system
		return fmt.Errorf("%w: the next file of %d bytes does not fit into the %d bytes that are left", ErrNoSpace, size, du.AvailBytes)
	}
	return nil
}

// write fills the file with zeros; what is left to sync at the end is little.
func (p *preparer) write(f vfs.File, size int64, paced bool) error {
	started := time.Now()
	for done := int64(0); done < size; {
		n := min(int64(len(zeroChunk)), size-done)
		if _, err := f.WriteAt(zeroChunk[:n], done); err != nil {
			return err
		}
		done += n
		if done%fillSyncBytes == 0 && done < size {
			if err := f.SyncData(); err != nil {
				return err
			}
		}
		if paced {
			due := started.Add(time.Duration(float64(done) / float64(p.o.PrepareRate) * float64(time.Second)))
			timer := time.NewTimer(time.Until(due))
			select {
			case <-timer.C:
			case <-p.hurry:
				paced = false
			case <-p.stop:
				timer.Stop()
				return ErrClosed
			}
			timer.Stop()
		}
	}
	return nil
}
