package server

import (
	"github.com/duramendb/duramen/binlog"
	"github.com/duramendb/duramen/logpos"
)

// Log is the binary log, for readers within the program.
func (s *Server) Log() *binlog.Log { return s.store.Log() }

// SetAfterSync has hook called with the end of each commit group that is durable and not acknowledged yet; see
// commit.Config.
func (s *Server) SetAfterSync(hook func(end logpos.Pos)) { s.store.Pipeline().SetAfterSync(hook) }
