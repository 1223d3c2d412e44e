package gms

import "github.com/dolthub/go-mysql-server/sql"

// processList shows the sessions to go-mysql-server (information_schema.PROCESSLIST).
// Sessions keep track of their statements themselves.
type processList struct{ engine *Engine }

var _ sql.ProcessList = processList{}

// Processes implements sql.ProcessList.
func (l processList) Processes() []sql.Process {
	var out []sql.Process
	for _, p := range l.engine.config.Processes() {
		out = append(out, sql.Process{
			StartedAt: p.Since, Host: p.Host, Database: p.DB, User: p.User, Command: sql.ProcessCommand(p.Command),
			Query: p.Query, QueryPid: uint64(p.ID), Connection: p.ID, Kill: func() {},
		})
	}
	return out
}

// Kill implements sql.ProcessList.
func (l processList) Kill(id uint32) { l.engine.config.Kill(id, true) }

// The rest of sql.ProcessList has nothing to do here.

// AddConnection implements sql.ProcessList.
func (processList) AddConnection(uint32, string) {}

// ConnectionReady implements sql.ProcessList.
func (processList) ConnectionReady(sql.Session) {}

// RemoveConnection implements sql.ProcessList.
func (processList) RemoveConnection(uint32) {}

// BeginQuery implements sql.ProcessList.
func (processList) BeginQuery(ctx *sql.Context, _ string) (*sql.Context, error) { return ctx, nil }

// EndQuery implements sql.ProcessList.
func (processList) EndQuery(*sql.Context) {}

// BeginOperation implements sql.ProcessList.
func (processList) BeginOperation(ctx *sql.Context) (*sql.Context, error) { return ctx, nil }

// EndOperation implements sql.ProcessList.
func (processList) EndOperation(*sql.Context) {}

// UpdateTableProgress implements sql.ProcessList.
func (processList) UpdateTableProgress(uint64, string, int64) {}

// UpdatePartitionProgress implements sql.ProcessList.
func (processList) UpdatePartitionProgress(uint64, string, string, int64) {}

// AddTableProgress implements sql.ProcessList.
func (processList) AddTableProgress(uint64, string, int64) {}

// AddPartitionProgress implements sql.ProcessList.
func (processList) AddPartitionProgress(uint64, string, string, int64) {}

// RemoveTableProgress implements sql.ProcessList.
func (processList) RemoveTableProgress(uint64, string) {}

// RemovePartitionProgress implements sql.ProcessList.
func (processList) RemovePartitionProgress(uint64, string, string) {}
