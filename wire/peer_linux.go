package wire

import (
	"syscall"

	"golang.org/x/sys/unix"
)

// peerClosed asks the kernel, without reading, whether the other side has
// closed the connection, even if bytes from before that are still unread.
func peerClosed(raw syscall.RawConn) bool {
	closed := false
	err := raw.Control(func(fd uintptr) {
		fds := []unix.PollFd{{Fd: int32(fd), Events: unix.POLLRDHUP}}
		n, err := unix.Poll(fds, 0)
		closed = err == nil && n > 0 && fds[0].Revents&(unix.POLLRDHUP|unix.POLLHUP|unix.POLLERR) != 0
	})
	// Control fails on a connection that we have closed ourselves.
	return err == nil && closed
}
