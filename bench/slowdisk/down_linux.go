package slowdisk

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// ErrInUse is returned by Down while programs use the disk. Nothing has changed then.
var ErrInUse = errors.New("the disk is in use: end the programs that have files open on it")

// Down unmounts a disk and removes everything of it, its contents as well. It also
// clears away what a failed or killed Up or serving process has left.
func Down(dir string) error {
	if os.Geteuid() != 0 {
		return errors.New("taking down a slow disk needs root, to unmount")
	}
	p, err := pathsOf(dir)
	if err != nil {
		return err
	}
	if _, err := os.Stat(p.marker()); err != nil {
		return fmt.Errorf("no slow disk is up on %s: %w", p.dir, err)
	}
	return p.takeDown()
}

func (p paths) takeDown() error {
	devices, err := attached(p.disk())
	if err != nil {
		return err
	}
	if err := p.unmountDevices(devices); err != nil {
		return err
	}
	for _, d := range devices {
		if err := detach(d); err != nil {
			return err
		}
	}
	// Detaching goes on in the kernel for a moment.
	if err := await(func() (bool, error) {
		devices, err := attached(p.disk())
		return len(devices) == 0, err
	}); err != nil {
		return fmt.Errorf("loop device %s is still attached: %w", strings.Join(devices, ", "), err)
	}
	if err := p.unmountFuse(); err != nil {
		return err
	}
	if err := await(p.unlocked); err != nil {
		return fmt.Errorf("the serving process does not end: %w", err)
	}
	if _, err := os.Stat(p.madeDir()); err == nil {
		if err := os.Remove(p.dir); err != nil && !errors.Is(err, os.ErrNotExist) {
			return err
		}
	}
	return os.RemoveAll(p.backing)
}

// unmountDevices unmounts the file system wherever it is mounted.
func (p paths) unmountDevices(devices []string) error {
	text, err := os.ReadFile("/proc/self/mountinfo")
	if err != nil {
		return err
	}
	for _, m := range parseMounts(string(text)) {
		for _, d := range devices {
			if m.source != d {
				continue
			}
			if err := unix.Unmount(m.dir, 0); errors.Is(err, unix.EBUSY) {
				return fmt.Errorf("unmount %s: %w", m.dir, ErrInUse)
			} else if err != nil {
				return fmt.Errorf("unmount %s: %w", m.dir, err)
			}
		}
	}
	return nil
}

// unmountFuse ends the serving process, if it still lives: it ends when it is unmounted.
func (p paths) unmountFuse() error {
	list, err := mounts(p.fuse())
	if err != nil {
		return err
	}
	for range list {
		// The loop device lets go of its file a moment after it is gone itself.
		err := await(func() (bool, error) {
			err := unix.Unmount(p.fuse(), 0)
			if errors.Is(err, unix.EBUSY) {
				return false, nil
			}
			return true, err
		})
		if err != nil {
			return fmt.Errorf("unmount %s: %w", p.fuse(), err)
		}
	}
	return nil
}

// unlocked says whether the serving process has ended.
func (p paths) unlocked() (bool, error) {
	f, err := os.OpenFile(p.lock(), os.O_RDWR, 0)
	if errors.Is(err, os.ErrNotExist) {
		return true, nil // it never came that far
	}
	if err != nil {
		return false, err
	}
	defer f.Close()
	err = unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB)
	if errors.Is(err, unix.EWOULDBLOCK) {
		return false, nil
	}
	return err == nil, err
}

// await asks until it is done, for 10 seconds at most.
func await(done func() (bool, error)) error {
	for deadline := time.Now().Add(10 * time.Second); ; {
		ok, err := done()
		if ok || err != nil {
			return err
		}
		if time.Now().After(deadline) {
			return errors.New("it took more than 10 seconds")
		}
		time.Sleep(10 * time.Millisecond)
	}
}
