package server

import (
	"github.com/duramendb/duramen/query"
	"github.com/duramendb/duramen/query/session"
	"github.com/duramendb/duramen/wire"
)

// backend is the query engine and the log as package wire sees them.
type backend struct {
	*query.Engine
	s     *Server
	dumps dumps
}

var (
	_ wire.Backend = (*backend)(nil)
	_ wire.Session = (*query.Session)(nil)
)

// NewSession implements wire.Backend.
func (b *backend) NewSession(info session.ConnInfo) (wire.Session, error) {
	session, err := b.Engine.NewSession(info)
	if err != nil {
		return nil, err
	}
	return session, nil
}
