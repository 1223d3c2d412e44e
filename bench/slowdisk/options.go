package slowdisk

import (
	"errors"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// Options of Up.
type Options struct {
	Dir     string        // where the file system is mounted; made if it does not exist
	Size    int64         // bytes of the device; 0 means 8 GiB. The image is sparse
	Latency time.Duration // of a flush
	// Serve is the command that calls Serve; the directory's name and a file descriptor are added
	// to it. It goes on running when Up has returned.
	Serve []string
}

const (
	sizeMin    = 16 << 20 // ext4 with a journal
	sizeNormal = 8 << 30
	latencyMax = 10 * time.Second
)

func (o *Options) ensureDefaults() {
	if o.Size == 0 {
		o.Size = sizeNormal
	}
}

func (o *Options) validate() error {
	if o.Dir == "" || len(o.Serve) == 0 {
		return errors.New("slowdisk: Options.Dir and Options.Serve must be set")
	}
	if o.Size < sizeMin {
		return fmt.Errorf("a disk of %d bytes: it must have at least %d", o.Size, sizeMin)
	}
	return validLatency(o.Latency)
}

func validLatency(d time.Duration) error {
	if d < 0 || d > latencyMax {
		return fmt.Errorf("a latency of %v: it must be from 0 to %v", d, latencyMax)
	}
	return nil
}

// ParseSize reads a number of bytes with an optional suffix K, M, G or T (powers of 1024).
func ParseSize(s string) (int64, error) {
	digits := strings.TrimRight(strings.ToUpper(strings.TrimSpace(s)), "IB")
	shift := 0
	if n := len(digits); n > 0 {
		if i := strings.IndexByte("KMGT", digits[n-1]); i >= 0 {
			digits, shift = digits[:n-1], 10*(i+1)
		}
	}
	n, err := strconv.ParseInt(digits, 10, 64)
	if err != nil || n < 0 || n > 1<<62>>shift {
		return 0, fmt.Errorf("%q is not a size like 512M or 8G", s)
	}
	return n << shift, nil
}

// paths are where everything of a disk is.
type paths struct {
	dir     string // the mount point
	backing string // everything else
}

func pathsOf(dir string) (paths, error) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return paths{}, err
	}
	// What the kernel says about mounts and loop devices has no symbolic links.
	if real, err := filepath.EvalSymlinks(filepath.Dir(abs)); err == nil {
		abs = filepath.Join(real, filepath.Base(abs))
	}
	return paths{dir: abs, backing: abs + ".slowdisk"}, nil
}

func (p paths) image() string   { return filepath.Join(p.backing, "image") }
func (p paths) fuse() string    { return filepath.Join(p.backing, "fuse") }
func (p paths) disk() string    { return filepath.Join(p.fuse(), diskName) }
func (p paths) latency() string { return filepath.Join(p.fuse(), latencyName) }
func (p paths) flushes() string { return filepath.Join(p.fuse(), flushesName) }

// marker says that the directory is ours to remove.
func (p paths) marker() string { return filepath.Join(p.backing, "slowdisk") }

// madeDir says that the mount point did not exist before.
func (p paths) madeDir() string { return filepath.Join(p.backing, "made-mount-point") }

// lock is held by the serving process.
func (p paths) lock() string { return filepath.Join(p.backing, "lock") }

// log is what the serving process has to say.
func (p paths) log() string { return filepath.Join(p.backing, "serve.log") }

// The files of the FUSE file system.
const (
	diskName    = "disk"
	latencyName = "latency"
	flushesName = "flushes"
)
