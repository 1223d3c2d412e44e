package aggregate

import (
	"slices"
	"unsafe"

	"github.com/duramendb/duramen/query/eval"
	"github.com/duramendb/duramen/query/eval/function/json"
	"github.com/duramendb/duramen/query/mysqlerr"
	"github.com/duramendb/duramen/query/types"
	"github.com/duramendb/duramen/query/types/charset"
)

// bindObject is JSON_OBJECTAGG. Rows whose key is NULL are left out; keys may come twice.
func bindObject(b *eval.Builder, c *Call) (types.Type, func() States, error) {
	agreed, _, err := b.Agree("json_objectagg", false, c.Args...)
	if err != nil {
		return types.Type{}, nil, err
	}
	p := concat{name: c.Name, set: agreed.Collation.Set()}
	if err := p.shown(b, c); err != nil {
		return types.Type{}, nil, err
	}
	t := p.typeOf(b, agreed, false)
	value, err := json.ElementOf(b, c.Args[1], p.set)
	if err != nil {
		return t, nil, err
	}
	if c.Args[0].Null() {
		return t, func() States { return nothing{} }, nil
	}
	_, names, err := b.Agree("json_objectagg", false, c.Args[0])
	if err != nil {
		return t, nil, err
	}
	name := names[0]
	if name.Type.Class() != types.ClassText || name.Type.Kind.Address() {
		return t, nil, mysqlerr.NotYet("JSON_OBJECTAGG by " + c.Args[0].Type.Name())
	}
	row, from := eval.Of[[]byte](name), name.Type.Collation.Set()
	return t, func() States { return &objects{name: row, from: from, value: value} }, nil
}

// objects are the objects of groups, without the brace at the end.
type objects struct {
	name    eval.Func[[]byte]
	from    *charset.Set
	value   *json.Element
	texts   [][]byte
	scratch []byte
}

func (s *objects) Grow(groups int) { s.texts = grown(s.texts, groups) }

func (s *objects) Add(f *eval.Frame, group int) {
	name, null := s.name(f)
	if null {
		return
	}
	row := s.value.AppendString(append(s.scratch[:0], ", "...), s.from, name)
	row = s.value.Append(f, append(row, ':'))
	s.scratch = row
	text := s.texts[group]
	if len(text) == 0 {
		row[1] = '{'
		row = row[1:]
	}
	if need := len(text) + len(row); need > cap(text) {
		room := max(need, 2*cap(text))
		if !charge(f, int64(room-cap(text))) {
			return
		}
		text = slices.Grow(text, room-len(text))
	}
	s.texts[group] = append(text, row...)
}

func (s *objects) Result(_ *eval.Frame, group int) types.Value {
	if len(s.texts[group]) == 0 {
		return types.Value{Null: true}
	}
	return types.Value{Text: slices.Concat(s.texts[group], []byte{'}'})}
}

func (s *objects) Bytes() int64 { return int64(unsafe.Sizeof(s.scratch)) * int64(cap(s.texts)) }
