package store

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/cockroachdb/errors/oserror"
	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/duramendb/duramen/binlog"
	"github.com/duramendb/duramen/catalog"
	"github.com/duramendb/duramen/commit/protocol"
	"github.com/duramendb/duramen/engine"
	"github.com/duramendb/duramen/gtid"
	"github.com/duramendb/duramen/logpos"
)

var (
	// ErrExporting is returned by NewExport while there is an export.
	ErrExporting = errors.New("store: the files are being copied already")
	// ErrNoExport is wrapped by the error of NewExport for a directory whose files are of no use elsewhere.
	ErrNoExport = errors.New("store: the files cannot be copied")
	// ErrRestless is returned by NewExport when definitions have changed each time that it looked.
	ErrRestless = errors.New("store: definitions change all the time")
)

// FormatVersion is the version of data directories that this version of Duramen writes.
const FormatVersion = formatNewest

const (
	// exportDir is where engines keep links to the files of an export.
	exportDir = "export"
	// exportTries is how often an export is begun until no definition changes meanwhile.
	exportTries = 20
)

// Export is a copy of the data directory, for another server: what a crash would have left at one place in the log. Its recovery replays, for each
// engine from its own mark, and ends at that place. It must be closed, before the store is. What it holds still takes room on the disk: files that
// engines have replaced, and pages of the B+tree's file that cannot be used again. Of the log it keeps what it needs, whatever is purged or reset.
type Export struct {
	Files []ExportedFile
	// Place is where the log ends, and Point what is known there in GTIDs.
	Place logpos.Pos
	Point gtid.Point
	// LogBasename is the name of the log's files before the number.
	LogBasename string

	store *Store
	parts []*engine.Export
	log   *binlog.Copy
}

// LogFile is the name of the log's file that Place is in.
func (x *Export) LogFile() string { return logpos.FileName(x.LogBasename, x.Place.Segment) }

// ExportedFile is a file of an export.
type ExportedFile struct {
	// Name is its path in the data directory, with slashes.
	Name string
	// Bytes is its size.
	Bytes int64
	// Copy writes all of it, Bytes bytes, unless w fails.
	Copy func(w io.Writer) error
}

// NewExport begins a copy of the data directory. There can be one at a time (ErrExporting). It writes a checkpoint, so that there is little log to be replayed.
//
// # What belongs together
//
// Each engine is exported as of a moment of its own, before the place at which the copy ends, and replay does the rest. One thing it cannot do:
// an index, or a table, that was built past the log before its definition was logged is in the engine's files only if these are of a moment after
// that. A crash cannot tell them apart, as the one is durable before the other; an export could. So no definition may have changed between the first
// engine's export and the place; if one has, everything is done again.
func NewExport(ctx context.Context, s *Store) (_ *Export, err error) {
	if s.protocol != nil {
		return nil, fmt.Errorf("%w with the commit protocol %s: its engines have redo logs", ErrNoExport, s.opts.CommitProtocol)
	}
	for i, e := range s.engine.Engines() {
		if !s.opts.Engines[i].Volatile() && e.Capabilities().Exporter == nil {
			return nil, fmt.Errorf("%w: storage engine %s cannot do that", ErrNoExport, e.Name())
		}
	}
	if !s.exporting.CompareAndSwap(false, true) {
		return nil, ErrExporting
	}
	x := &Export{store: s, LogBasename: s.log.Basename()}
	defer func() {
		if err != nil {
			err = errors.Join(err, x.Close())
		}
	}()
	if err := s.Checkpoint(ctx); err != nil {
		return nil, err
	}
	for range exportTries {
		if err := ctx.Err(); err != nil {
			return nil, context.Cause(ctx)
		}
		settled, err := x.try()
		if err != nil {
			return nil, fmt.Errorf("store: export: %w", err)
		}
		if settled {
			return x, nil
		}
		if err := x.release(); err != nil {
			return nil, fmt.Errorf("store: export: %w", err)
		}
	}
	return nil, ErrRestless
}

