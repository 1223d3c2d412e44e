package eval

import "github.com/duramendb/duramen/query/types"

// Map1 makes a node of a kernel over one argument, which is NULL if the argument is. The kernel's types are those of the classes of the
// argument and of t.
func Map1[A, R Scalar](name string, t types.Type, f func(*Frame, A) (R, bool), a *Expr) *Expr {
	x := Of[A](a)
	return New(name, t, func(fr *Frame) (r R, null bool) {
		v, null := x(fr)
		if null {
			return r, true
		}
		return f(fr, v)
	}, a)
}

// Map2 is Map1 of two arguments; all are computed, from left to right, until one is NULL.
func Map2[A, B, R Scalar](name string, t types.Type, f func(*Frame, A, B) (R, bool), a, b *Expr) *Expr {
	x, y := Of[A](a), Of[B](b)
	return New(name, t, func(fr *Frame) (r R, null bool) {
		v, null := x(fr)
		if null {
			return r, true
		}
		w, null := y(fr)
		if null {
			return r, true
		}
		return f(fr, v, w)
	}, a, b)
}

// MapN is Map1 of any number of arguments of one class. The kernel must not keep the slice.
func MapN[A, R Scalar](name string, t types.Type, f func(*Frame, []A) (R, bool), args ...*Expr) *Expr {
	forms := make([]Func[A], len(args))
	for i, a := range args {
		forms[i] = Of[A](a)
	}
	return New(name, t, func(fr *Frame) (r R, null bool) {
		var few [8]A
		values := few[:0]
		for _, form := range forms {
			v, null := form(fr)
			if null {
				return r, true
			}
			values = append(values, v)
		}
		return f(fr, values)
	}, args...)
}
