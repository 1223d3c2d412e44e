//go:build !linux

package slowdisk

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"time"
)

var errNotLinux = fmt.Errorf("a slow disk needs Linux (FUSE and loop devices), this is %s: %w", runtime.GOOS, errors.ErrUnsupported)

// ErrInUse is returned by Down while programs use the disk.
var ErrInUse = errors.New("the disk is in use")

// Supported returns errors.ErrUnsupported, as everything here does.
func Supported() error { return errNotLinux }

// Up makes a disk, elsewhere.
func Up(context.Context, Options) (string, error) { return "", errNotLinux }

// Down removes a disk, elsewhere.
func Down(string) error { return errNotLinux }

// Set changes the latency, elsewhere.
func Set(string, time.Duration) error { return errNotLinux }

// Flushes counts flushes, elsewhere.
func Flushes(string) (uint64, error) { return 0, errNotLinux }

// Serve runs the file system, elsewhere.
func Serve([]string) error { return errNotLinux }