// try is false if a definition has changed meanwhile. The log is not reset during it.
func (x *Export) try() (settled bool, err error) {
	s := x.store
	s.checkpointMu.Lock()
	defer s.checkpointMu.Unlock()
	first := s.engine.Durable().Position
	if first.IsZero() {
		first = s.log.Start()
	}
	release, err := s.log.Hold(first.Segment)
	if err != nil {
		return false, err
	}
	defer release()
	before := s.registry.Current()
	if err := x.exportEngines(); err != nil {
		return false, err
	}
	var after *catalog.Snapshot
	var mark engine.Mark
	s.pipeline.ApplyBarrier(func() {
		after, mark, x.Place = s.registry.Current(), s.engine.Applied(), s.pipeline.Applied()
	})
	if after != before {
		return false, nil
	}
	if x.Point, err = gtid.ParsePoint(mark.GTIDState); err != nil {
		return false, err
	}
	if err := s.pipeline.SyncTo(x.Place); err != nil {
		return false, err
	}
	return true, x.openLog()
}

// exportEngines exports those that have files.
func (x *Export) exportEngines() error {
	s := x.store
	fs := s.opts.FS
	dir := fs.PathJoin(s.opts.Dir, exportDir)
	if err := makeDir(fs, dir); err != nil {
		return err
	}
	for i, e := range s.engine.Engines() {
		kind := s.opts.Engines[i]
		if kind.Volatile() {
			continue
		}
		part, err := e.Capabilities().Exporter.Export(fs.PathJoin(dir, kind.Dir()))
		if err != nil {
			return err
		}
		x.parts = append(x.parts, part)
		for _, file := range part.Files {
			x.Files = append(x.Files, ExportedFile{Name: kind.Dir() + "/" + file.Name, Bytes: file.Bytes, Copy: file.Copy})
		}
	}
	return nil
}

// openLog adds the log from the first mark to the place, and FORMAT.
func (x *Export) openLog() (err error) {
	s := x.store
	first := x.Place
	for _, part := range x.parts {
		if part.Mark.Position.Before(first) {
			first = part.Mark.Position
		}
	}
	if first.IsZero() {
		first = s.log.Start()
	}
	if x.log, err = s.log.OpenCopy(first.Segment, x.Place); err != nil {
		return err
	}
	for _, file := range x.log.Files {
		x.Files = append(x.Files, ExportedFile{Name: file.Name, Bytes: file.Bytes, Copy: file.Copy})
	}
	format := formatOf(s.opts.Engines, protocol.OneLog).text()
	x.Files = append(x.Files, ExportedFile{Name: formatName, Bytes: int64(len(format)), Copy: func(w io.Writer) error {
		_, err := io.Copy(w, strings.NewReader(format))
		return err
	}})
	return nil
}

// release lets go of what there is.
func (x *Export) release() error {
	var errs []error
	for _, part := range x.parts {
		errs = append(errs, part.Close())
	}
	if x.log != nil {
		errs = append(errs, x.log.Close())
	}
	x.parts, x.log, x.Files = nil, nil, nil
	return errors.Join(errs...)
}

// Close lets go of the files, and makes room for another export. Closing twice is no error.
func (x *Export) Close() error {
	if x.store == nil {
		return nil
	}
	s := x.store
	x.store = nil
	err := errors.Join(x.release(), removeExport(s.opts.FS, s.opts.Dir))
	s.exporting.Store(false)
	if err != nil {
		return fmt.Errorf("store: end of an export: %w", err)
	}
	return nil
}

// removeExport removes the links of an export, be it the one that ends or one that a crash has left.
func removeExport(fs vfs.FS, dataDir string) error {
	dir := fs.PathJoin(dataDir, exportDir)
	if _, err := fs.Stat(dir); oserror.IsNotExist(err) {
		return nil
	}
	if err := fs.RemoveAll(dir); err != nil {
		return err
	}
	return syncDir(fs, dataDir)
}
