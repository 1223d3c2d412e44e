package session

import (
	"github.com/duramendb/duramen/gtid"
	"github.com/duramendb/duramen/query/mysqlerr"
	"github.com/duramendb/duramen/query/sysvar"
)

// checkGTIDVariable refuses SET gtid_domain_id and gtid_seq_no where MariaDB does.
func (s *Session) checkGTIDVariable(d *sysvar.Def, v any) error {
	if s.InTransaction() {
		return mysqlerr.New(mysqlerr.InsideTransactionSwitchGTID)
	}
	seq := UintOf(v)
	if d != varSeqNo || seq == 0 || !s.Server.Globals.On("gtid_strict_mode") {
		return nil
	}
	domain := uint32(UintOf(s.Vars.Value(varDomainID)))
	last, ok := s.Server.Store.Log().StateClone().Last(domain)
	if ok && seq <= last.Seq {
		return outOfOrder(gtid.GTID{Domain: domain, Server: uint32(UintOf(s.Vars.Value(varServerID))), Seq: seq}, last)
	}
	return nil
}

func outOfOrder(g, last gtid.GTID) *mysqlerr.Error {
	return mysqlerr.New(mysqlerr.GTIDStrictOutOfOrder, g.Domain, g.Server, g.Seq, last.Domain, last.Server, last.Seq)
}

// VisibleState is the GTID state of what readers can see: that of the last
// applied group, which is durable.
func (s *Server) VisibleState() *gtid.State {
	return s.visiblePoint().State
}

// SlavePos is gtid_slave_pos: how far this server is as a replica, as readers see it.
func (s *Server) SlavePos() gtid.Position { return s.visiblePoint().Replicated }

// Executed is gtid_executed: the MySQL GTIDs of what came from MySQLs, as readers see it. It is never nil, and belongs to the caller.
func (s *Server) Executed() gtid.Set { return s.visiblePoint().Executed.Clone() }

func (s *Server) visiblePoint() gtid.Point {
	point, err := gtid.ParsePoint(s.Store.Engine().Applied().GTIDState)
	if err != nil {
		s.Log.Error("the engine's GTID state does not parse", "err", err)
		return gtid.NewPoint()
	}
	return point
}
