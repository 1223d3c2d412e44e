package gms

import (
	"io"

	"github.com/dolthub/go-mysql-server/sql/analyzer"
	"github.com/sirupsen/logrus"
)

// QuietLibraries keeps go-mysql-server, which logs through logrus's standard logger and one of its own, from
// writing to the server's log what the server has returned as errors. It is for the process that is a
// server, not for one that embeds it, whose logger may be that one.
func QuietLibraries() {
	analyzer.SetOutput(io.Discard)
	logrus.SetLevel(logrus.PanicLevel)
}
