package shipment

import (
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"os"
	"path/filepath"
)

// Receiver makes a directory of a shipment. After an error it is of no use but to be closed. It is not safe for concurrent use.
type Receiver struct {
	dir     string
	accepts Accepts

	manifest *Manifest // nil before the first row
	next     int       // of the manifest's files: the one that is open, or comes next
	file     *os.File  // nil: between two files
	offset   uint64    // in file
	sum      uint32    // of file
	sums     []uint32
	parts    uint64
	bytes    int64
	ended    bool
}

// NewReceiver begins with a directory that is there, in which no file has a name of the shipment's.
func NewReceiver(dir string, a Accepts) *Receiver { return &Receiver{dir: dir, accepts: a} }

// Manifest is nil before the first row was added.
func (r *Receiver) Manifest() *Manifest { return r.manifest }

// Done is how many files, and how many bytes of all, have come.
func (r *Receiver) Done() (files int, bytes int64) { return len(r.sums), r.bytes }

// Add takes the next row. Its data is not kept.
func (r *Receiver) Add(row *Row) error {
	if sum := crc32.ChecksumIEEE(row.Data); sum != row.Sum {
		return fmt.Errorf("%w: %d bytes of %q at %d have the CRC-32 %d instead of %d", ErrDamaged, len(row.Data), row.File, row.Offset, sum, row.Sum)
	}
	switch {
	case r.ended:
		return fmt.Errorf("%w: a row after the last one", ErrDamaged)
	case r.manifest == nil:
		return r.begin(row)
	case row.File == "":
		return r.end(row)
	}
	return r.part(row)
}

func (r *Receiver) begin(row *Row) error {
	var m Manifest
	if row.File != "" || row.Offset != 0 {
		return fmt.Errorf("%w: it begins with %q at %d", ErrDamaged, row.File, row.Offset)
	}
	if err := json.Unmarshal(row.Data, &m); err != nil {
		return fmt.Errorf("%w: manifest: %w", ErrDamaged, err)
	}
	if err := m.check(&r.accepts); err != nil {
		return err
	}
	for _, dir := range r.accepts.Dirs {
		if err := os.MkdirAll(filepath.Join(r.dir, dir), 0o750); err != nil {
			return err
		}
	}
	r.manifest = &m
	return r.openNext()
}

// openNext creates the next file that has bytes, and those without on the way.
func (r *Receiver) openNext() error {
	for ; r.next < len(r.manifest.Files); r.next++ {
		of := &r.manifest.Files[r.next]
		f, err := os.OpenFile(filepath.Join(r.dir, filepath.FromSlash(of.Name)), os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o640)
		if err != nil {
			return err
		}
		r.file, r.offset, r.sum = f, 0, 0
		if of.Bytes > 0 {
			return nil
		}
		if err := r.closeFile(); err != nil {
			return err
		}
	}
	return nil
}

func (r *Receiver) closeFile() error {
	f := r.file
	r.file = nil
	r.sums = append(r.sums, r.sum)
	return errors.Join(f.Sync(), f.Close())
}

func (r *Receiver) part(row *Row) error {
	if r.file == nil || row.File != r.manifest.Files[r.next].Name || row.Offset != r.offset || len(row.Data) == 0 {
		return fmt.Errorf("%w: %d bytes of %q at %d are not what comes next", ErrDamaged, len(row.Data), row.File, row.Offset)
	}
	size := uint64(r.manifest.Files[r.next].Bytes)
	if uint64(len(row.Data)) > size-r.offset {
		return fmt.Errorf("%w: %q goes on after its %d bytes", ErrDamaged, row.File, size)
	}
	if _, err := r.file.Write(row.Data); err != nil {
		return err
	}
	r.offset += uint64(len(row.Data))
	r.bytes += int64(len(row.Data))
	r.sum = crc32.Update(r.sum, crc32.IEEETable, row.Data)
	r.parts++
	if r.offset < size {
		return nil
	}
	if err := r.closeFile(); err != nil {
		return err
	}
	r.next++
	return r.openNext()
}

func (r *Receiver) end(row *Row) error {
	var e end
	if err := json.Unmarshal(row.Data, &e); err != nil {
		return fmt.Errorf("%w: end: %w", ErrDamaged, err)
	}
	if r.next < len(r.manifest.Files) {
		return fmt.Errorf("%w: it ends before the end of %q", ErrDamaged, r.manifest.Files[r.next].Name)
	}
	if row.Offset != r.parts || len(e.Sums) != len(r.sums) {
		return fmt.Errorf("%w: %d files in %d parts, of %d in %d", ErrDamaged, len(r.sums), r.parts, len(e.Sums), row.Offset)
	}
	for i, sum := range r.sums {
		if sum != e.Sums[i] {
			return fmt.Errorf("%w: %q has the CRC-32 %d instead of %d", ErrDamaged, r.manifest.Files[i].Name, sum, e.Sums[i])
		}
	}
	r.ended = true
	return nil
}

// Finish is called after the last row. It makes everything durable, and is an error if the shipment was not complete.
func (r *Receiver) Finish() (*Manifest, error) {
	if !r.ended {
		return nil, fmt.Errorf("%w: it has no end", ErrDamaged)
	}
	for _, dir := range append([]string{"."}, r.accepts.Dirs...) {
		d, err := os.Open(filepath.Join(r.dir, dir))
		if err != nil {
			return nil, err
		}
		if err := errors.Join(d.Sync(), d.Close()); err != nil {
			return nil, err
		}
	}
	return r.manifest, nil
}

// Close closes what is open. It removes nothing.
func (r *Receiver) Close() error {
	if r.file == nil {
		return nil
	}
	f := r.file
	r.file = nil
	return f.Close()
}
