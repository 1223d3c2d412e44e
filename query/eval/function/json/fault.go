package json

import (
	"github.com/duramendb/duramen/query/eval"
	"github.com/duramendb/duramen/query/mysqlerr"
	"github.com/duramendb/duramen/query/types"
)

// fault is what is wrong with a document or a path.
type fault uint8

const (
	fine       fault = iota
	broken           // bytes that are no character
	disallowed       // a control character
	ended            // too short
	syntax
	escaping
	tooDeep
	wildcard // a wildcard where a path may not have one
)

// documentNumbers and pathNumbers are the conditions of faults.
var (
	documentNumbers = [...]uint16{
		broken: mysqlerr.JSONBadChr, disallowed: mysqlerr.JSONNotJSONChr, ended: mysqlerr.JSONEOS, syntax: mysqlerr.JSONSyntax,
		escaping: mysqlerr.JSONEscaping, tooDeep: mysqlerr.JSONDepth,
	}
	pathNumbers = [...]uint16{
		broken: mysqlerr.JSONPathSyntax, disallowed: mysqlerr.JSONPathSyntax, ended: mysqlerr.JSONPathEOS, syntax: mysqlerr.JSONPathSyntax,
		escaping: mysqlerr.JSONPathSyntax, tooDeep: mysqlerr.JSONPathDepth, wildcard: mysqlerr.JSONPathNoWildcard,
	}
)

// report adds the condition of a document's fault, about the argument of a function, which counts from 1.
func report(f *eval.Frame, level types.Level, name string, argument int, s *scanner) {
	addFault(f, level, documentNumbers[s.fault], s.fault, name, argument, s.at)
}

// reportPath adds the condition of a path's fault.
func reportPath(f *eval.Frame, name string, argument int, p *path) {
	addFault(f, types.Warning, pathNumbers[p.fault], p.fault, name, argument, p.at)
}

func addFault(f *eval.Frame, level types.Level, number uint16, what fault, name string, argument, at int) {
	args := faultArguments(what, name, argument, at)
	if level == types.Note {
		f.Note(number, args...)
		return
	}
	f.Warn(number, args...)
}

// faultArguments are what the message of a fault has.
func faultArguments(what fault, name string, argument, at int) []any {
	switch what {
	case tooDeep:
		return []any{depthLimit, argument, name, at}
	case ended, wildcard:
		return []any{argument, name}
	}
	return []any{argument, name, at}
}
