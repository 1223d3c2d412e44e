package slowdisk

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/hanwen/go-fuse/v2/fs"
	"github.com/hanwen/go-fuse/v2/fuse"
	"golang.org/x/sys/unix"
)

// root is the directory of the FUSE file system.
type root struct {
	fs.Inode
	image   string
	latency atomic.Int64 // nanoseconds
	flushes atomic.Uint64
}

var _ fs.NodeOnAdder = (*root)(nil)

func (r *root) OnAdd(ctx context.Context) {
	r.AddChild(diskName, r.NewPersistentInode(ctx, &disk{root: r}, fs.StableAttr{Mode: syscall.S_IFREG}), true)
	r.AddChild(latencyName, r.NewPersistentInode(ctx, &text{read: r.readLatency, write: r.writeLatency}, fs.StableAttr{Mode: syscall.S_IFREG}), true)
	r.AddChild(flushesName, r.NewPersistentInode(ctx, &text{read: func() string { return fmt.Sprintln(r.flushes.Load()) }}, fs.StableAttr{Mode: syscall.S_IFREG}), true)
}

func (r *root) readLatency() string { return time.Duration(r.latency.Load()).String() + "\n" }

func (r *root) writeLatency(s string) error {
	d, err := time.ParseDuration(strings.TrimSpace(s))
	if err == nil {
		err = validLatency(d)
	}
	if err != nil {
		return err
	}
	r.latency.Store(int64(d))
	return nil
}

// flush is what a flush of the device does.
func (r *root) flush() {
	began := time.Now()
	r.flushes.Add(1)
	waitUntil(began.Add(time.Duration(r.latency.Load())))
}

// waitUntil waits more exactly than Go's timers do: threads may otherwise be
// woken 50 µs late.
func waitUntil(t time.Time) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	// Without it the wait is less exact; nothing else follows.
	_ = unix.Prctl(unix.PR_SET_TIMERSLACK, 1, 0, 0, 0)
	for left := time.Until(t); left > 0; left = time.Until(t) {
		ts := unix.NsecToTimespec(int64(left))
		_ = unix.Nanosleep(&ts, nil) // a signal may end it early: the loop looks again
	}
}

// disk is the file that the loop device is on.
type disk struct {
	fs.Inode
	root *root
}

var (
	_ fs.NodeOpener    = (*disk)(nil)
	_ fs.NodeGetattrer = (*disk)(nil)
)

func (d *disk) Open(_ context.Context, flags uint32) (fs.FileHandle, uint32, syscall.Errno) {
	f, err := os.OpenFile(d.root.image, os.O_RDWR, 0)
	if err != nil {
		return nil, 0, fs.ToErrno(err)
	}
	return &openDisk{LoopbackFile: fs.NewLoopbackFileFromOS(f), root: d.root}, 0, 0
}

func (d *disk) Getattr(_ context.Context, _ fs.FileHandle, out *fuse.AttrOut) syscall.Errno {
	var st syscall.Stat_t
	if err := syscall.Stat(d.root.image, &st); err != nil {
		return fs.ToErrno(err)
	}
	out.Mode, out.Size, out.Blocks, out.Blksize = syscall.S_IFREG|0o600, uint64(st.Size), uint64(st.Blocks), 4096
	return 0
}

// openDisk is the image's file, except that a sync takes its time.
type openDisk struct {
	*fs.LoopbackFile
	root *root
}

var _ fs.FileFsyncer = (*openDisk)(nil)

func (f *openDisk) Fsync(context.Context, uint32) syscall.Errno {
	f.root.flush()
	return 0
}

// text is a small file that is made when it is read, and understood when it is written.
type text struct {
	fs.Inode
	read  func() string
	write func(string) error // nil: not writable
}

var (
	_ fs.NodeOpener    = (*text)(nil)
	_ fs.NodeGetattrer = (*text)(nil)
	_ fs.NodeSetattrer = (*text)(nil)
	_ fs.NodeReader    = (*text)(nil)
	_ fs.NodeWriter    = (*text)(nil)
)

func (t *text) Open(context.Context, uint32) (fs.FileHandle, uint32, syscall.Errno) {
	return nil, fuse.FOPEN_DIRECT_IO, 0 // never from the page cache
}

func (t *text) Getattr(_ context.Context, _ fs.FileHandle, out *fuse.AttrOut) syscall.Errno {
	out.Mode = syscall.S_IFREG | 0o400
	if t.write != nil {
		out.Mode |= 0o200
	}
	out.Size = uint64(len(t.read()))
	return 0
}

// Setattr lets O_TRUNC pass: a write replaces everything anyway.
func (t *text) Setattr(ctx context.Context, f fs.FileHandle, _ *fuse.SetAttrIn, out *fuse.AttrOut) syscall.Errno {
	return t.Getattr(ctx, f, out)
}

func (t *text) Read(_ context.Context, _ fs.FileHandle, dest []byte, off int64) (fuse.ReadResult, syscall.Errno) {
	s := t.read()
	s = s[min(off, int64(len(s))):]
	return fuse.ReadResultData(dest[:copy(dest, s)]), 0
}

func (t *text) Write(_ context.Context, _ fs.FileHandle, data []byte, off int64) (uint32, syscall.Errno) {
	if t.write == nil {
		return 0, syscall.EACCES
	}
	if off != 0 || t.write(string(data)) != nil {
		return 0, syscall.EINVAL
	}
	return uint32(len(data)), 0
}
