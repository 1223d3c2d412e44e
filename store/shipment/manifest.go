package shipment

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// Version is that of the rows; a receiver takes no other one.
const Version = 1

// ChunkBytes is the most that a row has of a file.
const ChunkBytes = 1 << 20

var (
	// ErrDamaged is wrapped by errors about rows that are not those that were sent.
	ErrDamaged = errors.New("shipment: damaged")
	// ErrUnsuitable is wrapped by errors about a shipment that is of no use to the receiver: of another version, or with other files than it takes.
	ErrUnsuitable = errors.New("shipment: unsuitable")
)

// Row is a row of the result.
type Row struct {
	File   string // "" for the manifest and the end
	Offset uint64
	Data   []byte
	Sum    uint32
}

// Manifest is what a shipment begins with.
type Manifest struct {
	// Version is Version.
	Version int `json:"version"`
	// Format is store.FormatVersion of the sender, and Server its version for people.
	Format int    `json:"format"`
	Server string `json:"server"`
	// Basename is the name of the log's files before the number.
	Basename string `json:"log_basename"`
	// LogFile and Position are the place in the log that the copy is of, and Point what is known there in GTIDs (gtid.Point).
	LogFile  string `json:"log_file"`
	Position uint64 `json:"position"`
	Point    string `json:"point"`
	// Files are all files.
	Files []File `json:"files"`
}

// File is a file of a shipment.
type File struct {
	// Name is its path in the data directory: a name, or a directory, a slash and a name.
	Name  string `json:"name"`
	Bytes int64  `json:"bytes"`
}

// end is what a shipment ends with.
type end struct {
	// Sums are the CRC-32s of the files, in their order.
	Sums []uint32 `json:"sums"`
}

// Accepts says what a receiver takes.
type Accepts struct {
	// Format is store.FormatVersion, and Basename the name of the log's files before the number, of the receiver.
	Format   int
	Basename string
	// Dirs are the directories that files may be in.
	Dirs []string
}

// Bytes is the size of all files.
func (m *Manifest) Bytes() (n int64) {
	for _, f := range m.Files {
		n += f.Bytes
	}
	return n
}

// check refuses what is of no use, and names that no sender has.
func (m *Manifest) check(a *Accepts) error {
	switch {
	case m.Version != Version:
		return fmt.Errorf("%w: it has version %d, where %d is known", ErrUnsuitable, m.Version, Version)
	case m.Format != a.Format:
		return fmt.Errorf("%w: its data directory has format %d, and this version of Duramen writes %d", ErrUnsuitable, m.Format, a.Format)
	case m.Basename != a.Basename:
		return fmt.Errorf("%w: its log has the name %q (log_bin), and that of the new server is %q", ErrUnsuitable, m.Basename, a.Basename)
	case len(m.Files) == 0:
		return fmt.Errorf("%w: no files", ErrDamaged)
	}
	there := map[string]bool{}
	for _, f := range m.Files {
		if !a.takes(f.Name) {
			return fmt.Errorf("%w: it has a file %q, which no data directory has", ErrUnsuitable, f.Name)
		}
		if f.Bytes < 0 || there[f.Name] {
			return fmt.Errorf("%w: file %q, %d bytes", ErrDamaged, f.Name, f.Bytes)
		}
		there[f.Name] = true
	}
	return nil
}

// plain are the names of files in an engine's directory.
var plain = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]*$`)

// number is what stands behind the basename of a log's file.
var number = regexp.MustCompile(`^\.(index|[0-9]{6,20})$`)

// takes says whether a file may have a name.
func (a *Accepts) takes(name string) bool {
	if dir, file, deep := strings.Cut(name, "/"); deep {
		return slices.Contains(a.Dirs, dir) && plain.MatchString(file)
	}
	of, found := strings.CutPrefix(name, a.Basename)
	return name == "FORMAT" || found && !strings.ContainsAny(a.Basename, "/\\\x00") && number.MatchString(of)
}
