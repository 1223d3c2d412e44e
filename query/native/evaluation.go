package native

import (
	"context"

	"github.com/duramendb/duramen/query/bind"
	"github.com/duramendb/duramen/query/eval"
)

// Evaluation is how expressions of a statement of the fallback are bound, and the frame in which they are computed.
func (s Session) Evaluation(ctx context.Context) (*bind.Binder, *eval.Frame, error) {
	b, err := s.begin(ctx, nil)
	if err != nil {
		return nil, nil, err
	}
	return b.binder, b.frame, nil
}
