package main

import (
	"bytes"
	"encoding/binary"
	"encoding/gob"
	"errors"
	"fmt"
	"hash/crc32"
	"io"

	"github.com/cockroachdb/errors/oserror"
	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/duramendb/duramen/engine"
	"github.com/duramendb/duramen/engine/sorted"
)

// file is what is in the file, before its checksum.
type file struct {
	Mark         engine.Mark
	Keys, Values [][]byte
}

// save replaces the file at once: it is written under another name, synced, and renamed. It returns the file's size.
func save(o engine.Options, m sorted.Map, mark engine.Mark) (size uint64, err error) {
	c := file{Mark: mark}
	m.All(func(key, value []byte) bool {
		c.Keys, c.Values = append(c.Keys, key), append(c.Values, value)
		return true
	})
	var b bytes.Buffer
	if err := gob.NewEncoder(&b).Encode(c); err != nil {
		return 0, err
	}
	contents := binary.BigEndian.AppendUint32(b.Bytes(), crc32.ChecksumIEEE(b.Bytes()))
	path := o.FS.PathJoin(o.Dir, "contents")
	f, err := o.FS.Create(path+".new", vfs.WriteCategoryUnspecified)
	if err != nil {
		return 0, err
	}
	_, err = f.Write(contents)
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return 0, err
	}
	if err = o.FS.Rename(path+".new", path); err != nil {
		return 0, err
	}
	dir, err := o.FS.OpenDir(o.Dir)
	if err != nil {
		return 0, err
	}
	return uint64(len(contents)), errors.Join(dir.Sync(), dir.Close())
}

// load reads the file; without one the engine is empty.
func load(o engine.Options) (m sorted.Map, mark engine.Mark, size uint64, err error) {
	m = sorted.Empty()
	f, err := o.FS.Open(o.FS.PathJoin(o.Dir, "contents"))
	if oserror.IsNotExist(err) {
		return m, engine.Mark{}, 0, nil
	} else if err != nil {
		return m, engine.Mark{}, 0, err
	}
	contents, err := io.ReadAll(f)
	if err = errors.Join(err, f.Close()); err != nil {
		return m, engine.Mark{}, 0, err
	}
	end := len(contents) - 4
	if end < 0 || binary.BigEndian.Uint32(contents[end:]) != crc32.ChecksumIEEE(contents[:end]) {
		return m, engine.Mark{}, 0, fmt.Errorf("%w: the checksum of the file is wrong", engine.ErrDamaged)
	}
	var c file
	if err := gob.NewDecoder(bytes.NewReader(contents[:end])).Decode(&c); err != nil {
		return m, engine.Mark{}, 0, fmt.Errorf("%w: %w", engine.ErrDamaged, err)
	}
	var b sorted.Batch
	for i, key := range c.Keys {
		if err := b.Set(key, c.Values[i]); err != nil {
			return m, engine.Mark{}, 0, err
		}
	}
	return m.With(&b), c.Mark, uint64(len(contents)), nil
}
