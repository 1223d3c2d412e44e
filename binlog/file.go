package binlog

import (
	"errors"
	"io"

	"github.com/duramendb/duramen/binlog/event"
)

// FileScanner reads the events of one binlog file in order, by the rules of
// recovery (see Validity in the package comment), without a Log and without
// changing anything. It is for tools, and reads files of MariaDB as well. One
// goroutine uses it at a time.
type FileScanner struct{ s scanner }

// NewFileScanner scans f, which is size bytes long, from offset off on, which
// has to be an event boundary. Events are taken to end with a checksum.
func NewFileScanner(f io.ReaderAt, size, off uint64) *FileScanner {
	return &FileScanner{scanner{f: f, off: off, limit: size, chunk: 256 << 10}}
}

// SetChecksums tells whether the events that follow end with a CRC32
// (binlog_checksum); a file's format description says so.
func (s *FileScanner) SetChecksums(on bool) { s.s.noChecksum = !on }

// Next returns the next event and where it starts. The bytes are valid until
// the following call. io.EOF: the file ends at an event boundary. IsZeros:
// the rest, as far as the header of an event, is zeros. IsReadError: the disk failed. Any other
// error says what is wrong with the bytes at that offset. After an error the scanner
// stays where it is.
func (s *FileScanner) Next() (ev []byte, at uint64, err error) { return s.s.next() }

// Skim is Next without a look at what the event holds: it returns only the
// header, and verifies neither checksum nor body. Seek and Next go back to read the event.
func (s *FileScanner) Skim() (h event.Header, at uint64, err error) {
	h, err = s.s.header()
	at = s.s.off
	if err == nil {
		s.s.off += uint64(h.Size)
	}
	return h, at, err
}

// Offset is where the next event starts.
func (s *FileScanner) Offset() uint64 { return s.s.off }

// Seek goes to an event boundary.
func (s *FileScanner) Seek(off uint64) { s.s.seek(off) }

// SetSize takes note of a new size of the file: one that is closed loses its preallocated rest.
func (s *FileScanner) SetSize(size uint64) { s.s.limit = size }

// IsZeros reports whether a FileScanner stopped at zeros, the untouched rest of a preallocated file.
func IsZeros(err error) bool { return errors.Is(err, errZeros) }

// IsReadError reports whether a FileScanner stopped because the file could not be
// read, which says nothing about its bytes.
func IsReadError(err error) bool { return errors.Is(err, errRead) }

// Rest is what lies after the last valid event of a file.
type Rest struct {
	DataEnd uint64 // end of the last byte that is not zero; where the look began if all are
	// Durable is up to where the file was durable, by the valid write mark that says most; 0 without one.
	Durable uint64
}

// ScanRest reads f, which is size bytes long, from offset from to its end. A hole at from is damage,
// and no torn tail, if Durable lies after it.
func ScanRest(f io.ReaderAt, from, size uint64) (Rest, error) {
	t, err := scanTail(f, from, size)
	return Rest{DataEnd: t.dataEnd, Durable: t.durable}, err
}
