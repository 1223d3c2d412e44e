package query

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"syscall"

	"github.com/duramendb/duramen/binlog/event"
	"github.com/duramendb/duramen/query/logged"
	"github.com/duramendb/duramen/query/mysqlerr"
	"github.com/duramendb/duramen/query/session"
)

// valuesBefore are what the events before a statement say of it.
type valuesBefore struct {
	insertID     uint64
	lastInsertID *uint64
	random       interface{ Float64() float64 }
	variables    []logged.Variable
}

// Intvar notes INSERT_ID or LAST_INSERT_ID() of the next statement.
func (a *Applier) Intvar(v *event.IntvarInfo) {
	if v.LastInsertID {
		a.before.lastInsertID = &v.Value
		return
	}
	a.before.insertID = v.Value
}

// Rand notes the seeds of RAND() in the next statement.
func (a *Applier) Rand(r *event.RandInfo) { a.before.random = logged.Random(r) }

// UserVar notes a user variable that the next statement reads. Error 22 is about a collation that this server does not know.
func (a *Applier) UserVar(v *event.UserVarInfo) error {
	b, err := logged.VariableOf(v)
	a.before.variables = append(a.before.variables, b)
	return err
}

// give gives the session what was noted.
func (v *valuesBefore) give(s *Session, r *session.Replicated) error {
	s.Vars.Store(varInsertID, v.insertID)
	if v.lastInsertID != nil {
		s.sql.Kept().SetLastInsertID(*v.lastInsertID)
	}
	if v.random != nil {
		r.Random = v.random
	}
	for _, b := range v.variables {
		if err := s.sql.Kept().SetUserVariable(b.Name, b.Value, b.Type); err != nil {
			return err
		}
	}
	return nil
}

// loadedFile is the file of a LOAD DATA. It has no name on the disk.
type loadedFile struct{ *os.File }

// LoadBlock adds a piece to a file.
func (a *Applier) LoadBlock(b *event.LoadBlock) error {
	f := a.files[b.FileID]
	if f == nil {
		tmp, err := os.CreateTemp("", "replicated-load-*")
		if err == nil {
			err = os.Remove(tmp.Name())
		}
		if err != nil {
			return loadedFileError(err)
		}
		f = &loadedFile{tmp}
		a.files[b.FileID] = f
	}
	if _, err := f.Write(b.Data); err != nil {
		return loadedFileError(err)
	}
	return nil
}

// loadedFileError words an error of a LOAD DATA's file. Where its disk is full, the group is tried again when there is room (a MariaDB's SQL thread stops).
func loadedFileError(err error) error {
	if errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) {
		return &tmpdirFullError{err}
	}
	return mysqlerr.Newf(mysqlerr.ErrorOnWrite, "file of a replicated LOAD DATA: %v", err)
}

// tmpdirFullError is one of the disk of tmpdir.
type tmpdirFullError struct{ cause error }

func (e *tmpdirFullError) Error() string { return "file of a replicated LOAD DATA: " + e.cause.Error() }

func (e *tmpdirFullError) Unwrap() error { return e.cause }

// forgetFiles drops the files of the group.
func (a *Applier) forgetFiles() {
	for id, f := range a.files {
		_ = f.File.Close() // nothing of it is kept
		delete(a.files, id)
	}
}

// errNoFile says that the log has a LOAD DATA without its file.
var errNoFile = errors.New("its file is not in the log")

// Load runs an EXECUTE_LOAD_QUERY event, like Statement.
func (a *Applier) Load(ctx context.Context, h event.Header, l *event.LoadQuery) error {
	defer func() { a.before = valuesBefore{} }()
	q, err := logged.LoadText(l)
	if err != nil {
		return logged.Worded(err, &l.Query)
	}
	f := a.files[l.FileID]
	if f == nil {
		return logged.Worded(fmt.Errorf("LOAD DATA: %w", errNoFile), q)
	}
	a.s.Replicated.File = func() (io.ReadCloser, error) {
		_, err := f.Seek(0, io.SeekStart)
		return io.NopCloser(f), err
	}
	about, err := a.read(q)
	if err == nil {
		err = a.run(ctx, h, q, about)
	}
	return a.judge(q, err)
}
