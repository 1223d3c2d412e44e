//go:build !linux

package wire

import "syscall"

// peerClosed is not known on this system; the next write to the client tells.
func peerClosed(syscall.RawConn) bool { return false }
