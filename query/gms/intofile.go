package gms

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
	"syscall"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/transform"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/dolthub/vitess/go/vt/sqlparser"

	"github.com/duramendb/duramen/query/gms/column"
	"github.com/duramendb/duramen/query/gms/loaddata"
	"github.com/duramendb/duramen/query/gms/outfile"
	"github.com/duramendb/duramen/query/gms/syntax"
	"github.com/duramendb/duramen/query/mysqlerr"
	"github.com/duramendb/duramen/query/privilege"
	"github.com/duramendb/duramen/query/serverfile"
)

// ownFiles replaces what reads and writes files of the server in a plan: go-mysql-server does not keep to where
// files may be. from are the origins of what INTO OUTFILE writes. (Its own code finds none: the registry of package sysvar sees to that.)
func ownFiles(c *sql.Context, st *syntax.Statement, node sql.Node, from []column.Origin) (sql.Node, error) {
	var into *sqlparser.Into
	switch n := st.AST.(type) {
	case *sqlparser.Select:
		into = n.Into
	case *sqlparser.SetOp:
		into = n.Into
	case *sqlparser.Explain:
	case *sqlparser.Load:
		return replaceFiles(c, node, n, nil)
	default:
		return node, nil
	}
	if into != nil {
		if f := into.Fields; f != nil && f.TerminatedBy != nil && len(f.TerminatedBy.Val) == 0 {
			return nil, mysqlerr.New(mysqlerr.NotSupportedYet, "INTO OUTFILE with FIELDS TERMINATED BY ''")
		}
	}
	return replaceFiles(c, node, nil, from)
}

// replaceFiles does so in a plan. load is its statement, if that is LOAD DATA.
func replaceFiles(c *sql.Context, node sql.Node, load *sqlparser.Load, from []column.Origin) (sql.Node, error) {
	node, _, err := transform.NodeWithOpaque(c, node, func(_ *sql.Context, n sql.Node) (sql.Node, transform.TreeIdentity, error) {
		switch n := n.(type) {
		case *plan.InsertInto: // the source of which is no child
			source, err := replaceFiles(c, n.Source, load, from)
			if err != nil {
				return nil, transform.SameTree, err
			}
			return n.WithSource(source), transform.NewTree, nil
		case *plan.Into:
			if n.Outfile != "" || n.Dumpfile != "" {
				return &intoFile{Into: n, from: from}, transform.NewTree, nil
			}
		case *plan.LoadData:
			return loaddata.New(n, load), transform.NewTree, nil
		}
		return n, transform.SameTree, nil
	})
	return node, err
}

// intoFile is SELECT ... INTO OUTFILE or DUMPFILE.
type intoFile struct {
	*plan.Into
	from []column.Origin
}

var _ sql.ExecBuilderNode = (*intoFile)(nil)

// WithChildren implements sql.Node.
func (n *intoFile) WithChildren(ctx *sql.Context, children ...sql.Node) (sql.Node, error) {
	into, err := n.Into.WithChildren(ctx, children...)
	if err != nil {
		return nil, err
	}
	return &intoFile{Into: into.(*plan.Into), from: n.from}, nil
}

// BuildRowIter implements sql.ExecBuilderNode.
func (n *intoFile) BuildRowIter(c *sql.Context, b sql.NodeExecBuilder, row sql.Row) (sql.RowIter, error) {
	name := n.Outfile + n.Dumpfile
	s := sessionOf(c)
	f, err := s.engine.config.Files.Create(name)
	if err != nil {
		return nil, fileError(err, name)
	}
	count, err := n.write(c, s, b, row, f)
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	if err != nil {
		if rerr := os.Remove(f.Name()); rerr != nil { // it is this statement's
			s.engine.Log.Warn("removing the file of a failed statement", "file", name, "err", rerr)
		}
		return nil, err
	}
	return sql.RowsToRowIter(sql.NewRow(types.NewOkResult(count))), nil
}

