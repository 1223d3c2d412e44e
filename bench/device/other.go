//go:build !linux

package device

import (
	"errors"
	"fmt"
	"runtime"
)

var errNotLinux = fmt.Errorf("measuring a device needs Linux, this is %s: %w", runtime.GOOS, errors.ErrUnsupported)

// Meter has nothing to read here.
type Meter struct{ Device, Why string }

// NewMeter gives a Meter that knows nothing.
func NewMeter(string) *Meter { return &Meter{Why: errNotLinux.Error()} }

// Read gives counters that are not known.
func (m *Meter) Read() Traffic { return Traffic{} }

// File cannot be opened here.
type File struct{}

// Open returns errors.ErrUnsupported, as everything here does.
func Open(string, Mode) (*File, error) { return nil, errNotLinux }

func create(string) (*File, error)          { return nil, errNotLinux }
func (f *File) WriteAt([]byte, int64) error { return errNotLinux }
func (f *File) Sync() error                 { return errNotLinux }
func (f *File) Close() error                { return errNotLinux }
func (f *File) syncAll() error              { return errNotLinux }
func (f *File) reserve(int64) error         { return errNotLinux }

// Settle returns errors.ErrUnsupported.
func Settle(string) error { return errNotLinux }

// Describe says on what machine this is.
func Describe(string) string {
	return fmt.Sprintf("%s, %d CPUs, %s", runtime.GOOS, runtime.NumCPU(), runtime.Version())
}
