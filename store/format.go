package store

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"path"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"github.com/cockroachdb/errors/oserror"
	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/duramendb/duramen/commit/protocol"
	"github.com/duramendb/duramen/engine"
	"github.com/duramendb/duramen/engine/set"
)

// Generations of the data directory. Each durable change of layout gets a
// number and a line here.
const (
	// formatFirst: binary log format v4 with private ignorable events; one
	// Pebble engine whose values are binlog row images.
	formatFirst = 1
	// formatEngines: a line names the engines that the directory has.
	formatEngines = 2
	// formatNewest is what this version writes. It reads all before, and rewrites FORMAT.
	formatNewest = formatEngines
)

// firstEngines are those of a directory of formatFirst.
var firstEngines = []string{"lsm"}

// DefaultEngine is the directory (engine.Kind) of the engine that comes first in a data directory, "" if there is none yet.
func DefaultEngine(fs vfs.FS, dir string) (string, error) {
	f, err := readFormat(fs, dir)
	switch {
	case oserror.IsNotExist(err):
		return "", nil
	case err != nil:
		return "", &OpenError{Dir: dir, Op: "read format of", Kind: ErrFormat, Err: err}
	case len(f.engines) == 0: // of a later version, which Open refuses
		return "", nil
	}
	return f.engines[0], nil
}

// format is what FORMAT says of a data directory.
type format struct {
	version int
	// engines are the directories of the engines that have files here, the default engine first. None of them may be missing
	// when the data directory is opened: it would not follow the log any more.
	engines []string
	// protocol is how commits become durable.
	protocol protocol.Name
}

// formatOf is what FORMAT says of a data directory of these engines.
func formatOf(kinds []engine.Kind, name protocol.Name) format {
	f := format{version: formatNewest, protocol: name}
	for _, kind := range kinds {
		if !kind.Volatile() {
			f.engines = append(f.engines, kind.Dir())
		}
	}
	return f
}

func (f format) has(kind engine.Kind) bool { return slices.Contains(f.engines, kind.Dir()) }

func (f format) equal(other format) bool {
	return f.version == other.version && slices.Equal(f.engines, other.engines) && f.protocol == other.protocol
}

const (
	formatName  = "FORMAT"
	formatTemp  = "FORMAT.tmp"
	lockName    = "LOCK"
	formatMagic = "duramen data directory"
)

// lockDir takes the directory for this process. The lock is released by
// closing the result, or by the end of the process.
func lockDir(fs vfs.FS, dir string) (io.Closer, error) {
	lock, err := fs.Lock(fs.PathJoin(dir, lockName))
	if err == nil {
		return lock, nil
	}
	e := &OpenError{Dir: dir, Op: "lock", Err: err}
	if errors.Is(err, syscall.EAGAIN) || errors.Is(err, syscall.EACCES) || strings.Contains(err.Error(), "lock held by current process") {
		e.Kind = ErrLocked
		e.Hint = "stop the other server, or use another data directory"
	}
	return nil, e
}

// checkFormat verifies the FORMAT file, and writes it into an empty directory.
// It returns what the file said, and whether the directory is new.
func checkFormat(o *Options) (f format, created bool, err error) {
	fs, dir, kinds, name := o.FS, o.Dir, o.Engines, o.CommitProtocol
	if err := checkFinished(o); err != nil {
		return f, false, err
	}
	f, err = readFormat(fs, dir)
	switch {
	case err == nil && f.version > formatNewest:
		return f, false, &OpenError{Dir: dir, Op: "read format of", Kind: ErrFormat,
			Err:  fmt.Errorf("it has version %d, this server knows version %d", f.version, formatNewest),
			Hint: "start the version of Duramen that wrote it"}
	case err == nil:
		if err := f.checkProtocol(dir, name); err != nil {
			return f, false, err
		}
		if err := o.checkPosition(f.protocol); err != nil {
			return f, false, err
		}
		return f, false, f.checkEngines(dir, kinds)
	case !oserror.IsNotExist(err):
		return f, false, &OpenError{Dir: dir, Op: "read format of", Kind: ErrFormat, Err: err}
	}
	if err := checkEmpty(fs, dir); err != nil {
		return f, false, err
	}
	if name == "" {
		name = protocol.OneLog
	}
	if err := o.checkPosition(name); err != nil {
		return f, false, err
	}
	f = formatOf(kinds, name)
	return f, true, writeFormat(fs, dir, f)
}

// checkEngines refuses to open a directory without one of its engines, or with another one as the default.
func (f *format) checkEngines(dir string, kinds []engine.Kind) error {
	for _, name := range f.engines {
		if !slices.ContainsFunc(kinds, func(k engine.Kind) bool { return k.Dir() == name }) {
			return &OpenError{Dir: dir, Op: "open the storage engines in", Err: fmt.Errorf("%w: the one with the directory %s", set.ErrNoEngine, name),
				Hint: "start a server that has this storage engine"}
		}
	}
	if kinds[0].Dir() != f.engines[0] {
		return &OpenError{Dir: dir, Op: "open the storage engines in",
			Err:  fmt.Errorf("the default engine is %s, but of this directory it is the one in %s", kinds[0].Name(), f.engines[0]),
			Hint: "start the server with the default engine that the directory was made with"}
	}
	return nil
}

