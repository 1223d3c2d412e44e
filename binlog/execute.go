package binlog

import (
	"errors"
	"fmt"

	"github.com/cockroachdb/errors/oserror"
	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/duramendb/duramen/binlog/event"
)

// The part of recovery that changes files. A crash at any point of it leaves a log for which
// the same recovery is right, with the same Until if there was one.

// execute brings the files into the state of the plan, up to the new segment. Files that are set
// aside have two names afterwards, until dropSetAside:
//
// First the file that a rotation has not given its name gets it, and a second name of the last segment goes, durably: what
// is decided here about the segments must not be decided otherwise after another crash.
//
//  1. every file that is set aside gets a second name in a new directory, and that
//     is durable: from here on nothing can be lost
//  2. of the last segment, if it is set aside, a copy of its good part is made and synced
//  3. the index ends with the last segment
//  4. the copy takes the name of the last segment
//  5. the files that a rotation has left are closed; the last segment is cut, ended and closed
func (p *Plan) execute() error {
	if n := p.dir.unnamed; n > 0 {
		p.dir.unnamed = 0
		if err := p.dir.commit(p.dir.nextName(), p.dir.segmentName(n)); err != nil {
			return err
		}
	}
	if p.nextTwice {
		if err := p.dir.fs.Remove(p.dir.path(p.dir.nextName())); err != nil {
			return fmt.Errorf("remove %s: %w", p.dir.path(p.dir.nextName()), err)
		}
		if err := p.dir.sync(); err != nil {
			return err
		}
	}
	for _, name := range p.remove {
		p.o.Logger.Info("removing what an interrupted operation on the binary log left behind", "file", name)
		if err := p.dir.fs.Remove(p.dir.path(name)); err != nil && !oserror.IsNotExist(err) {
			return fmt.Errorf("remove %s: %w", p.dir.path(name), err)
		}
	}
	if len(p.SetAside) > 0 {
		if err := p.setAside(); err != nil {
			return err
		}
	}
	for _, seg := range p.unclosed {
		if err := p.closeRecovered(seg, true); err != nil {
			return err
		}
	}
	if len(p.segments) == 0 || p.finish == finishNothing {
		return nil
	}
	last := p.segments[len(p.segments)-1]
	if p.TornBytes > 0 {
		p.o.Logger.Warn("cut the end of the binary log that a crash tore: it was never acknowledged",
			"file", p.dir.path(last.name), "offset", p.End.Offset, "bytes", p.TornBytes, "found", p.tornReason.Error(), "cause", p.Cause)
	}
	return p.closeRecovered(last, p.finish == finishEnded)
}

// closeRecovered makes the last segment of a crashed process a closed file:
// first cut and synced, then ended with ROTATE, then marked as not in use. A
// crash in between is recovered like the first one.
func (p *Plan) closeRecovered(seg *segment, ended bool) error {
	f, err := p.dir.openWritable(seg.name)
	if err != nil {
		return fmt.Errorf("recover %s: %w", p.dir.path(seg.name), err)
	}
	if !ended {
		if f, err = p.dir.cutFile(f, seg.name, seg.size); err == nil {
			err = p.appendRotate(f, seg)
		}
	}
	if err == nil {
		f, err = p.dir.finishFile(f, seg.name, seg.size)
	}
	if f != nil {
		if cerr := f.Close(); err == nil {
			err = cerr
		}
	}
	if err != nil {
		return fmt.Errorf("recover %s: %w", p.dir.path(seg.name), noSpace(err))
	}
	return nil
}

func (p *Plan) appendRotate(f vfs.File, seg *segment) error {
	m := event.Meta{Timestamp: p.o.now(), ServerID: p.o.ServerID}
	ev := event.AppendRotate(nil, m, uint64(len(event.Magic)), p.dir.segmentName(seg.n+1))
	if err := event.Finalize(ev, seg.size); err != nil {
		return err
	}
	if _, err := f.WriteAt(ev, int64(seg.size)); err != nil {
		return err
	}
	seg.size += uint64(len(ev))
	return f.Sync()
}

// setAside does steps 1 to 4 of execute.
func (p *Plan) setAside() error {
	dir, err := p.lostDir()
	if err != nil {
		return err
	}
	for _, name := range append(p.SetAside, p.dir.indexName()) {
		err := vfs.LinkOrCopy(p.dir.fs, p.dir.path(name), p.dir.fs.PathJoin(dir, name))
		if oserror.IsNotExist(err) && name == p.dir.indexName() {
			continue
		}
		if err != nil {
			return noSpace(fmt.Errorf("keep %s in %s: %w", name, dir, err))
		}
	}
	if err := errors.Join(p.dir.syncDirectory(dir), p.dir.sync()); err != nil {
		return err
	}
	message := "the binary log ends earlier, as --recover-until asks for: what lies after it is set aside, and no longer part of it; " +
		"replicas that have received any of it must be set up again"
	if p.spec.Demoted {
		message = "the binary log ends earlier, as --init-rpl-role=SLAVE asks for: what lies after it is set aside, and no longer part of it; " +
			"what a replica of this server has of it comes back from there"
	}
	p.o.Logger.Warn(message,
		"end", p.End.In(p.dir.basename), "gtids", p.State.String(), "directory", dir, "files", p.SetAside, "starts_anew", p.Anew)
	if p.Anew {
		return nil // the new segment comes first: see dropSetAside
	}
	last := p.segments[len(p.segments)-1]
	if p.copyLast {
		if err := p.dir.copyStart(last.name, p.End.Offset); err != nil {
			return err
		}
	}
	numbers := make([]uint64, len(p.segments))
	for i, s := range p.segments {
		numbers[i] = s.n
	}
	if err := p.dir.stageIndex(numbers); err != nil {
		return err
	}
	if err := p.dir.commitIndex(); err != nil {
		return err
	}
	if p.copyLast {
		if err := p.dir.commit(last.name+cutSuffix, last.name); err != nil {
			return err
		}
	}
	return p.removeSetAside(last.n)
}

// lostDir makes a new directory for the files that are set aside.
func (p *Plan) lostDir() (string, error) {
	base := p.dir.path(p.dir.basename + ".lost-" + p.o.nowForTesting().UTC().Format("20060102-150405"))
	for n := 1; ; n++ {
		dir := base
		if n > 1 {
			dir = fmt.Sprintf("%s-%d", base, n)
		}
		_, err := p.dir.fs.Stat(dir)
		if err == nil {
			continue
		}
		if !oserror.IsNotExist(err) {
			return "", fmt.Errorf("stat %s: %w", dir, err)
		}
		if err := p.dir.fs.MkdirAll(dir, 0o750); err != nil {
			return "", noSpace(fmt.Errorf("create %s: %w", dir, err))
		}
		return dir, p.dir.sync()
	}
}

// dropSetAside removes the old names of a log that was begun anew, which the
// index of the new one does not list any more.
func (p *Plan) dropSetAside() error {
	if !p.Anew {
		return nil
	}
	return p.removeSetAside(0)
}

// removeSetAside takes the old names of the files that are set aside, but not that of segment keep.
func (p *Plan) removeSetAside(keep uint64) error {
	for _, name := range p.SetAside {
		if n, ok := p.dir.parseSegmentName(name); ok && n == keep {
			continue
		}
		if err := p.dir.fs.Remove(p.dir.path(name)); err != nil {
			return fmt.Errorf("remove %s: %w", p.dir.path(name), err)
		}
	}
	return p.dir.sync()
}
