package clone

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/go-sql-driver/mysql"

	"github.com/duramendb/duramen/commit/protocol"
	"github.com/duramendb/duramen/gtid"
	"github.com/duramendb/duramen/server"
	"github.com/duramendb/duramen/store"
	"github.com/duramendb/duramen/store/shipment"
)

// shipStatement has the source send the files of its data directory; see package shipment.
const shipStatement = "SHOW DURAMEN CLONE"

// ship copies the source's files into the new directory. The result is nil if rows have to be copied, which is told with the reason.
func (s *source) ship(ctx context.Context, t *target, o *Options) (*shipment.Manifest, error) {
	if o.Method == MethodSQL {
		return nil, nil
	}
	reason, err := s.needsRows(ctx, o)
	if err != nil {
		return nil, err
	}
	if reason == nil {
		var m *shipment.Manifest
		if m, err = s.receive(ctx, t, o); err == nil {
			return m, nil
		}
		if reason = refusal(err); reason == nil {
			return nil, fmt.Errorf("copy the source's files: %w", err)
		}
	}
	if o.Method == MethodFiles {
		return nil, fmt.Errorf("--method=files cannot be: %w", reason)
	}
	if s.flavor == duramen { // nobody expects files of others
		_, _ = fmt.Fprintf(o.Progress, "clone: rows are copied, and not files: %v\n", reason)
	}
	return nil, nil
}

// needsRows is why files will not do, nil if they may.
func (s *source) needsRows(ctx context.Context, o *Options) (reason, err error) {
	switch {
	case s.flavor != duramen:
		return fmt.Errorf("the source is a %s", s.flavor), nil
	case o.WithoutAccounts:
		return errors.New("--without-accounts leaves out a part of them"), nil
	case o.Lock:
		return errors.New("--lock is for rows"), nil
	}
	cfg, err := server.ParseConfig(append([]string{"--no-defaults"}, o.serverArgs()...))
	if err != nil {
		return nil, err
	}
	if cfg.CommitProtocol != "" && cfg.CommitProtocol != protocol.OneLog {
		return fmt.Errorf("the new server is to have the commit protocol %s", cfg.CommitProtocol), nil
	}
	if cfg.InnoDBEngine == "" {
		return nil, nil
	}
	var first string
	if err := s.admin.QueryRowContext(ctx, "SELECT @@GLOBAL.innodb_engine").Scan(&first); err != nil {
		return fmt.Errorf("the source does not tell its innodb_engine: %w", err), nil
	}
	if !strings.EqualFold(first, cfg.InnoDBEngine) {
		return fmt.Errorf("the source's innodb_engine is %s, and that of the new server is to be %s", first, cfg.InnoDBEngine), nil
	}
	return nil, nil
}

// refusal is the reason if an error says that the source, or the new server, will not have a copy of files: nothing was written then.
func refusal(err error) error {
	var refused *mysql.MySQLError
	var started *startedError
	switch {
	case errors.As(err, &started):
		return nil
	case errors.Is(err, shipment.ErrUnsuitable):
		return err
	case errors.As(err, &refused):
		const (
			denied        = 1227
			parseError    = 1064 // of a version that has no such statement
			notSupported  = 1235 // of its data directory
			cannotExecute = 1220 // another one runs
		)
		switch refused.Number {
		case denied, parseError, notSupported, cannotExecute:
			return fmt.Errorf("%s: %w", shipStatement, err)
		}
	}
	return nil
}

// startedError is an error after files have begun to come.
type startedError struct{ error }

func (e *startedError) Unwrap() error { return e.error }

// receive runs the statement on a connection of its own, which ends with it.
func (s *source) receive(ctx context.Context, t *target, o *Options) (_ *shipment.Manifest, err error) {
	c, err := s.db.Conn(ctx)
	if err != nil {
		return nil, err
	}
	defer func() { _ = c.Close() }() // nothing was changed there
	// A process that is stopped must not have the source hold its files for long; a sync of what has come may take a while.
	if err := s.prepare(ctx, c, "SET NAMES utf8mb4", "SET SESSION net_write_timeout = 600"); err != nil {
		return nil, err
	}
	cfg, err := server.ParseConfig(append([]string{"--no-defaults"}, o.serverArgs()...))
	if err != nil {
		return nil, err
	}
	// Closing a result reads what is left of it, unless its context has ended.
	ctx, cancel := context.WithCancel(ctx)
	rows, err := c.QueryContext(ctx, shipStatement)
	if err != nil {
		cancel()
		return nil, err
	}
	defer func() { _ = rows.Close() }()
	defer cancel()
	r := shipment.NewReceiver(t.dir, shipment.Accepts{Format: store.FormatVersion, Basename: cfg.LogBasename, Dirs: server.EngineDirs()})
	defer func() { err = errors.Join(err, r.Close()) }()
	p := &shipProgress{began: time.Now()}
	telling, told := context.WithCancel(ctx)
	var teller sync.WaitGroup
	defer teller.Wait()
	defer told()
	for rows.Next() {
		row, err := scanShipped(rows)
		if err == nil {
			err = r.Add(row)
		}
		if err != nil && r.Manifest() == nil { // it was the first one
			return nil, err
		}
		if err != nil {
			return nil, &startedError{err}
		}
		if p.m == nil {
			p.m = r.Manifest()
			s.tellPlace(o, p.m)
			teller.Go(func() { tell(telling, o.Progress, o.ProgressInterval, p.line) })
		}
		p.note(r.Done())
	}
	if err := rows.Err(); err != nil {
		if p.m != nil {
			err = &startedError{err}
		}
		return nil, err
	}
	m, err := r.Finish()
	if err != nil {
		return nil, &startedError{err}
	}
	return m, nil
}

// scanShipped is the row at which a result is. It is valid until the next one.
func scanShipped(rows *sql.Rows) (*shipment.Row, error) {
	var r shipment.Row
	var data sql.RawBytes
	if err := rows.Scan(&r.File, &r.Offset, &data, &r.Sum); err != nil {
		return nil, fmt.Errorf("%w: %w", shipment.ErrDamaged, err)
	}
	r.Data = data
	return &r, nil
}

func (s *source) tellPlace(o *Options, m *shipment.Manifest) {
	position := ""
	if point, err := gtid.ParsePoint(m.Point); err == nil { // else adopt says so
		position = followFrom(point).String()
	}
	_, _ = fmt.Fprintf(o.Progress, "clone: %s %s at %s:%d, GTID %s: %d files, %s\n", s.flavor, s.version, m.LogFile, m.Position, cmp.Or(position, "none"),
		len(m.Files), size(m.Bytes()))
}

// shipProgress is how much has come.
type shipProgress struct {
	began        time.Time
	m            *shipment.Manifest
	files, bytes atomic.Int64
}

func (p *shipProgress) note(files int, bytes int64) {
	p.files.Store(int64(files))
	p.bytes.Store(bytes)
}

func (p *shipProgress) line() string {
	bytes, seconds := p.bytes.Load(), max(time.Since(p.began).Seconds(), 0.001)
	return fmt.Sprintf("%d of %d files, %s of %s, %s/s", p.files.Load(), len(p.m.Files), size(bytes), size(p.m.Bytes()), size(int64(float64(bytes)/seconds)))
}
