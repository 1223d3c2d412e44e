package redo

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/cockroachdb/errors/oserror"
	"github.com/cockroachdb/pebble/v2/vfs"
)

// ErrCorrupt is wrapped by errors about files that are not as they were written.
var ErrCorrupt = errors.New("redo: damaged log")

const (
	magic      = "DRMNREDO"
	headerSize = 32
	frameSize  = 8
	// endLength stands in the place of the length of the record that ends a segment.
	endLength = 1<<32 - 1
	// payloadMax bounds a record.
	payloadMax = 1<<31 - 1

	prefix    = "redo."
	nextName  = "redo.next"
	tmpSuffix = ".tmp"
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

func segmentName(n uint64) string { return fmt.Sprintf("%s%06d", prefix, n) }

func parseName(name string) (uint64, bool) {
	digits, ok := strings.CutPrefix(name, prefix)
	if !ok {
		return 0, false
	}
	n, err := strconv.ParseUint(digits, 10, 64)
	return n, err == nil && n > 0 && segmentName(n) == name
}

// appendHeader makes a segment's first bytes. opened says that Open began it.
func appendHeader(dst []byte, n uint64, opened bool) []byte {
	start := len(dst)
	dst = append(dst, magic...)
	dst = binary.LittleEndian.AppendUint64(dst, n)
	flag := byte(0)
	if opened {
		flag = 1
	}
	dst = append(dst, flag)
	dst = binary.LittleEndian.AppendUint32(dst, crc32.Checksum(dst[start:], castagnoli))
	return append(dst, make([]byte, headerSize-(len(dst)-start))...)
}

func parseHeader(b []byte) (n uint64, opened, ok bool) {
	if len(b) < headerSize || string(b[:8]) != magic || binary.LittleEndian.Uint32(b[17:]) != crc32.Checksum(b[:17], castagnoli) {
		return 0, false, false
	}
	return binary.LittleEndian.Uint64(b[8:]), b[16] == 1, true
}

// checksum is that of a record at a place.
func checksum(segment, offset uint64, length uint32, payload []byte) uint32 {
	var place [20]byte
	binary.LittleEndian.PutUint64(place[:], segment)
	binary.LittleEndian.PutUint64(place[8:], offset)
	binary.LittleEndian.PutUint32(place[16:], length)
	return crc32.Update(crc32.Checksum(place[:], castagnoli), castagnoli, payload)
}

// appendRecord frames a payload for a place; end makes the record that ends the segment.
func appendRecord(dst []byte, segment, offset uint64, payload []byte, end bool) []byte {
	length := uint32(len(payload))
	if end {
		length = endLength
	}
	dst = binary.LittleEndian.AppendUint32(dst, length)
	dst = binary.LittleEndian.AppendUint32(dst, checksum(segment, offset, length, payload))
	return append(dst, payload...)
}

// Record is a record that was found by Read. Its payload belongs to the caller.
type Record struct {
	Segment uint64
	Payload []byte
}

// Read calls f with all records of the log in a directory, oldest first, and changes nothing. It returns the number of
// the last segment. A directory that does not exist is an empty log.
func Read(fs vfs.FS, dir string, f func(Record) error) (last uint64, err error) {
	numbers, err := list(fs, dir)
	if err != nil {
		return 0, err
	}
	ended := true
	for i, n := range numbers {
		if i > 0 && n != numbers[i-1]+1 {
			return 0, fmt.Errorf("%w: %s follows %s", ErrCorrupt, fs.PathJoin(dir, segmentName(n)), segmentName(numbers[i-1]))
		}
		opened, whole, err := readSegment(fs, fs.PathJoin(dir, segmentName(n)), n, ended, f)
		if err != nil {
			return 0, err
		}
		if !ended && !opened {
			return 0, fmt.Errorf("%w: %s has no end, but a later one follows", ErrCorrupt, fs.PathJoin(dir, segmentName(n-1)))
		}
		ended, last = whole, n
	}
	return last, nil
}

func list(fs vfs.FS, dir string) ([]uint64, error) {
	names, err := fs.List(dir)
	if oserror.IsNotExist(err) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("redo: list %s: %w", dir, err)
	}
	var numbers []uint64
	for _, name := range names {
		if n, ok := parseName(name); ok {
			numbers = append(numbers, n)
		}
	}
	slices.Sort(numbers)
	return numbers, nil
}

// readSegment reads one segment. whole: it ends with an end record. Nothing is handed over if the segment before has no
// end (ended) and this one was not begun by Open.
func readSegment(fs vfs.FS, path string, n uint64, ended bool, f func(Record) error) (opened, whole bool, err error) {
	file, err := fs.Open(path)
	if err != nil {
		return false, false, fmt.Errorf("redo: %w", err)
	}
	defer file.Close() // it was only read
	fi, err := file.Stat()
	if err != nil {
		return false, false, fmt.Errorf("redo: stat %s: %w", path, err)
	}
	size := uint64(fi.Size())
	r := reader{f: file, limit: size}
	head, err := r.peek(0, headerSize)
	if err != nil {
		return false, false, fmt.Errorf("redo: read %s: %w", path, err)
	}
	number, opened, ok := parseHeader(head)
	if !ok || number != n {
		return false, false, fmt.Errorf("%w: %s has no header of its own", ErrCorrupt, path)
	}
	if !ended && !opened {
		return false, false, nil
	}
	for at := uint64(headerSize); ; {
		payload, end, ok, err := r.record(n, at)
		if err != nil {
			return false, false, fmt.Errorf("redo: read %s at %d: %w", path, at, err)
		}
		if !ok || end {
			return opened, end, nil
		}
		if err := f(Record{Segment: n, Payload: slices.Clone(payload)}); err != nil {
			return false, false, fmt.Errorf("redo: record at %d in %s: %w", at, path, err)
		}
		at += frameSize + uint64(len(payload))
	}
}

// reader reads a file in chunks.
type reader struct {
	f     io.ReaderAt
	limit uint64
	buf   []byte
	base  uint64
}

const readChunk = 256 << 10

// peek returns n bytes at an offset, fewer if the file ends. They are valid until the next call.
func (r *reader) peek(at uint64, n int) ([]byte, error) {
	if at >= r.limit {
		return nil, nil
	}
	n = int(min(uint64(n), r.limit-at))
	if at >= r.base && at+uint64(n) <= r.base+uint64(len(r.buf)) {
		return r.buf[at-r.base:][:n], nil
	}
	r.buf = make([]byte, min(uint64(max(n, readChunk)), r.limit-at))
	r.base = at
	got, err := r.f.ReadAt(r.buf, int64(at))
	r.buf = r.buf[:got]
	if got < n && err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	return r.buf[:min(n, got)], nil
}

// record returns the record at an offset; not ok if there is none.
func (r *reader) record(segment, at uint64) (payload []byte, end, ok bool, err error) {
	frame, err := r.peek(at, frameSize)
	if err != nil || len(frame) < frameSize {
		return nil, false, false, err
	}
	length, sum := binary.LittleEndian.Uint32(frame), binary.LittleEndian.Uint32(frame[4:])
	if length == endLength {
		return nil, true, sum == checksum(segment, at, length, nil), nil
	}
	if length == 0 || length > payloadMax || at+frameSize+uint64(length) > r.limit {
		return nil, false, false, nil
	}
	payload, err = r.peek(at+frameSize, int(length))
	if err != nil || len(payload) < int(length) {
		return nil, false, false, err
	}
	return payload, false, sum == checksum(segment, at, length, payload), nil
}
