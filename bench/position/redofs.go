package position

import (
	"strings"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/duramendb/duramen/commit/protocol/twopc"
)

// withoutRedoSyncs is a file system on which nobody syncs what is written into redo logs, as InnoDB with
// innodb_flush_log_at_trx_commit=2 does not. The store always does, because a crash would cost what it holds: here nothing is recovered.
type withoutRedoSyncs struct{ vfs.FS }

// OpenReadWrite opens files of redo logs so that their syncs do nothing.
func (fs withoutRedoSyncs) OpenReadWrite(name string, c vfs.DiskWriteCategory, opts ...vfs.OpenOption) (vfs.File, error) {
	f, err := fs.FS.OpenReadWrite(name, c, opts...)
	if err == nil && strings.HasSuffix(fs.PathDir(name), twopc.RedoDir("")) {
		return unsynced{f}, nil
	}
	return f, err
}

type unsynced struct{ vfs.File }

func (unsynced) Sync() error     { return nil }
func (unsynced) SyncData() error { return nil }
