package shipment

import (
	"context"
	"encoding/json"
	"fmt"
	"hash/crc32"
	"io"

	"github.com/duramendb/duramen/store"
)

// Send sends an export, row by row; put is done with a row when it returns. At most ChunkBytes of a file are in memory. It ends with the cause of ctx's
// end, or the first error of a file or of put: then the shipment has no last row.
func Send(ctx context.Context, x *store.Export, server string, put func(*Row) error) error {
	m := Manifest{
		Version: Version, Format: store.FormatVersion, Server: server, Basename: x.LogBasename,
		LogFile: x.LogFile(), Position: x.Place.Offset, Point: x.Point.String(),
	}
	for _, f := range x.Files {
		m.Files = append(m.Files, File{Name: f.Name, Bytes: f.Bytes})
	}
	s := &sender{ctx: ctx, put: put, buffer: make([]byte, 0, ChunkBytes)}
	if err := s.note(0, m); err != nil {
		return err
	}
	var e end
	for _, f := range x.Files {
		s.file, s.offset, s.sum = f.Name, 0, 0
		err := f.Copy(s)
		if err == nil {
			err = s.flush()
		}
		if err != nil {
			return err
		}
		if s.offset != uint64(f.Bytes) {
			return fmt.Errorf("shipment: file %s has %d bytes, not %d: %w", f.Name, s.offset, f.Bytes, io.ErrUnexpectedEOF)
		}
		e.Sums = append(e.Sums, s.sum)
	}
	return s.note(s.parts, e)
}

// sender makes parts of a file that is written to it.
type sender struct {
	ctx    context.Context
	put    func(*Row) error
	file   string
	offset uint64 // of the buffer
	buffer []byte
	sum    uint32
	parts  uint64
}

func (s *sender) note(offset uint64, v any) error {
	data, err := json.Marshal(v)
	if err != nil {
		return err
	}
	return s.send(&Row{Offset: offset, Data: data})
}

func (s *sender) send(r *Row) error {
	if s.ctx.Err() != nil {
		return context.Cause(s.ctx)
	}
	r.Sum = crc32.ChecksumIEEE(r.Data)
	return s.put(r)
}

// Write takes a part of the file.
func (s *sender) Write(b []byte) (n int, err error) {
	for len(b) > 0 {
		part := min(len(b), cap(s.buffer)-len(s.buffer))
		s.buffer = append(s.buffer, b[:part]...)
		n, b = n+part, b[part:]
		if len(s.buffer) == cap(s.buffer) {
			if err := s.flush(); err != nil {
				return n, err
			}
		}
	}
	return n, nil
}

func (s *sender) flush() error {
	if len(s.buffer) == 0 {
		return nil
	}
	s.sum = crc32.Update(s.sum, crc32.IEEETable, s.buffer)
	err := s.send(&Row{File: s.file, Offset: s.offset, Data: s.buffer})
	s.offset += uint64(len(s.buffer))
	s.buffer = s.buffer[:0]
	s.parts++
	return err
}
