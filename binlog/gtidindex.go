package binlog

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"

	"github.com/cockroachdb/errors/oserror"
	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/duramendb/duramen/gtid"
)

// A closed segment's GTID index, <segment>.idx, says what the binlog state was at
// some places inside the segment, so that a replica's position is found by
// reading a few kilobytes, and the dump starts close to it. It can always be made again
// from the segment: it is written without a sync, a missing or broken one
// is ignored and replaced, and nothing that decides about recovery reads it.
//
//	0   "DurIdx1\n"
//	8   CRC32C of everything after it, little endian, 4 bytes
//	12  size of the segment, its number of samples    uvarints
//	    length of the state at the segment's start as text, and that text
//	    each sample: distance in bytes from the one before, number of GTIDs, and for
//	    each: domain, server, sequence number         uvarints
//
// The GTIDs of a sample are those by which the state has changed since the one
// before, in an order that leads to the new state when they are applied.

const indexMagic = "DurIdx1\n"

const indexPrefix = len(indexMagic) + 4

// indexSizeMax is what is read of an index file. A segment of 1 GiB in which 500 servers
// write by turns stays below.
const indexSizeMax = 64 << 20

// indexWorth is the size from which a segment gets an index.
const indexWorth = sampleDistance

var (
	castagnoli = crc32.MakeTable(crc32.Castagnoli)

	errIndexBroken = errors.New("GTID index file is broken")
)

// gtidIndex is the contents of an index file.
type gtidIndex struct {
	size  uint64 // of the segment
	count uint64
	body  []byte // the samples, encoded
}

func encodeGTIDIndex(size uint64, first *gtid.State, samples []sample) []byte {
	b := append([]byte(indexMagic), 0, 0, 0, 0)
	b = binary.AppendUvarint(b, size)
	b = binary.AppendUvarint(b, uint64(len(samples)))
	text := first.String()
	b = binary.AppendUvarint(b, uint64(len(text)))
	b = append(b, text...)
	off, state := uint64(0), first
	for _, s := range samples {
		b = binary.AppendUvarint(b, s.off-off)
		changes := stateChanges(state, s.state)
		b = binary.AppendUvarint(b, uint64(len(changes)))
		for _, g := range changes {
			b = binary.AppendUvarint(b, uint64(g.Domain))
			b = binary.AppendUvarint(b, uint64(g.Server))
			b = binary.AppendUvarint(b, g.Seq)
		}
		off, state = s.off, s.state
	}
	sealGTIDIndex(b)
	return b
}

// sealGTIDIndex fills in the checksum.
func sealGTIDIndex(b []byte) {
	binary.LittleEndian.PutUint32(b[len(indexMagic):], crc32.Checksum(b[indexPrefix:], castagnoli))
}

// stateChanges are GTIDs that lead from one state to a later one.
func stateChanges(from, to *gtid.State) []gtid.GTID {
	var out []gtid.GTID
	for _, g := range to.List() { // a domain's last GTID comes after its others
		before, known := from.Lookup(g.Domain, g.Server)
		if !known || before != g.Seq {
			out = append(out, g)
			continue
		}
		last, _ := to.Last(g.Domain)
		if was, ok := from.Last(g.Domain); g == last && (!ok || was != last) {
			out = append(out, g)
		}
	}
	return out
}

// decodeGTIDIndex reads an index file's head; first and size tell whether it
// belongs to the segment.
func decodeGTIDIndex(b []byte, size uint64, first *gtid.State) (*gtidIndex, error) {
	if len(b) < indexPrefix || string(b[:len(indexMagic)]) != indexMagic {
		return nil, fmt.Errorf("%w: no magic number", errIndexBroken)
	}
	if crc32.Checksum(b[indexPrefix:], castagnoli) != binary.LittleEndian.Uint32(b[len(indexMagic):]) {
		return nil, fmt.Errorf("%w: checksum", errIndexBroken)
	}
	r := uvarints{b: b[indexPrefix:]}
	x := &gtidIndex{size: r.next(), count: r.next()}
	text := r.bytes(r.next())
	if r.short {
		return nil, fmt.Errorf("%w: its head is cut short", errIndexBroken)
	}
	if x.size != size || string(text) != first.String() {
		return nil, fmt.Errorf("%w: it belongs to another file", errIndexBroken)
	}
	x.body = r.b
	return x, x.walk(first.Clone(), func(uint64, *gtid.State) bool { return true })
}

// walk calls fn with every sample, until fn returns false. state is that of the segment's start;
// it is changed, and given to fn, which must not keep it.
func (x *gtidIndex) walk(state *gtid.State, fn func(off uint64, state *gtid.State) bool) error {
	r := uvarints{b: x.body}
	off := uint64(0)
	for range x.count {
		step := r.next()
		if step == 0 || step > x.size-off {
			return fmt.Errorf("%w: a sample lies outside of the file", errIndexBroken)
		}
		off += step
		for n := r.next(); n > 0 && !r.short; n-- {
			domain, server, seq := r.next(), r.next(), r.next()
			if domain > 1<<32-1 || server > 1<<32-1 {
				return fmt.Errorf("%w: GTID %d-%d-%d", errIndexBroken, domain, server, seq)
			}
			if !r.short {
				state.Update(gtid.GTID{Domain: uint32(domain), Server: uint32(server), Seq: seq})
			}
		}
		if r.short {
			return fmt.Errorf("%w: it is cut short", errIndexBroken)
		}
		if !fn(off, state) {
			return nil
		}
	}
	if len(r.b) > 0 {
		return fmt.Errorf("%w: %d bytes too many", errIndexBroken, len(r.b))
	}
	return nil
}

