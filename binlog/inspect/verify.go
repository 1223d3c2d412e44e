package inspect

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/cockroachdb/errors/oserror"

	"github.com/duramendb/duramen/binlog"
	"github.com/duramendb/duramen/binlog/event"
	"github.com/duramendb/duramen/gtid"
)

// VerifyOptions say how Verify works.
type VerifyOptions struct {
	JSON bool
	// Strict makes problems of GTIDs that go back or leave a gap; gtid_strict_mode=OFF allows both.
	Strict   bool
	Progress *Progress

	// pauseForTesting is waited before a file that may be changing is looked at again; 0 means retryPause.
	pauseForTesting time.Duration
}

// retryPause lets a running server finish what it is doing to its last two files.
const retryPause = 20 * time.Millisecond

// pause waits a moment.
func (o *VerifyOptions) pause(ctx context.Context) error {
	d := retryPause
	if o.pauseForTesting > 0 {
		d = o.pauseForTesting
	}
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Problem is damage: something that no server leaves behind.
type Problem struct {
	Offset uint64 `json:"offset"`
	Reason string `json:"reason"`
}

// Report is what Verify says of a file.
type Report struct {
	File         string    `json:"file"`
	OK           bool      `json:"ok"`
	State        string    `json:"state"`
	Size         uint64    `json:"size"`
	End          uint64    `json:"end"` // of the last valid event
	Events       uint64    `json:"events"`
	Transactions uint64    `json:"transactions"`
	First        string    `json:"first_time,omitempty"`
	Last         string    `json:"last_time,omitempty"`
	GTIDEnd      string    `json:"gtid_end"` // the binlog state at its end
	Problems     []Problem `json:"problems"`
	Notes        []string  `json:"notes"`
}

func (r *Report) problem(offset uint64, format string, args ...any) {
	r.Problems = append(r.Problems, Problem{offset, fmt.Sprintf(format, args...)})
}

func (r *Report) note(format string, args ...any) {
	r.Notes = append(r.Notes, fmt.Sprintf(format, args...))
}

// Verify checks the files, and the chain that they make, and writes what it
// finds to out. It returns the number of problems. An error means that not everything
// could be checked.
func Verify(ctx context.Context, set *Set, o VerifyOptions, out io.Writer) (problems int, err error) {
	v := &verifier{set: set, o: o, files: slices.Clone(set.Files)}
	if o.JSON {
		v.emit = jsonReports(out)
	} else {
		v.emit = textReports(out)
	}
	if o.Progress != nil {
		o.Progress.Total = set.TotalSize(v.files)
	}
	defer o.Progress.Clear()
	for i := 0; i < len(v.files); i++ {
		if err := v.one(ctx, i); err != nil {
			return v.problems, err
		}
	}
	if err := v.recovery(ctx); err != nil {
		return v.problems, err
	}
	if !o.JSON {
		if err := v.summary(out); err != nil {
			return v.problems, err
		}
	}
	return v.problems, v.unread
}

// verifier is the state of one Verify.
type verifier struct {
	set      *Set
	o        VerifyOptions
	files    []File
	emit     func(*Report) error
	problems int
	total    Report
	unread   error // what could not be checked

	// Of the file before; nil if there is none, or it could not be read to its end.
	prev *link
	ours bool // the last file was written by Duramen
}

// link is what the next file has to fit.
type link struct {
	file    File
	state   *gtid.State
	closing *event.Rotate // nil: STOP, or none
	closed  bool
}

// retries is how often a file is looked at again that a running server may be changing.
const retries = 5

// one verifies file i, and takes note of files that have come after it.
func (v *verifier) one(ctx context.Context, i int) error {
	f := v.files[i]
	v.o.Progress.File(f.Name)
	var rep *Report
	var next *link
	for try := 0; ; try++ {
		var err error
		rep, next, err = v.file(ctx, f, i == len(v.files)-1)
		if oserror.IsNotExist(err) {
			if listed, lerr := v.relist(f, i); lerr != nil || !listed {
				v.prev = nil // purged meanwhile
				return lerr
			}
			rep = &Report{File: f.Name, State: StateMissing}
			rep.problem(0, "the file is listed in %s, but missing", v.set.Index)
			err = nil
		}
		if err != nil {
			return err
		}
		grown := false
		if i == len(v.files)-1 && rep.State != StateClosed {
			before := len(v.files)
			if _, err := v.relist(f, i); err != nil {
				return err
			}
			grown = len(v.files) > before
		}
		if !grown && (len(rep.Problems) == 0 || try >= retries || v.set.Index == "" || i < len(v.files)-2 || !v.changing(f)) {
			break
		}
		if err := v.o.pause(ctx); err != nil {
			return err
		}
	}
	v.prev = next
	rep.OK = len(rep.Problems) == 0
	v.problems += len(rep.Problems)
	v.total.Events += rep.Events
	v.total.Transactions += rep.Transactions
	v.total.Size += rep.End
	v.o.Progress.Clear()
	return v.emit(rep)
}

// changing reports whether a server may be writing to the file: it was written to a short time ago.
func (v *verifier) changing(f File) bool {
	fi, err := v.set.FS.Stat(f.Path)
	return err != nil || time.Since(fi.ModTime()) < time.Minute
}

// relist reads the index again. It reports whether f is still listed, and appends the files
// that were made after those known.
func (v *verifier) relist(f File, i int) (listed bool, err error) {
	if v.set.Index == "" {
		return true, nil
	}
	now := &Set{FS: v.set.FS}
	if err := now.readIndex(v.set.Index); err != nil {
		return false, err
	}
	at := slices.IndexFunc(now.Files, func(x File) bool { return x.Name == f.Name })
	if at >= 0 && i == len(v.files)-1 {
		v.files = append(v.files, now.Files[at+1:]...)
	}
	return at >= 0, nil
}

func stamp(t uint32) string {
	if t == 0 {
		return ""
	}
	return time.Unix(int64(t), 0).UTC().Format(time.RFC3339)
}

// file verifies one file. An error is that of the disk.
func (v *verifier) file(ctx context.Context, f File, last bool) (rep *Report, next *link, err error) {
	rep = &Report{File: f.Name, State: StateDamaged, Problems: []Problem{}, Notes: []string{}}
	r, err := openReader(v.set.FS, f, v.o.Progress)
	var ce *binlog.CorruptError
	if errors.As(err, &ce) {
		rep.problem(ce.Offset, "%v", ce.Reason)
		return rep, nil, nil
	}
	if err != nil {
		return rep, nil, err
	}
	defer func() {
		r.done()
		err = errors.Join(err, r.Close())
	}()
	rep.Size = r.Size
	v.ours = r.Ours
	v.chain(rep, r)
	w := newWalk(r)
	numbers := numbering{rep: rep, w: w, strict: v.o.Strict}
	if err := w.run(ctx, numbers.visit); err != nil {
		return rep, nil, err
	}
	numbers.end()
	rep.End, rep.Events, rep.Transactions = w.end, w.events, w.transactions
	rep.First, rep.Last = stamp(w.firstTime), stamp(w.lastTime)
	if r.MariaDB {
		rep.GTIDEnd = w.state.String()
	}
	if errors.Is(w.stop, ErrEncrypted) {
		rep.State = StateClosed
		rep.note("%v", ErrEncrypted)
		v.unread = errors.Join(v.unread, fmt.Errorf("%s: %w", f.Path, ErrEncrypted))
		return rep, nil, nil
	}
	if err := v.judge(rep, w, last); err != nil {
		return rep, nil, err
	}
	if len(rep.Problems) == 0 || w.problem == nil {
		next = &link{file: f, state: w.state, closed: w.closed}
		next.closing, _ = w.closing.Body.(*event.Rotate)
		if !r.MariaDB {
			next.state = nil
		}
	}
	return rep, next, nil
}

// chain checks that the file goes on where the one before ended.
func (v *verifier) chain(rep *Report, r *Reader) {
	p := v.prev
	if p == nil || r.Relay {
		return
	}
	if p.file.Number > 0 && r.File.Number != p.file.Number+1 {
		rep.problem(0, "it follows %s: files between them are missing", p.file.Name)
		return
	}
	if p.closing != nil && p.closing.File != r.File.Name {
		rep.problem(0, "the file before, %s, goes on in %s", p.file.Name, p.closing.File)
	}
	if p.state == nil || r.State == nil || p.state.Equal(r.State) {
		return
	}
	// FLUSH BINARY LOGS DELETE_DOMAIN_ID takes domains out of the state.
	without := p.state.Clone()
	var dropped []uint32
	for domain := range p.state.Position() {
		if _, ok := r.State.Last(domain); !ok {
			without.DropDomain(domain)
			dropped = append(dropped, domain)
		}
	}
	if len(dropped) > 0 && !r.Ours && without.Equal(r.State) {
		slices.Sort(dropped)
		rep.note("the GTID state at its start lacks domains %v, which were deleted", dropped)
		return
	}
	rep.problem(r.listAt, "its GTID list is %q, but %s ends with %q", r.State, p.file.Name, p.state)
}

// judge decides what the end of a file means, as recovery does.
func (v *verifier) judge(rep *Report, w *walk, last bool) error {
	r := w.r
	rest, err := binlog.ScanRest(r.f, w.end, r.Size)
	if err != nil {
		return fmt.Errorf("read %s: %w", r.File.Path, err)
	}
	why := w.problem
	if why == nil && !w.closed {
		why = errors.New("the file ends here, without ROTATE or STOP")
	}
	torn := rest.DataEnd > w.end || w.unitEnd < w.end
	switch {
	case w.misplaced: // valid bytes that no server writes
		rep.problem(w.problemAt, "%v", w.problem)
	case w.closed && rest.DataEnd > w.end:
		rep.problem(w.end, "there is data after the event that ends the file")
	case w.closed && (r.InUse || r.Size > w.end) && (!last || !r.Ours):
		if r.Ours {
			rep.problem(flagsOffset, "it was not closed properly, but a later file exists")
			return nil
		}
		rep.State = StateClosed
		rep.note("still marked as in use: the server crashed while closing it")
	case w.closed:
		rep.State = StateClosed
	case !r.InUse:
		rep.problem(w.end, "the file was closed, but is not valid here: %v", why)
	case max(rest.Durable, w.vouched) > w.end:
		rep.problem(w.end, "%v; but a write mark says that everything before offset %d was durable: no crash can have done this",
			why, max(rest.Durable, w.vouched))
	case !last && r.Ours:
		rep.problem(flagsOffset, "it is marked as in use, but a later file exists")
	case !last:
		rep.State = StateUnclosed
		rep.note("not closed: the server crashed")
		if torn {
			rep.note("offset %d: torn by the crash: %v", w.unitEnd, why)
		}
	case torn:
		rep.State = StateTorn
		rep.note("after offset %d lies something incomplete: it is being written, or a crash tore it, and the next start cuts it off", w.unitEnd)
	default:
		rep.State = StateLive
	}
	return nil
}

// flagsOffset is where the flags of the format description stand.
const flagsOffset = firstEvent + 17
