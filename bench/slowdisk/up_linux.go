package slowdisk

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// Supported tells why a slow disk cannot be made here; nil if it can.
func Supported() error {
	if os.Geteuid() != 0 {
		return errors.New("a slow disk needs root, to mount")
	}
	for _, name := range []string{"/dev/fuse", "/dev/loop-control"} {
		f, err := os.OpenFile(name, os.O_RDWR, 0)
		if err != nil {
			return fmt.Errorf("a slow disk needs %s: %w", name, err)
		}
		if err := f.Close(); err != nil {
			return err
		}
	}
	if _, err := exec.LookPath("mkfs.ext4"); err != nil {
		return fmt.Errorf("a slow disk needs mkfs.ext4 (package e2fsprogs): %w", err)
	}
	return nil
}

// Up makes a disk, and mounts it on o.Dir. It returns the name of the loop device. If it
// fails, or ctx ends it, nothing of it is left.
func Up(ctx context.Context, o Options) (device string, err error) {
	o.ensureDefaults()
	if err := o.validate(); err != nil {
		return "", err
	}
	if err := Supported(); err != nil {
		return "", err
	}
	p, err := pathsOf(o.Dir)
	if err != nil {
		return "", err
	}
	if err := p.prepare(o.Size); err != nil {
		return "", err
	}
	defer func() {
		if err != nil {
			if derr := p.takeDown(); derr != nil {
				err = errors.Join(err, fmt.Errorf("cleaning up: %w", derr))
			}
		}
	}()
	if err := p.makeMountPoint(); err != nil {
		return "", err
	}
	if err := p.serve(ctx, o.Serve); err != nil {
		return "", err
	}
	device, err = attach(p.disk())
	if err != nil {
		return "", err
	}
	// Everything that ext4 would do lazily later is done now, while flushes take no time.
	mkfs := exec.CommandContext(ctx, "mkfs.ext4", "-q", "-F", "-E", "nodiscard,lazy_itable_init=0,lazy_journal_init=0", device)
	if out, err := mkfs.CombinedOutput(); err != nil {
		return "", fmt.Errorf("%s: %w: %s", mkfs, err, strings.TrimSpace(string(out)))
	}
	if err := unix.Mount(device, p.dir, "ext4", unix.MS_NOATIME, ""); err != nil {
		return "", fmt.Errorf("mount %s on %s: %w", device, p.dir, err)
	}
	return device, p.set(o.Latency)
}

// prepare makes the backing directory with the image.
func (p paths) prepare(size int64) (err error) {
	if err := os.Mkdir(p.backing, 0o700); err != nil {
		if errors.Is(err, os.ErrExist) {
			return fmt.Errorf("%s exists: the disk is up, or something was left of it; take it down first", p.backing)
		}
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.RemoveAll(p.backing))
		}
	}()
	if err := os.WriteFile(p.marker(), nil, 0o600); err != nil {
		return err
	}
	if err := os.Mkdir(p.fuse(), 0o700); err != nil {
		return err
	}
	f, err := os.OpenFile(p.image(), os.O_CREATE|os.O_EXCL|os.O_RDWR, 0o600)
	if err != nil {
		return err
	}
	err = f.Truncate(size)
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	return err
}

// makeMountPoint makes sure that the mount point is an empty directory.
func (p paths) makeMountPoint() error {
	err := os.Mkdir(p.dir, 0o755)
	if err == nil {
		return os.WriteFile(p.madeDir(), nil, 0o600)
	}
	if !errors.Is(err, os.ErrExist) {
		return err
	}
	entries, err := os.ReadDir(p.dir)
	if err != nil {
		return err
	}
	if list, err := mounts(p.dir); err != nil || len(list) > 0 {
		return errors.Join(err, fmt.Errorf("%s is a mount point already", p.dir))
	}
	if len(entries) > 0 {
		return fmt.Errorf("%s is not empty", p.dir)
	}
	return nil
}

// serve starts the process of the FUSE file system, and waits until it is mounted.
func (p paths) serve(ctx context.Context, command []string) error {
	r, w, err := os.Pipe()
	if err != nil {
		return err
	}
	defer r.Close()
	log, err := os.OpenFile(p.log(), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return errors.Join(err, w.Close())
	}
	defer log.Close()
	const fd = 3 // the first of ExtraFiles
	cmd := exec.Command(command[0], append(command[1:len(command):len(command)], p.backing, strconv.Itoa(fd))...)
	cmd.Dir = "/"
	cmd.Stdout, cmd.Stderr = log, log
	cmd.ExtraFiles = []*os.File{w}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	err = cmd.Start()
	if cerr := w.Close(); err == nil {
		err = cerr
	}
	if err != nil {
		return fmt.Errorf("start the serving process: %w", err)
	}
	if err := p.awaitReady(ctx, r); err != nil {
		_ = cmd.Process.Kill() // it may have ended already
		_ = cmd.Wait()
		return err
	}
	// It lives on after this process; while both live, nobody else collects it.
	go func() { _ = cmd.Wait() }()
	return nil
}

// awaitReady reads what the serving process says.
func (p paths) awaitReady(ctx context.Context, r *os.File) error {
	stop := context.AfterFunc(ctx, func() { _ = r.Close() })
	defer stop()
	said, err := io.ReadAll(r)
	switch word := strings.TrimSpace(string(said)); {
	case ctx.Err() != nil:
		return ctx.Err()
	case err != nil:
		return fmt.Errorf("wait for the serving process: %w", err)
	case word == "":
		text, _ := os.ReadFile(p.log()) // the best that is known; it may be empty
		return fmt.Errorf("the serving process ended at once: %s", strings.TrimSpace(string(text)))
	case word != readyWord:
		return errors.New(word)
	}
	return nil
}

// Set changes the latency of the flushes of a disk that is up.
func Set(dir string, latency time.Duration) error {
	if err := validLatency(latency); err != nil {
		return err
	}
	p, err := pathsOf(dir)
	if err != nil {
		return err
	}
	return p.set(latency)
}

func (p paths) set(latency time.Duration) error {
	f, err := os.OpenFile(p.latency(), os.O_WRONLY, 0)
	if err != nil {
		return fmt.Errorf("no slow disk is up on %s: %w", p.dir, err)
	}
	_, err = f.WriteString(latency.String())
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	return err
}

// Flushes is how many flushes the device of a disk has had since it is up.
func Flushes(dir string) (uint64, error) {
	p, err := pathsOf(dir)
	if err != nil {
		return 0, err
	}
	b, err := os.ReadFile(p.flushes())
	if err != nil {
		return 0, fmt.Errorf("no slow disk is up on %s: %w", p.dir, err)
	}
	return strconv.ParseUint(strings.TrimSpace(string(b)), 10, 64)
}