func (n *intoFile) write(c *sql.Context, s *Session, b sql.NodeExecBuilder, row sql.Row, f *os.File) (int, error) {
	iter, err := b.Build(c, n.Child, row)
	if err != nil {
		return 0, err
	}
	w, err := outfile.NewWriter(f, n.Into, n.Child.Schema(c), c.Query(), s.LexMode)
	if err != nil {
		return 0, errors.Join(err, iter.Close(c))
	}
	if err := drain(c, n.Child.Schema(c), iter, n.from, s.wireResult(w, false)); err != nil {
		return 0, err
	}
	return w.Rows(), w.Flush()
}

// fileError is MariaDB's error for a file that cannot be made or read.
func fileError(err error, name string) error {
	var errno syscall.Errno
	switch {
	case errors.Is(err, serverfile.ErrOutside), errors.Is(err, fs.ErrNotExist): // no directory, too
		return mysqlerr.New(mysqlerr.OptionPreventsStatement, "--secure-file-priv").WithCause(err)
	case errors.Is(err, fs.ErrExist):
		return mysqlerr.New(mysqlerr.FileExists, name).WithCause(err)
	case errors.As(err, &errno):
		return mysqlerr.Newf(mysqlerr.CantCreateFile, "Can't create/write to file '%s' (Errcode: %d \"%s\")", name, int(errno), sentence(errno)).WithCause(err)
	}
	return mysqlerr.Newf(mysqlerr.CantCreateFile, "Can't create/write to file '%s'", name).WithCause(err)
}

// sentence is the C library's text of an error, which begins with a capital.
func sentence(errno syscall.Errno) string {
	text := errno.Error()
	return strings.ToUpper(text[:1]) + text[1:]
}

// openServerFile is LOAD DATA INFILE without LOCAL.
func (s *Session) openServerFile(name string) (*os.File, error) {
	f, err := s.engine.config.Files.Open(name)
	var errno syscall.Errno
	switch {
	case err == nil:
		return f, nil
	case errors.Is(err, serverfile.ErrOutside):
		return nil, fileError(err, name)
	case errors.As(err, &errno):
		return nil, mysqlerr.Newf(mysqlerr.CantGetStat, "Can't get stat of '%s' (Errcode: %d \"%s\")", name, int(errno), sentence(errno)).WithCause(err)
	}
	return nil, mysqlerr.Newf(mysqlerr.TextFileNotReadable, "The file '%s' must be in the database directory or be readable by all", name).WithCause(err)
}

// OpenFile opens a file for LOAD_FILE: nil without the privilege FILE, and for a file that may not be read.
func (k Kept) OpenFile(name string) *os.File {
	if !k.s.Rights().May(privilege.File) {
		return nil
	}
	f, err := k.s.engine.config.Files.Open(name)
	if err != nil {
		return nil
	}
	return f
}

// CreateFile makes a file for the rows of a SELECT that runs natively.
func (k Kept) CreateFile(name string) (*os.File, error) {
	f, err := k.s.engine.config.Files.Create(name)
	if err != nil {
		return nil, fileError(err, name)
	}
	return f, nil
}

// loadFile is LOAD_FILE(name): NULL without the privilege FILE, for a file that may not be read, and for one that is
// larger than max_allowed_packet.
func (e *Engine) loadFile(c *sql.Context, args []any) (any, error) {
	s := sessionOf(c)
	if args[0] == nil {
		return nil, nil
	}
	f := s.Kept().OpenFile(fmt.Sprint(args[0]))
	if f == nil {
		return nil, nil
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil || info.Size() > int64(min(s.Vars.Uint("max_allowed_packet"), 1<<30)) {
		return nil, nil // as MariaDB
	}
	data := make([]byte, info.Size())
	n, err := io.ReadFull(f, data)
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return nil, nil // as MariaDB
	}
	return data[:n], nil
}
