package follow

import (
	"errors"
	"fmt"
	"net"
	"os"
	"runtime"
	"strings"
	"syscall"

	mysqlclient "github.com/go-mysql-org/go-mysql/mysql"

	"github.com/duramendb/duramen/replication/replica/primary"
)

// Error numbers: those of servers and, from 2000 on, of MariaDB's client library.
const (
	erOutOfResources    = 1041
	erNetPacketTooLarge = 1153
	erMasterFatal       = 1236
	erIncident          = 1590
	erSlaveFatal        = 1593
	erUnreadable        = 1594
	erMasterCommand     = 1597
	erHeartbeat         = 1623
	erNetworkChecksum   = 1743

	erUnknownSystemVariable = 1193

	crConnHostError    = 2003
	crUnknownHost      = 2005
	crServerLost       = 2013
	crSSLConnection    = 2026
	crMalformedPacket  = 2027
	crAuthPluginCannot = 2059
)

// textMax is how much SHOW SLAVE STATUS shows of an error.
const textMax = 1024

func fail(number uint16, retry bool, cause error, format string, args ...any) *primary.Error {
	text := fmt.Sprintf(format, args...)
	return &primary.Error{Number: number, Text: text[:min(len(text), textMax)], Retry: retry, Cause: cause}
}

// fatal is an error after which nobody tries again.
func fatal(format string, args ...any) *primary.Error {
	return fail(erSlaveFatal, false, nil, "Fatal error: "+format, args...)
}

// lost is an error of the connection after which one connects again.
func lost(cause error) *primary.Error {
	return fail(crServerLost, true, cause, "Lost connection to server during query")
}

// connecting is why a connection did not come about.
func connecting(o *Options, number uint16, message string, cause error) *primary.Error {
	verb := "connecting"
	if o.Reconnects {
		verb = "reconnecting"
	}
	return fail(number, true, cause, "error %s to master '%s' - retry-time: %d  maximum-retries: %d  message: %s",
		verb, o.who(), int64(o.Settings.ConnectRetry.Seconds()), o.Settings.RetryCount, message)
}

// connectError puts an error of dialling or of the handshake into the words of MariaDB's client library.
func connectError(o *Options, err error) *primary.Error {
	var mine *primary.Error
	if errors.As(err, &mine) {
		return mine
	}
	var theirs *mysqlclient.MyError
	if errors.As(err, &theirs) {
		return connecting(o, theirs.Code, theirs.Message, err)
	}
	host := o.Settings.Host
	var dns *net.DNSError
	if errors.As(err, &dns) {
		return connecting(o, crUnknownHost, fmt.Sprintf("Unknown server host '%.100s' (-2)", host), err)
	}
	var op *net.OpError
	if errors.As(err, &op) && op.Op == "dial" {
		return connecting(o, crConnHostError, fmt.Sprintf("Can't connect to server on '%.100s' (%s)", host, systemError(err)), err)
	}
	text := err.Error()
	switch {
	case strings.Contains(text, "auth plugin"):
		return connecting(o, crAuthPluginCannot, text, err)
	case strings.Contains(text, "x509:"), strings.Contains(text, "tls:"), strings.Contains(text, "TLS"):
		return connecting(o, crSSLConnection, fmt.Sprintf("SSL connection error: %.100s", innermost(err)), err)
	}
	return connecting(o, crServerLost, "Lost connection to server at 'handshake', system error: "+systemError(err), err)
}

// systemError is the errno behind err as MariaDB prints it.
func systemError(err error) string {
	var errno syscall.Errno
	switch {
	case errors.As(err, &errno):
		text := errno.Error()
		return fmt.Sprintf("%d %q", int(errno), strings.ToUpper(text[:1])+text[1:])
	case errors.Is(err, os.ErrDeadlineExceeded), os.IsTimeout(err):
		return `110 "Connection timed out"`
	}
	return fmt.Sprintf("0 %q", innermost(err).Error())
}

func innermost(err error) error {
	for {
		next := errors.Unwrap(err)
		if next == nil {
			return err
		}
		err = next
	}
}

// guarded runs code of the client library, which indexes into packets without looking at their length first.
func guarded(f func() error) (err error) {
	defer func() {
		if r := recover(); r != nil {
			bug, ok := r.(runtime.Error)
			if !ok {
				panic(r)
			}
			err = fail(crMalformedPacket, true, bug, "Malformed packet")
		}
	}()
	return f()
}
