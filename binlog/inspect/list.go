package inspect

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/cockroachdb/errors/oserror"

	"github.com/duramendb/duramen/binlog"
	"github.com/duramendb/duramen/binlog/event"
	"github.com/duramendb/duramen/gtid"
)

// ListOptions say how List shows the files.
type ListOptions struct {
	JSON     bool
	Progress *Progress
}

// States of a file.
const (
	StateClosed   = "closed"   // ends with ROTATE or STOP
	StateLive     = "live"     // in use: being written, or left by a server that did not shut down
	StateTorn     = "torn"     // in use, and after the last transaction lies something incomplete
	StateUnclosed = "unclosed" // in use, but not the last file: MariaDB crashed
	StateDamaged  = "damaged"
	StateMissing  = "missing"
)

// ListEntry is what List says of a file.
type ListEntry struct {
	File  string `json:"file"`
	State string `json:"state"`
	// Size is that of the file; Data is how much of it holds events, which is less in a live file.
	Size uint64 `json:"size"`
	Data uint64 `json:"data"`
	// First and Last are the times of its first and last event, RFC 3339 in UTC.
	First string `json:"first_time,omitempty"`
	Last  string `json:"last_time,omitempty"`
	// Start and End are the binlog states before and after it, GTIDs what it adds, as
	// ranges that ParseGTIDRanges reads.
	Start string   `json:"gtid_start"`
	End   string   `json:"gtid_end"`
	GTIDs []string `json:"gtids"`
	// Server is the version of the server that wrote it.
	Server  string `json:"server_version,omitempty"`
	Problem string `json:"problem,omitempty"`

	first, last uint32
	start, end  *gtid.State
}

// List writes one line for each file. It reads the headers and the ends of
// files, and the last file as a whole.
func List(ctx context.Context, set *Set, o ListOptions, out io.Writer) error {
	defer o.Progress.Clear()
	entries := make([]*ListEntry, len(set.Files))
	if o.Progress != nil && len(set.Files) > 0 {
		o.Progress.Total = set.TotalSize(set.Files[len(set.Files)-1:])
	}
	for i, f := range set.Files {
		if err := ctx.Err(); err != nil {
			return err
		}
		e, err := listFile(ctx, set, f, i == len(set.Files)-1, o.Progress)
		if err != nil {
			return err
		}
		entries[i] = e
	}
	for i, e := range entries {
		if e.end == nil && i+1 < len(entries) && e.start != nil {
			e.end = entries[i+1].start
		}
		e.finish()
	}
	if !o.JSON {
		return listText(out, entries)
	}
	enc := json.NewEncoder(out)
	for _, e := range entries {
		if err := enc.Encode(e); err != nil {
			return err
		}
	}
	return nil
}

func listFile(ctx context.Context, set *Set, f File, last bool, p *Progress) (*ListEntry, error) {
	e := &ListEntry{File: f.Name, GTIDs: []string{}}
	p.File(f.Name)
	fi, err := set.FS.Stat(f.Path)
	if err != nil {
		e.State, e.Problem = StateMissing, err.Error()
		return e, nil //nolint:nilerr // it is what the entry says
	}
	e.Size = uint64(fi.Size())
	r, err := openReader(set.FS, f, p)
	switch {
	case err == nil:
	case oserror.IsNotExist(err): // purged since it was looked at
		e.Size, e.State, e.Problem = 0, StateMissing, err.Error()
		return e, nil
	case errors.Is(err, binlog.ErrCorrupt):
		e.State, e.Problem = StateDamaged, err.Error()
		return e, nil
	default:
		return nil, err
	}
	e.first, e.start, e.Server, e.Data = r.Time, r.State, r.Format.ServerVersion, e.Size
	switch {
	case r.Encrypted:
		e.State, e.Problem = StateClosed, "encrypted"
		if r.InUse {
			e.State = StateLive
		}
	case !last && r.InUse:
		e.State = StateUnclosed
		err = e.scan(ctx, r)
	case !last:
		if e.State = StateClosed; !e.readEnd(r) {
			err = e.scan(ctx, r)
		}
	default:
		err = e.scan(ctx, r)
		r.done()
	}
	return e, errors.Join(err, r.Close())
}

