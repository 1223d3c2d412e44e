package admin

import (
	"context"

	"github.com/duramendb/duramen/query/dialect"
	"github.com/duramendb/duramen/query/mysqlerr"
)

// hasRoutine reports whether there is what DROP FUNCTION or DROP PROCEDURE names. There are no functions.
func (s Session) hasRoutine(st dialect.DropRoutine) bool {
	db := s.DBOf(useOf(st.Name))
	return st.Kind == dialect.Procedure && db != "" && s.Server.Store.Catalog().Current().Object("procedure", db, st.Name.Name) != nil
}

// dropNoRoutine is DROP FUNCTION or DROP PROCEDURE of what there is not.
func (s Session) dropNoRoutine(ctx context.Context, st dialect.DropRoutine) error {
	db := s.DBOf(useOf(st.Name))
	if db == "" {
		return mysqlerr.New(mysqlerr.NoDB)
	}
	if err := s.CommitAll(ctx); err != nil {
		return err
	}
	missing := mysqlerr.New(mysqlerr.SPDoesNotExist, string(st.Kind), db+"."+st.Name.Name)
	if !st.IfExists {
		return missing
	}
	s.Warn("Note", mysqlerr.SPDoesNotExist, missing.Message)
	return nil
}