// readFormat returns what the FORMAT file says.
func readFormat(fs vfs.FS, dir string) (format, error) {
	file, err := fs.Open(fs.PathJoin(dir, formatName))
	if err != nil {
		return format{}, err
	}
	defer file.Close()
	data, err := io.ReadAll(io.LimitReader(file, 4096))
	if err != nil {
		return format{}, err
	}
	lines := bufio.NewScanner(bytes.NewReader(data))
	if !lines.Scan() || lines.Text() != formatMagic {
		return format{}, fmt.Errorf("%s does not begin with %q", formatName, formatMagic)
	}
	f, named := format{engines: firstEngines, protocol: protocol.OneLog}, false
	for lines.Scan() {
		key, value, _ := strings.Cut(lines.Text(), ":")
		switch key {
		case "version":
			if f.version, err = strconv.Atoi(strings.TrimSpace(value)); err != nil || f.version < formatFirst {
				return format{}, fmt.Errorf("%s: bad version %q", formatName, value)
			}
		case "engines":
			f.engines = strings.Fields(value)
			named = true
		case protocolKey:
			if f.protocol, err = protocol.Parse(strings.TrimSpace(value)); err != nil {
				return format{}, fmt.Errorf("%s: %w", formatName, err)
			}
		}
	}
	switch {
	case f.version == 0:
		return format{}, fmt.Errorf("%s has no version", formatName)
	case f.version >= formatEngines && f.version <= formatNewest && (!named || len(f.engines) == 0):
		return format{}, fmt.Errorf("%s names no engines", formatName)
	}
	return f, nil
}

// text is what the FORMAT file says.
func (f format) text() string {
	return fmt.Sprintf("%s\nversion: %d\nengines: %s\n%s", formatMagic, f.version, strings.Join(f.engines, " "), f.protocolLine())
}

// writeFormat writes the FORMAT file so that it is either complete or as it was.
func writeFormat(fs vfs.FS, dir string, what format) error {
	fail := func(err error) error { return &OpenError{Dir: dir, Op: "initialise", Err: err} }
	temp := fs.PathJoin(dir, formatTemp)
	f, err := fs.Create(temp, vfs.WriteCategoryUnspecified)
	if err != nil {
		return fail(err)
	}
	_, err = io.WriteString(f, what.text())
	if err == nil {
		err = f.Sync()
	}
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	if err == nil {
		err = fs.Rename(temp, fs.PathJoin(dir, formatName))
	}
	if err == nil {
		err = syncDir(fs, dir)
	}
	if err != nil {
		return fail(err)
	}
	return nil
}

// makeDir creates a directory and those above it, and makes their entries
// durable: a directory that a crash takes away takes everything in it away.
func makeDir(fs vfs.FS, dir string) error {
	var missing []string // the innermost first
	for d := dir; ; d = fs.PathDir(d) {
		if _, err := fs.Stat(d); err == nil {
			break
		} else if !oserror.IsNotExist(err) {
			return err
		}
		missing = append(missing, d)
		if fs.PathDir(d) == d {
			break
		}
	}
	if err := fs.MkdirAll(dir, 0o750); err != nil {
		return err
	}
	for _, d := range missing {
		if err := syncDir(fs, fs.PathDir(d)); err != nil {
			return err
		}
	}
	return nil
}

// emptyDir removes the files in a directory.
func emptyDir(fs vfs.FS, dir string) error {
	names, err := fs.List(dir)
	if err != nil {
		return err
	}
	for _, name := range names {
		if err := fs.Remove(fs.PathJoin(dir, name)); err != nil {
			return err
		}
	}
	return nil
}

// syncDir makes the entries of a directory durable.
func syncDir(fs vfs.FS, dir string) error {
	d, err := fs.OpenDir(dir)
	if err != nil {
		return err
	}
	err = d.Sync()
	if cerr := d.Close(); err == nil {
		err = cerr
	}
	return err
}

// UnfinishedName is a file in a data directory that is being made of another server's data. While it is there, only who makes the directory
// opens it.
const UnfinishedName = "clone.unfinished"

// checkFinished refuses a directory that is being made, or was when its maker ended.
func checkFinished(o *Options) error {
	if o.Unfinished {
		return nil
	}
	_, err := o.FS.Stat(o.FS.PathJoin(o.Dir, UnfinishedName))
	switch {
	case err == nil:
		return &OpenError{Dir: o.Dir, Op: "open", Kind: ErrFormat, Unchanged: true,
			Err:  fmt.Errorf("it holds %q: its data is not complete", UnfinishedName),
			Hint: "wait for duramen clone; if that has ended, remove the directory and clone again"}
	case !oserror.IsNotExist(err):
		return &OpenError{Dir: o.Dir, Op: "open", Err: err, Unchanged: true}
	}
	return nil
}

// checkEmpty refuses to initialise a directory that holds something which a
// server would not find in a fresh one: data of another server, most likely.
func checkEmpty(fs vfs.FS, dir string) error {
	names, err := fs.List(dir)
	if err != nil {
		return &OpenError{Dir: dir, Op: "list", Err: err}
	}
	for _, name := range names {
		if !harmless(name) {
			return &OpenError{Dir: dir, Op: "initialise", Kind: ErrFormat,
				Err:  fmt.Errorf("it has no %s file, but holds %q", formatName, name),
				Hint: "give an empty directory, or one made by Duramen"}
		}
	}
	return nil
}

// harmless names the files that may lie in a directory before its first use.
func harmless(name string) bool {
	switch name {
	case lockName, formatTemp, UnfinishedName, "lost+found":
		return true
	}
	switch path.Ext(name) {
	case ".sock", ".lock", ".pid", ".cnf", ".log", ".err", ".pem":
		return true
	}
	return false
}