// uvarints reads numbers; short says that there were too few bytes.
type uvarints struct {
	b     []byte
	short bool
}

func (r *uvarints) next() uint64 {
	v, n := binary.Uvarint(r.b)
	if n <= 0 {
		r.short, r.b = true, nil
		return 0
	}
	r.b = r.b[n:]
	return v
}

func (r *uvarints) bytes(n uint64) []byte {
	if n > uint64(len(r.b)) {
		r.short, r.b = true, nil
		return nil
	}
	out := r.b[:n]
	r.b = r.b[n:]
	return out
}

// storeDue writes the indexes of the closed segments whose samples are still kept in memory.
func (k *lookup) storeDue() {
	k.mu.Lock()
	var due []*segment
	for _, s := range k.mu.segments {
		if s.closed && s.sampled {
			due = append(due, s)
		}
	}
	k.mu.Unlock()
	for _, s := range due {
		k.storeGTIDIndex(s, s.size)
	}
}

// storeGTIDIndex writes the index of a segment that was closed at size, from the samples in
// memory, which are not needed any more then.
func (k *lookup) storeGTIDIndex(s *segment, size uint64) {
	k.mu.Lock()
	samples := s.samples
	k.mu.Unlock()
	if size >= s.headerEnd+indexWorth {
		if err := k.dir.writeGTIDIndex(s.n, encodeGTIDIndex(size, s.first, samples)); err != nil {
			k.logger.Debug("GTID index was not written; the samples stay in memory", "file", k.dir.gtidIndexName(s.n), "err", err)
			return
		}
	}
	k.mu.Lock()
	s.samples, s.sampled = nil, false
	k.mu.Unlock()
}

func (d dir) writeGTIDIndex(n uint64, b []byte) error {
	path := d.path(d.gtidIndexName(n))
	f, err := d.fs.Create(path, vfs.WriteCategoryUnspecified)
	if err != nil {
		return fmt.Errorf("create %s: %w", path, err)
	}
	_, err = f.Write(bytes.Clone(b)) // vfs.File may change what it is given
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	if err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	return nil
}

// removeGTIDIndex removes an index file, if there is one.
func (d dir) removeGTIDIndex(n uint64) error {
	path := d.path(d.gtidIndexName(n))
	if err := d.fs.Remove(path); err != nil && !oserror.IsNotExist(err) {
		return fmt.Errorf("remove %s: %w", path, err)
	}
	return nil
}

func (d dir) readGTIDIndex(s *segment, size uint64) (*gtidIndex, error) {
	path := d.path(d.gtidIndexName(s.n))
	f, err := d.fs.Open(path)
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", path, err)
	}
	b, err := io.ReadAll(io.LimitReader(f, indexSizeMax))
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", path, err)
	}
	return decodeGTIDIndex(b, size, s.first)
}

// gtidIndexOf returns the index of a closed segment that the caller holds, and makes it anew if need be.
func (k *lookup) gtidIndexOf(s *segment, size uint64) (*gtidIndex, error) {
	x, err := k.dir.readGTIDIndex(s, size)
	if err == nil {
		k.hits.Add(1)
		return x, nil
	}
	k.misses.Add(1)
	k.rebuild.Lock() // one after the other; the second finds it done
	defer k.rebuild.Unlock()
	if x, err := k.dir.readGTIDIndex(s, size); err == nil {
		return x, nil
	}
	if !oserror.IsNotExist(err) {
		k.logger.Info("making the GTID index of a binary log file anew", "file", s.name, "reason", err)
	}
	path := k.dir.path(s.name)
	f, sc, err := k.dir.openScanner(s.name)
	if err != nil {
		return nil, err
	}
	sc.limit = min(sc.limit, size)
	c, err := scanSegment(sc, path)
	if cerr := f.Close(); err == nil && cerr != nil {
		err = fmt.Errorf("close %s: %w", path, cerr)
	}
	if err == nil && !c.ended {
		err = &CorruptError{File: path, Offset: c.evEnd, Reason: endReason(c)}
	}
	if err != nil {
		return nil, err
	}
	b := encodeGTIDIndex(size, s.first, c.samples)
	if err := k.dir.writeGTIDIndex(s.n, b); err != nil {
		k.logger.Debug("GTID index was not written", "file", k.dir.gtidIndexName(s.n), "err", err)
	}
	return decodeGTIDIndex(b, size, s.first)
}

// GTIDIndexStats are Binlog_gtid_index_hit and Binlog_gtid_index_miss: how many look-ups found
// an index file, and how many had to read a whole segment to make it.
func (k *lookup) GTIDIndexStats() (hits, misses uint64) {
	return k.hits.Load(), k.misses.Load()
}
