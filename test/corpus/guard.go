package corpus

import (
	"fmt"
	"runtime"
	"strings"
)

// panicked is the error of a parser that did not return.
type panicked struct {
	what  any
	place string // function and line
}

func (p panicked) Error() string { return fmt.Sprintf("panic: %v at %s", p.what, p.place) }

// guarded is parse, with a panic as an error.
func guarded(parse Parser, sql, mode, charset string) (tree any, printed string, err error) {
	defer func() {
		if what := recover(); what != nil {
			err = panicked{what: what, place: thrower()}
		}
	}()
	return parse(sql, mode, charset)
}

// thrower is where the panic that is being recovered from was thrown.
func thrower() string {
	var pcs [64]uintptr
	frames := runtime.CallersFrames(pcs[:runtime.Callers(1, pcs[:])])
	thrown := false
	for {
		f, more := frames.Next()
		switch {
		case f.Function == "runtime.gopanic":
			thrown = true
		case thrown && !strings.HasPrefix(f.Function, "runtime."):
			return fmt.Sprintf("%s:%d", f.Function[strings.LastIndexByte(f.Function, '/')+1:], f.Line)
		}
		if !more {
			return "?"
		}
	}
}
