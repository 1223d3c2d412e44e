package session

// varInsertID is SET insert_id: the first AUTO_INCREMENT value of the next statement that makes one.
var varInsertID = MustVar("insert_id")

// forcedID is what a running statement knows of insert_id. A statement that runs again gets it again.
type forcedID struct {
	taken bool // by this attempt
	used  bool // by one of its attempts
}

// TakeInsertID is the value from which the statement's AUTO_INCREMENT values go on, because SET insert_id says so; 0 if
// nothing does, or it was asked before in this attempt. The variable is 0 after the statement.
func (s *Session) TakeInsertID() uint64 {
	if s.forced.taken {
		return 0
	}
	id, _ := s.Vars.Stored(varInsertID).(uint64)
	s.forced = forcedID{taken: true, used: s.forced.used || id != 0}
	return id
}

// insertIDUsed ends the statement.
func (s *Session) insertIDUsed() {
	if s.forced.used {
		s.Vars.Store(varInsertID, uint64(0))
	}
	s.forced = forcedID{}
}
