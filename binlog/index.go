package binlog

import (
	"bytes"
	"fmt"
	"io"
	"strings"

	"github.com/cockroachdb/errors/oserror"
	"github.com/cockroachdb/pebble/v2/vfs"
)

// The index lists the segments, oldest first, one "./name" a line, as MariaDB
// writes it. It is replaced as a whole: written under another name, synced,
// renamed, directory synced.

func (o *Options) indexName() string { return o.Basename + ".index" }

const tmpSuffix = ".tmp"

// parseIndex reads an index file. Numbers have to rise by one from line to line.
func (o *Options) parseIndex(data []byte) ([]uint64, error) {
	var list []uint64
	if len(data) > 0 && data[len(data)-1] != '\n' {
		return nil, fmt.Errorf("%w: last line is incomplete", ErrIndex)
	}
	for i, line := range strings.Split(strings.TrimSuffix(string(data), "\n"), "\n") {
		if len(data) == 0 {
			break
		}
		n, ok := o.parseSegmentName(strings.TrimSuffix(line, "\r"))
		if !ok {
			return nil, fmt.Errorf("%w: line %d is %q, not a name like %s", ErrIndex, i+1, line, o.segmentName(1))
		}
		if len(list) > 0 && n != list[len(list)-1]+1 {
			return nil, fmt.Errorf("%w: line %d names %s, expected %s", ErrIndex, i+1, o.segmentName(n), o.segmentName(list[len(list)-1]+1))
		}
		list = append(list, n)
	}
	return list, nil
}

func (o *Options) formatIndex(list []uint64) []byte {
	var b bytes.Buffer
	for _, n := range list {
		fmt.Fprintf(&b, "./%s\n", o.segmentName(n))
	}
	return b.Bytes()
}

// readIndex returns nil and no error if there is no index file.
func (o *Options) readIndex() ([]uint64, error) {
	path := o.path(o.indexName())
	f, err := o.FS.Open(path)
	if oserror.IsNotExist(err) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", path, err)
	}
	data, err := io.ReadAll(f)
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", path, err)
	}
	list, err := o.parseIndex(data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if len(list) == 0 {
		return nil, fmt.Errorf("%s: %w: it is empty", path, ErrIndex)
	}
	return list, nil
}

// stageIndex writes and syncs the coming index under its temporary name. Up
// to here nothing has changed, so a full disk does no harm.
func (o *Options) stageIndex(list []uint64) error {
	tmp := o.path(o.indexName() + tmpSuffix)
	f, err := o.FS.Create(tmp, vfs.WriteCategoryUnspecified)
	if err != nil {
		return noSpace(fmt.Errorf("create %s: %w", tmp, err))
	}
	_, err = f.Write(o.formatIndex(list))
	if err == nil {
		err = f.Sync()
	}
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	if err != nil {
		return noSpace(fmt.Errorf("write %s: %w", tmp, err))
	}
	return nil
}

// commitIndex gives the staged index its name and makes that durable.
func (o *Options) commitIndex() error {
	path := o.path(o.indexName())
	if err := o.FS.Rename(path+tmpSuffix, path); err != nil {
		return fmt.Errorf("rename %s: %w", path+tmpSuffix, err)
	}
	return o.syncDir()
}
