package gms

import (
	"regexp"
	"strings"

	"github.com/duramendb/duramen/query/eval/function"
	"github.com/duramendb/duramen/query/mysqlerr"
)

var bareFunction = regexp.MustCompile(`^FUNCTION ([^.]+) does not exist$`)

// unknownFunction, beside a current database, words the error about a function that go-mysql-server has not: one of MariaDB's is refused, another one belongs to the database.
func unknownFunction(e *mysqlerr.Error, db string) *mysqlerr.Error {
	m := bareFunction.FindStringSubmatch(e.Message)
	if m == nil || e.Number != mysqlerr.SPDoesNotExist {
		return e
	}
	name := strings.ToUpper(m[1])
	if _, ok := function.Find(name); ok || function.IsAbsent(name) {
		return mysqlerr.NotYet("function " + m[1] + " here").WithCause(e)
	}
	if db == "" {
		return e
	}
	return mysqlerr.New(mysqlerr.SPDoesNotExist, "FUNCTION", db+"."+m[1]).WithCause(e)
}
