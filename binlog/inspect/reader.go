package inspect

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/duramendb/duramen/binlog"
	"github.com/duramendb/duramen/binlog/event"
	"github.com/duramendb/duramen/gtid"
)

// ErrEncrypted is returned at the first event that is encrypted (encrypt_binlog=ON of MariaDB).
var ErrEncrypted = errors.New("the file is encrypted from here on (encrypt_binlog), and cannot be read without the server's keys")

// Header is what the start of a file says.
type Header struct {
	Format  *event.Format
	Time    uint32 // when the file was begun, Unix seconds
	InUse   bool   // not closed properly, or still being written
	Relay   bool   // a relay log: its format description has the flag
	Ours    bool   // written by Duramen
	MariaDB bool   // written by MariaDB 10 or later (or Duramen): has GTID groups
	// List is the GTID_LIST; nil if the file has none. State is built from it, nil likewise.
	List  []gtid.GTID
	State *gtid.State
	// Encrypted: what follows the header cannot be read.
	Encrypted bool
	// Checkpoint is the file that recovery starts from, "" if the header does not say.
	Checkpoint string
	// End is where the first event after the header starts.
	End uint64
}

// Reader reads one file, whoever wrote it.
type Reader struct {
	File File
	Header
	Size uint64

	listAt   uint64 // where the GTID list starts
	f        vfs.File
	s        *binlog.FileScanner
	dec      event.Decoder
	progress *Progress
	told     uint64 // up to where progress knows
}

// openReader opens a file and reads its header; the next event is the first of
// the file again. A broken header is a *binlog.CorruptError.
func openReader(fs vfs.FS, file File, p *Progress) (*Reader, error) {
	f, err := fs.Open(file.Path)
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", file.Path, err)
	}
	fi, err := f.Stat()
	if err != nil {
		return nil, errors.Join(fmt.Errorf("stat %s: %w", file.Path, err), f.Close())
	}
	r := &Reader{File: file, f: f, Size: uint64(fi.Size()), progress: p}
	r.s = binlog.NewFileScanner(f, uint64(fi.Size()), firstEvent)
	if err := r.readHeader(); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	r.rewind()
	return r, nil
}

const firstEvent = uint64(len(event.Magic))

func (r *Reader) rewind() {
	r.s.Seek(firstEvent)
	r.dec = event.Decoder{}
}

// Close closes the file.
func (r *Reader) Close() error {
	if err := r.f.Close(); err != nil {
		return fmt.Errorf("close %s: %w", r.File.Path, err)
	}
	return nil
}

func (r *Reader) corrupt(at uint64, err error) error {
	if binlog.IsReadError(err) {
		return fmt.Errorf("%s: %w", r.File.Path, err)
	}
	return &binlog.CorruptError{File: r.File.Path, Offset: at, Reason: err}
}

func (r *Reader) readHeader() error {
	magic := make([]byte, len(event.Magic))
	if n, err := r.f.ReadAt(magic, 0); n < len(magic) {
		if !errors.Is(err, io.EOF) {
			return fmt.Errorf("read %s: %w", r.File.Path, err)
		}
		return r.corrupt(0, fmt.Errorf("a file of %d bytes", n))
	}
	if string(magic) != event.Magic {
		return r.corrupt(0, fmt.Errorf("it starts with %x, not with the %x of a binary log", magic, event.Magic))
	}
	for first := true; ; first = false {
		raw, at, err := r.s.Next()
		if err != nil {
			if first {
				return r.corrupt(at, headerError(err))
			}
			return nil // whoever reads on will find it
		}
		ev, err := r.decode(raw)
		if err != nil {
			if first {
				return r.corrupt(at, err)
			}
			return nil
		}
		if first {
			if err := r.format(ev); err != nil {
				return r.corrupt(at, err)
			}
		} else if !r.headerEvent(ev) {
			return nil
		}
		if ev.Header.Type == event.GTIDList {
			r.listAt = at
		}
		r.End = r.s.Offset()
		if r.Encrypted {
			return nil
		}
	}
}

func headerError(err error) error {
	if errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF
	}
	return fmt.Errorf("read format description: %w", err)
}

func (r *Reader) format(ev event.Event) error {
	f, ok := ev.Body.(*event.Format)
	if !ok {
		return fmt.Errorf("%v event where a format description belongs", ev.Header.Type)
	}
	r.Format, r.Time = f, ev.Header.Timestamp
	r.InUse = ev.Header.Flags&event.FlagInUse != 0
	r.Relay = ev.Header.Flags&event.FlagRelayLog != 0
	r.Ours = strings.Contains(f.ServerVersion, "duramen")
	r.MariaDB = strings.Contains(f.ServerVersion, "MariaDB") && len(f.PostHeaderLengths) >= int(event.GTIDList)
	r.s.SetChecksums(f.Checksum)
	return nil
}

// headerEvent takes in the events that may follow the format description.
func (r *Reader) headerEvent(ev event.Event) bool {
	switch b := ev.Body.(type) {
	case *event.List:
		r.List, r.State = b.GTIDs, gtid.StateFromList(b.GTIDs)
	case *event.Checkpoint:
		r.Checkpoint = b.File
		// MariaDB writes further ones among the groups; the header has one.
		r.End = r.s.Offset()
		return false
	case *event.EncryptionInfo:
		r.Encrypted = true
	default:
		return false
	}
	return true
}

// decode decodes an event of the file.
func (r *Reader) decode(raw []byte) (event.Event, error) { return r.dec.Decode(raw) }

// next returns the next event. io.EOF is the end, ErrEncrypted the start of
// what cannot be read; other errors are those of binlog.FileScanner.
func (r *Reader) next() (raw []byte, at uint64, err error) {
	if r.Encrypted && r.s.Offset() >= r.End {
		return nil, r.s.Offset(), ErrEncrypted
	}
	if raw, at, err = r.s.Next(); err != nil && r.shrunk(err) {
		raw, at, err = r.s.Next()
	}
	r.advance()
	return raw, at, err
}

// shrunk reports whether reading failed because the file has been closed, and
// cut to its size, since it was opened. The scanner then knows the new size.
func (r *Reader) shrunk(err error) bool {
	if !binlog.IsReadError(err) || !errors.Is(err, io.ErrUnexpectedEOF) {
		return false
	}
	fi, serr := r.f.Stat()
	if serr != nil || uint64(fi.Size()) >= r.Size {
		return false
	}
	r.Size = uint64(fi.Size())
	r.s.SetSize(r.Size)
	return true
}

// skim is next, but returns the event's header only.
func (r *Reader) skim() (event.Header, uint64, error) {
	if r.Encrypted && r.s.Offset() >= r.End {
		return event.Header{}, r.s.Offset(), ErrEncrypted
	}
	h, at, err := r.s.Skim()
	if err != nil && r.shrunk(err) {
		h, at, err = r.s.Skim()
	}
	r.advance()
	return h, at, err
}

func (r *Reader) advance() {
	if off := r.s.Offset(); off-r.told >= 1<<20 {
		r.progress.Add(off - r.told)
		r.told = off
	}
}

// done tells progress that nothing more of the file will be read.
func (r *Reader) done() {
	if r.Size > r.told {
		r.progress.Add(r.Size - r.told)
		r.told = r.Size
	}
}