// readEnd finds the time in the event that closed the file. It reports false if the
// file does not end with one.
func (e *ListEntry) readEnd(r *Reader) bool {
	const longest = 1024 // a ROTATE with a long name
	from := r.End
	if r.Size > r.End+longest {
		from = r.Size - longest
	}
	b := make([]byte, r.Size-from)
	if _, err := r.f.ReadAt(b, int64(from)); err != nil && !errors.Is(err, io.EOF) {
		return false
	}
	sum := 0
	if r.Format.Checksum {
		sum = event.ChecksumSize
	}
	for at := len(b) - event.HeaderSize - sum; at >= 0; at-- {
		h, err := event.ParseHeader(b[at:])
		if err != nil || int(h.Size) != len(b)-at || h.LogPos != uint32(r.Size) || h.Type != event.RotateEvent && h.Type != event.StopEvent {
			continue
		}
		if sum == 0 || event.Verify(b[at:]) == nil {
			e.last = h.Timestamp
			return true
		}
	}
	return false
}

// scan reads the whole file.
func (e *ListEntry) scan(ctx context.Context, r *Reader) error {
	w := newWalk(r)
	if err := w.run(ctx, nil); err != nil {
		return err
	}
	e.last, e.Data = w.lastTime, w.end
	if w.state != nil && r.MariaDB {
		e.end = w.state
	}
	switch {
	case w.problem != nil && !r.InUse:
		e.State, e.Problem = StateDamaged, fmt.Sprintf("offset %d: %v", w.end, w.problem)
	case e.State != "":
	case w.closed && !r.InUse:
		e.State = StateClosed
	case !r.InUse:
		e.State, e.Problem = StateDamaged, fmt.Sprintf("offset %d: the file ends without ROTATE or STOP", w.end)
	case w.clean():
		e.State = StateLive
	default:
		e.State = StateTorn
	}
	return nil
}

func (e *ListEntry) finish() {
	stamp := func(t uint32) string {
		if t == 0 {
			return ""
		}
		return time.Unix(int64(t), 0).UTC().Format(time.RFC3339)
	}
	e.First, e.Last = stamp(e.first), stamp(max(e.first, e.last))
	if e.start != nil {
		e.Start = e.start.String()
	}
	if e.end == nil {
		return
	}
	e.End = e.end.String()
	for _, r := range added(e.start, e.end) {
		e.GTIDs = append(e.GTIDs, r.String())
	}
}

// added are the GTIDs by which one state is ahead of another, a range for each
// domain and server. The first of a server that is new in its domain
// is not known exactly: a master continues after the highest of the domain.
func added(start, end *gtid.State) []GTIDRange {
	if start == nil {
		start = gtid.NewState()
	}
	var list []GTIDRange
	for _, g := range end.List() {
		from, known := start.Lookup(g.Domain, g.Server)
		if known && from == g.Seq {
			continue
		}
		if !known || from > g.Seq {
			from = start.MaxSeq(g.Domain)
		}
		list = append(list, GTIDRange{Domain: g.Domain, Server: g.Server, First: min(from+1, g.Seq), Last: g.Seq})
	}
	return list
}

func listText(out io.Writer, entries []*ListEntry) error {
	var b bytes.Buffer // takes everything
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	_, _ = fmt.Fprintln(w, "FILE\tSTATE\tSIZE\tFIRST\tLAST\tGTIDS")
	local := func(t uint32) string {
		if t == 0 {
			return "-"
		}
		return time.Unix(int64(t), 0).Format(time.DateTime)
	}
	for _, e := range entries {
		size := Bytes(e.Size)
		if e.Data < e.Size {
			size = Bytes(e.Data) + " of " + size
		}
		gtids := strings.Join(e.GTIDs, ",")
		if gtids == "" {
			gtids = "-"
		}
		if e.Problem != "" {
			gtids += "  (" + e.Problem + ")"
		}
		_, _ = fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\n", e.File, e.State, size, local(e.first), local(max(e.first, e.last)), gtids)
	}
	if err := w.Flush(); err != nil {
		return err
	}
	_, err := out.Write(b.Bytes())
	return err
}
