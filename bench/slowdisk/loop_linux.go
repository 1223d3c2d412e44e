package slowdisk

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// attach makes a loop device of a file.
func attach(file string) (device string, err error) {
	f, err := os.OpenFile(file, os.O_RDWR, 0)
	if err != nil {
		return "", err
	}
	defer f.Close()
	control, err := os.OpenFile("/dev/loop-control", os.O_RDWR, 0)
	if err != nil {
		return "", err
	}
	defer control.Close()
	for {
		n, err := unix.IoctlRetInt(int(control.Fd()), unix.LOOP_CTL_GET_FREE)
		if err != nil {
			return "", fmt.Errorf("find a free loop device: %w", err)
		}
		device = "/dev/loop" + strconv.Itoa(n)
		err = configure(device, f)
		if errors.Is(err, unix.EBUSY) { // somebody was faster
			continue
		}
		if err != nil {
			return "", fmt.Errorf("attach %s to %s: %w", file, device, err)
		}
		return device, nil
	}
}

func configure(device string, f *os.File) error {
	d, err := os.OpenFile(device, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	defer d.Close()
	c := unix.LoopConfig{Fd: uint32(f.Fd())}
	copy(c.Info.File_name[:len(c.Info.File_name)-1], f.Name())
	return unix.IoctlLoopConfigure(int(d.Fd()), &c)
}

// attached lists the loop devices of a file.
func attached(file string) ([]string, error) {
	names, err := filepath.Glob("/sys/block/loop*/loop/backing_file")
	if err != nil {
		return nil, err
	}
	var list []string
	for _, name := range names {
		b, err := os.ReadFile(name)
		if err != nil {
			continue // detached meanwhile
		}
		if strings.TrimSuffix(string(b), "\n") == file {
			list = append(list, "/dev/"+filepath.Base(filepath.Dir(filepath.Dir(name))))
		}
	}
	return list, nil
}

// detach frees a loop device, now or when its last user goes.
func detach(device string) error {
	d, err := os.OpenFile(device, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	defer d.Close()
	if err := unix.IoctlSetInt(int(d.Fd()), unix.LOOP_CLR_FD, 0); err != nil && !errors.Is(err, unix.ENXIO) {
		return fmt.Errorf("detach %s: %w", device, err)
	}
	return nil
}
