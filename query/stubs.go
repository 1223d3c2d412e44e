package query

import (
	"context"
	"errors"

	"github.com/dolthub/vitess/go/sqltypes"
)

var errBuilding = errors.New("being built")

type Session struct{}
type Stmt struct {
	ParamCount int
	Columns    []Column // nil for a statement without rows
}

func New(cfg Config) (*Engine, error)                                { return nil, errBuilding }
func (e *Engine) Close() error                                       { return errBuilding }
func (e *Engine) Auth(user, host string) (Account, bool)             { return Account{}, false }
func (e *Engine) NewSession(ci ConnInfo) (*Session, error)           { return nil, errBuilding }
func (e *Engine) Kill(id uint32, queryOnly bool) bool                { return false }
func (e *Engine) RegisterReplica(connID uint32, info ReplicaInfo)    {}
func (e *Engine) UnregisterReplica(connID uint32)                    {}
func (e *Engine) GlobalUint(name string) uint64                      { return 0 }
func (e *Engine) GlobalString(name string) string                    { return "" }
func (e *Engine) NextConnectionID() uint32                           { return 0 }
func (e *Engine) CountStatus(name string, delta int64)               {}
func (s *Session) ID() uint32                                        { return 0 }
func (s *Session) StatusFlags() uint16                               { return 0 }
func (s *Session) Close()                                            {}
func (s *Session) Reset(ctx context.Context) error                   { return errBuilding }
func (s *Session) ChangeUser(ctx context.Context, ci ConnInfo) error { return errBuilding }
func (s *Session) UseDB(ctx context.Context, name string) error      { return errBuilding }
func (s *Session) FieldList(ctx context.Context, table, wildcard string) ([]Column, error) {
	return nil, errBuilding
}
func (s *Session) UserVar(name string) (value string, ok bool)                    { return "", false }
func (s *Session) VarUint(name string) uint64                                     { return 0 }
func (s *Session) VarString(name string) string                                   { return "" }
func (s *Session) SetMultiStatements(on bool)                                     {}
func (s *Session) SetState(command, state string)                                 {}
func (s *Session) CanReplicate() error                                            { return nil }
func (s *Session) Execute(ctx context.Context, sql string, sink ResultSink) error { return errBuilding }
func (s *Session) Prepare(ctx context.Context, sql string) (*Stmt, error)         { return nil, errBuilding }
func (s *Session) ExecuteStmt(ctx context.Context, st *Stmt, params []sqltypes.Value, sink ResultSink) error {
	return errBuilding
}
func (s *Session) CloseStmt(st *Stmt) {}
func (s *Session) Statistics() string { return "" }
