package server

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"strconv"
	"syscall"
	"time"
)

// maxSocketPath is what fits into a unix socket's address.
const maxSocketPath = 107

// listenTCP opens one listener per address.
func listenTCP(cfg *Config) ([]net.Listener, error) {
	var out []net.Listener
	closeAll := func() {
		for _, l := range out {
			_ = l.Close() // nothing was accepted yet
		}
	}
	port := cfg.Port
	for _, address := range cfg.Bind {
		host := address
		if host == "*" {
			host = ""
		}
		var lc net.ListenConfig
		l, err := lc.Listen(context.Background(), "tcp", net.JoinHostPort(host, strconv.Itoa(port)))
		if err != nil {
			closeAll()
			hint := ""
			switch {
			case errors.Is(err, syscall.EADDRINUSE):
				hint = fmt.Sprintf("Is another server running on port %d? Give another one with --port.", port)
			case errors.Is(err, syscall.EADDRNOTAVAIL):
				hint = "The address is none of this machine's; see --bind-address."
			case errors.Is(err, syscall.EACCES):
				hint = "Ports below 1024 need a privilege; give another one with --port."
			}
			return nil, &ExitError{Code: ExitListen, Err: fmt.Errorf("listen: %w", err), Hint: hint}
		}
		out = append(out, l)
		if port == 0 {
			// Every address gets the port that the system chose for the first.
			port = l.Addr().(*net.TCPAddr).Port
		}
	}
	cfg.Port = port
	return out, nil
}

// listenUnix opens the unix socket. The file of a server that has gone is
// replaced, that of a running one is not.
func listenUnix(path string) (net.Listener, error) {
	fail := func(err error, hint string) (net.Listener, error) {
		return nil, &ExitError{Code: ExitListen, Err: fmt.Errorf("listen on socket %s: %w", path, err), Hint: hint}
	}
	if len(path) > maxSocketPath {
		return fail(fmt.Errorf("the path has %d bytes, the system allows %d", len(path), maxSocketPath), "Give a shorter one with --socket.")
	}
	if info, err := os.Lstat(path); err == nil {
		if info.Mode()&fs.ModeSocket == 0 {
			return fail(errors.New("a file of that name exists and is no socket"), "Give another name with --socket.")
		}
		if peer, err := net.DialTimeout("unix", path, time.Second); err == nil {
			_ = peer.Close() // it has answered, which is all we want to know
			return fail(syscall.EADDRINUSE, "Another server uses it; give another name with --socket.")
		}
		if err := os.Remove(path); err != nil {
			return fail(err, "")
		}
	}
	var lc net.ListenConfig
	l, err := lc.Listen(context.Background(), "unix", path)
	if err != nil {
		return fail(err, "")
	}
	// Who may log in is decided by the accounts, as in MariaDB.
	if err := os.Chmod(path, 0o777); err != nil {
		_ = l.Close()
		return fail(err, "")
	}
	return l, nil
}
