package session

import "github.com/duramendb/duramen/query/sysvar"

// varInsertID is SET insert_id: the first AUTO_INCREMENT value of the next statement that makes one.
var varInsertID = MustVar("insert_id")

// insertID is what a running statement knows of insert_id. A statement that runs again gets it again.
type insertID struct {
	taken bool // by this attempt
	used  bool // by one of its attempts
}

// Take is the value from which the statement's AUTO_INCREMENT values go on, because SET insert_id says so; 0 if
// nothing does, or it was asked before in this attempt. The variable is 0 after the statement.
func (i *insertID) Take(vars *sysvar.Session) uint64 {
	if i.taken {
		return 0
	}
	id, _ := vars.Stored(varInsertID).(uint64)
	*i = insertID{taken: true, used: i.used || id != 0}
	return id
}

// end ends the statement.
func (i *insertID) end(vars *sysvar.Session) {
	if i.used {
		vars.Store(varInsertID, uint64(0))
	}
	*i = insertID{}
}
