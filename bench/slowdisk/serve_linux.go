package slowdisk

import (
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"

	"github.com/hanwen/go-fuse/v2/fs"
	"github.com/hanwen/go-fuse/v2/fuse"
	"golang.org/x/sys/unix"
)

// Serve runs the FUSE file system until it is unmounted. args are what Up has added to Options.Serve: the
// backing directory, and the descriptor of a pipe that is told when it is mounted, or what is wrong.
func Serve(args []string) error {
	if len(args) != 2 {
		return fmt.Errorf("slowdisk: %d arguments for the serving process, 2 are needed", len(args))
	}
	fd, err := strconv.Atoi(args[1])
	if err != nil {
		return fmt.Errorf("slowdisk: descriptor %q: %w", args[1], err)
	}
	pipe := os.NewFile(uintptr(fd), "ready")
	if pipe == nil {
		return fmt.Errorf("slowdisk: descriptor %d is not open", fd)
	}
	server, lock, err := mountFuse(paths{backing: args[0]})
	if err != nil {
		// If nobody listens, the error is returned all the same.
		_, _ = fmt.Fprintln(pipe, err)
		_ = pipe.Close()
		return err
	}
	// The process keeps the lock until it ends, so that who has the lock knows that it has.
	defer runtime.KeepAlive(lock)
	if _, err := fmt.Fprintln(pipe, readyWord); err != nil {
		_ = server.Unmount()
		return fmt.Errorf("slowdisk: nobody waits for the mount: %w", err)
	}
	if err := pipe.Close(); err != nil {
		return err
	}
	// It belongs to the disk, not to a terminal or a session. It ends when it is unmounted.
	signal.Ignore(syscall.SIGINT, syscall.SIGHUP, syscall.SIGTERM)
	server.Wait()
	return nil
}

// readyWord is what the pipe is told when all is well.
const readyWord = "ready"

func mountFuse(p paths) (*fuse.Server, *os.File, error) {
	lock, err := os.OpenFile(p.lock(), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, nil, err
	}
	if err := unix.Flock(int(lock.Fd()), unix.LOCK_EX|unix.LOCK_NB); err != nil {
		_ = lock.Close()
		return nil, nil, fmt.Errorf("lock %s: %w", p.lock(), err)
	}
	server, err := fs.Mount(p.fuse(), &root{image: p.image()}, &fs.Options{MountOptions: fuse.MountOptions{
		// The kernel's mount call, not fusermount: this is root, and not every system has it.
		DirectMountStrict: true, FsName: p.image(), Name: "slowdisk",
	}})
	if err != nil {
		_ = lock.Close()
		return nil, nil, fmt.Errorf("mount the FUSE file system on %s: %w", p.fuse(), err)
	}
	return server, lock, nil
}

// mounted is one line of /proc/self/mountinfo.
type mounted struct{ dir, fs, source string }

// mounts lists what is mounted on dir.
func mounts(dir string) ([]mounted, error) {
	text, err := os.ReadFile("/proc/self/mountinfo")
	if err != nil {
		return nil, err
	}
	var list []mounted
	for _, m := range parseMounts(string(text)) {
		if m.dir == filepath.Clean(dir) {
			list = append(list, m)
		}
	}
	return list, nil
}

// parseMounts reads a /proc/PID/mountinfo (proc(5)).
func parseMounts(text string) []mounted {
	var list []mounted
	for line := range strings.Lines(text) {
		mount, super, _ := strings.Cut(line, " - ")
		m, s := strings.Fields(mount), strings.Fields(super)
		if len(m) > 4 && len(s) > 1 {
			list = append(list, mounted{dir: unescape(m[4]), fs: s[0], source: unescape(s[1])})
		}
	}
	return list
}

// unescape undoes the octal numbers that stand for blanks.
func unescape(s string) string {
	return strings.NewReplacer(`\040`, " ", `\011`, "\t", `\012`, "\n", `\134`, `\`).Replace(s)
}
