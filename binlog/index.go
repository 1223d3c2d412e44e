package binlog

import (
	"bytes"
	"fmt"
	"io"
	"strings"

	"github.com/cockroachdb/errors/oserror"
)

// The index lists the segments, oldest first, one "./name" a line, as MariaDB
// writes it. It is replaced as a whole: written under another name, synced,
// renamed, directory synced.

// parseIndex reads an index file. Numbers have to rise by one from line to line.
func (d dir) parseIndex(data []byte) ([]uint64, error) {
	var list []uint64
	if len(data) > 0 && data[len(data)-1] != '\n' {
		return nil, fmt.Errorf("%w: last line is incomplete", ErrIndex)
	}
	for i, line := range strings.Split(strings.TrimSuffix(string(data), "\n"), "\n") {
		if len(data) == 0 {
			break
		}
		n, ok := d.parseSegmentName(strings.TrimSuffix(line, "\r"))
		if !ok {
			return nil, fmt.Errorf("%w: line %d is %q, not a name like %s", ErrIndex, i+1, line, d.segmentName(1))
		}
		if len(list) > 0 && n != list[len(list)-1]+1 {
			return nil, fmt.Errorf("%w: line %d names %s, expected %s", ErrIndex, i+1, d.segmentName(n), d.segmentName(list[len(list)-1]+1))
		}
		list = append(list, n)
	}
	return list, nil
}

func (d dir) formatIndex(list []uint64) []byte {
	var b bytes.Buffer
	for _, n := range list {
		fmt.Fprintf(&b, "./%s\n", d.segmentName(n))
	}
	return b.Bytes()
}

// readIndex returns nil and no error if there is no index file.
func (d dir) readIndex() ([]uint64, error) {
	path := d.path(d.indexName())
	f, err := d.fs.Open(path)
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
	list, err := d.parseIndex(data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if len(list) == 0 {
		return nil, fmt.Errorf("%s: %w: it is empty", path, ErrIndex)
	}
	return list, nil
}

// stageIndex writes and syncs the coming index under its temporary name.
func (d dir) stageIndex(list []uint64) error {
	return noSpace(d.stageBytes(d.indexName()+tmpSuffix, d.formatIndex(list)))
}

// commitIndex gives the staged index its name and makes that durable.
func (d dir) commitIndex() error { return d.commit(d.indexName()+tmpSuffix, d.indexName()) }
