package query

import (
	"errors"
	"os"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/duramendb/duramen/query/mysqlerr"
	"github.com/duramendb/duramen/replication/replica/primary"
)

// TestFullTmpdir: the SQL thread waits on error 1021, and ends with any other one.
func TestFullTmpdir(t *testing.T) {
	for _, c := range []struct {
		cause  error
		number uint16
		text   string
	}{
		{&os.PathError{Op: "write", Path: "/tmp/x", Err: syscall.ENOSPC}, mysqlerr.DiskFull, "Free space on the disk of tmpdir (" + os.TempDir() + ")"},
		{&os.PathError{Op: "open", Path: "/tmp/x", Err: syscall.EDQUOT}, mysqlerr.DiskFull, "Disk full (" + os.TempDir() + "); waiting for someone to free some space..."},
		{&os.PathError{Op: "write", Path: "/tmp/x", Err: syscall.EIO}, mysqlerr.ErrorOnWrite, "file of a replicated LOAD DATA"},
	} {
		err := threadError(loadedFileError(c.cause))
		var known *primary.Error
		require.ErrorAs(t, err, &known)
		require.Equal(t, c.number, known.Number)
		require.Contains(t, known.Text, c.text)
		require.Equal(t, c.number == mysqlerr.DiskFull, errors.Is(known.Cause, c.cause))
	}
}
