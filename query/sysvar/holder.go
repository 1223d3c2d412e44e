package sysvar

// Holder is who has the variables of a session.
type Holder interface{ SysVars() *Session }
