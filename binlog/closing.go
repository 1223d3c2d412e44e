package binlog

import (
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// left is a segment that the log has left: ROTATE is durable in it, and the next one takes the groups. What is still to be
// done about its file nobody has to wait for, see closer.
type left struct {
	seg  *segment // held
	file vfs.File // nil when the file is closed
	size uint64   // the segment's final one
	// extra are the file's other handles.
	extra []func() error
	// renamed: the next segment's name is not durable yet.
	renamed bool
}

// closer finishes rotations in the background, in this order, which recovery relies on:
//
//  1. the directory is synced, with the name of the new segment
//  2. the old file's in-use flag is cleared, it is cut to size and synced
//  3. the new index is written, synced, and gets its name; directory synced
//
// So a segment that the index lists follows on a closed one. A full disk in step 3 is waited for: Open takes a
// segment that is not listed into the log. Any other failure poisons the log, and is given to Options.Fatal.
type closer struct {
	*status
	o    *Options
	prep *preparer
	// store makes the GTID indexes of closed segments; rotated says that segments can be purged now.
	store, rotated func()

	turn sync.Mutex // held while one goroutine works
	work struct {   // leaf
		sync.Mutex
		left []*left
		// retry: an attempt has failed for want of room.
		retry error
		timer *time.Timer
		ended bool
	}
	wg sync.WaitGroup
}

// add takes over a segment that the log has left; it is held.
func (c *closer) add(s *left) error {
	c.work.Lock()
	c.work.left = append(c.work.left, s)
	c.work.Unlock()
	switch {
	case c.o.closeByHand:
		return nil
	case !c.o.PrepareInline:
		c.start()
		return nil
	}
	if err := c.finish(); err != nil && !errors.Is(err, ErrNoSpace) {
		return err
	}
	return nil
}

// start finishes in the background what is there.
func (c *closer) start() {
	c.work.Lock()
	defer c.work.Unlock()
	if c.work.ended {
		return
	}
	c.wg.Add(1)
	go func() {
		defer c.wg.Done()
		if err := c.finish(); err != nil && errors.Is(err, ErrNoSpace) {
			c.o.Logger.Warn("the binary log's index cannot be written yet", "err", err)
		}
	}()
}

// pending is why segments wait to be listed: a full disk.
func (c *closer) pending() error {
	c.work.Lock()
	defer c.work.Unlock()
	return c.work.retry
}

func (c *closer) queued() []*left {
	c.work.Lock()
	defer c.work.Unlock()
	return c.work.left
}

// finish works until nothing is left to do. An ErrNoSpace leaves the rest for another attempt. Mutexes of the
// log may be held, but not indexMu and mu.
func (c *closer) finish() error {
	c.turn.Lock()
	defer c.turn.Unlock()
	list := c.queued()
	if len(list) == 0 {
		return nil
	}
	if err := c.Failed(); err != nil { // then nothing is tried any more
		return err
	}
	err := c.finishAll(list)
	c.work.Lock()
	ended := c.work.ended
	c.work.retry = nil
	if errors.Is(err, ErrNoSpace) {
		c.work.retry = err
		if c.work.timer == nil && !c.work.ended {
			c.work.timer = time.AfterFunc(prepareRetry, c.again)
		}
	} else {
		c.work.left = c.work.left[len(list):]
	}
	c.work.Unlock()
	switch {
	case err == nil:
		c.store()
		for _, s := range list {
			c.release(s.seg)
		}
		c.rotated()
	case !errors.Is(err, ErrNoSpace):
		err = c.fail(err)
		if c.o.Fatal != nil && !ended { // there may be nobody else to notice it
			c.o.Fatal(err)
		}
	}
	return err
}

func (c *closer) again() {
	c.work.Lock()
	c.work.timer = nil
	c.work.Unlock()
	c.start()
}

func (c *closer) finishAll(list []*left) error {
	if err := c.nameAll(list); err != nil {
		return err
	}
	for _, s := range list {
		if err := c.closeFile(s); err != nil {
			return err
		}
	}
	c.indexMu.Lock()
	defer c.indexMu.Unlock()
	last := list[len(list)-1].seg.n + 1
	if err := c.dir.stageIndex(c.numbersUpTo(last)); err != nil {
		return err
	}
	if err := c.dir.commitIndex(); err != nil {
		return err
	}
	c.mu.Lock()
	c.mu.listed = last
	c.mu.Unlock()
	return nil
}

// nameAll does step 1, once. Until then preparer makes no next file, which would take the name that a crash may give back to
// the one before.
func (c *closer) nameAll(list []*left) error {
	for _, s := range list {
		if !s.renamed {
			continue
		}
		if err := c.dir.sync(); err != nil {
			return err
		}
		s.renamed = false
		c.prep.settled()
	}
	return nil
}

// closeFile does step 2, once.
func (c *closer) closeFile(s *left) error {
	if s.file == nil {
		return nil
	}
	var errs []error
	for _, closeHandle := range s.extra {
		errs = append(errs, closeHandle())
	}
	s.extra = nil
	err := errors.Join(errs...)
	if err == nil {
		s.file, err = c.dir.finishFile(s.file, s.seg.name, s.size)
	}
	if err != nil {
		return noSpace(err)
	}
	err = s.file.Close()
	s.file = nil
	if err != nil {
		return fmt.Errorf("close %s: %w", c.dir.path(s.seg.name), err)
	}
	return nil
}

// close finishes what is left, and ends the background work. What a full disk keeps from being finished, the next
// Open finishes.
func (c *closer) close() error {
	c.work.Lock()
	c.work.ended = true
	if c.work.timer != nil {
		c.work.timer.Stop()
	}
	c.work.Unlock()
	c.wg.Wait()
	err := c.finish()
	if errors.Is(err, ErrNoSpace) {
		c.o.Logger.Warn("the binary log's index does not list its last files: the next start mends that", "err", err)
		err = nil
	}
	c.work.Lock()
	defer c.work.Unlock()
	for _, s := range c.work.left {
		if s.file != nil {
			_ = s.file.Close() // it was not finished
		}
	}
	c.work.left = nil
	return err
}
