package replica

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/duramendb/duramen/replication/replica/primary"
)

// FileName is the file of the settings in the data directory.
const FileName = "replication.json"

const (
	temporarySuffix = ".tmp"
	fileVersion     = 1
)

// file is the content of the settings' file.
type file struct {
	Version     int
	Connections []fileConnection
}

type fileConnection struct {
	Name     string
	Settings primary.Settings
	// SlavePos is gtid_slave_pos when everything before Settings.Place was executed, or a little earlier.
	SlavePos string `json:",omitempty"`
}

// load reads the file; there may be none.
func load(cfg *Config) (*file, error) {
	path := cfg.FS.PathJoin(cfg.Dir, FileName)
	if err := cfg.FS.Remove(path + temporarySuffix); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("remove what a crash has left: %w", err)
	}
	f, err := cfg.FS.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return &file{Version: fileVersion}, nil
	}
	if err != nil {
		return nil, fmt.Errorf("open the settings of replication: %w", err)
	}
	text, err := io.ReadAll(f)
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	if err != nil {
		return nil, fmt.Errorf("read the settings of replication: %w", err)
	}
	out := &file{}
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(out); err != nil {
		return nil, fmt.Errorf("%s is not what this server writes (%w): mend it, or remove it and say CHANGE MASTER again", path, err)
	}
	if out.Version != fileVersion {
		return nil, fmt.Errorf("%s has version %d, this server knows %d: use the server that has written it, or remove it and say CHANGE MASTER again",
			path, out.Version, fileVersion)
	}
	return out, nil
}

// store writes the file, so that a crash leaves the old one or the new one.
func store(cfg *Config, content file) error {
	content.Version = fileVersion
	text, err := json.MarshalIndent(content, "", "  ")
	if err != nil {
		return err
	}
	path := cfg.FS.PathJoin(cfg.Dir, FileName)
	temporary := path + temporarySuffix
	f, err := cfg.FS.Create(temporary, vfs.WriteCategoryUnspecified)
	if err != nil {
		return fmt.Errorf("create %s: %w", temporary, err)
	}
	if f.Fd() != vfs.InvalidFd { // a file of the system's: passwords are going to be in it
		err = os.Chmod(temporary, 0o600)
	}
	if err == nil {
		_, err = f.Write(append(text, '\n'))
	}
	if err == nil {
		err = f.Sync()
	}
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	if err != nil {
		return fmt.Errorf("write %s: %w", temporary, err)
	}
	if err := cfg.FS.Rename(temporary, path); err != nil {
		return fmt.Errorf("rename %s: %w", temporary, err)
	}
	dir, err := cfg.FS.OpenDir(cfg.Dir)
	if err != nil {
		return fmt.Errorf("open %s: %w", cfg.Dir, err)
	}
	err = dir.Sync()
	if cerr := dir.Close(); err == nil {
		err = cerr
	}
	if err != nil {
		return fmt.Errorf("sync %s: %w", cfg.Dir, err)
	}
	return nil
}
