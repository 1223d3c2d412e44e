package inspect

import (
	"encoding/json"
	"fmt"
	"io"
)

func jsonReports(out io.Writer) func(*Report) error {
	enc := json.NewEncoder(out)
	return func(r *Report) error { return enc.Encode(r) }
}

func textReports(out io.Writer) func(*Report) error {
	return func(r *Report) error {
		verdict := "ok"
		if !r.OK {
			verdict = "DAMAGED"
		}
		if _, err := fmt.Fprintf(out, "%s: %s, %s, %d events, %d transactions, %s\n",
			r.File, verdict, r.State, r.Events, r.Transactions, Bytes(r.End)); err != nil {
			return err
		}
		for _, p := range r.Problems {
			if _, err := fmt.Fprintf(out, "  damage: %s, offset %d: %s\n", r.File, p.Offset, p.Reason); err != nil {
				return err
			}
		}
		for _, n := range r.Notes {
			if _, err := fmt.Fprintf(out, "  note: %s\n", n); err != nil {
				return err
			}
		}
		return nil
	}
}

func (v *verifier) summary(out io.Writer) error {
	verdict := "the log is in order"
	switch {
	case v.problems == 1:
		verdict = "1 problem was found"
	case v.problems > 1:
		verdict = fmt.Sprintf("%d problems were found", v.problems)
	case v.unread != nil:
		verdict = "not everything could be read"
	}
	_, err := fmt.Fprintf(out, "%s: %d files, %d events, %d transactions, %s\n", verdict, len(v.files), v.total.Events, v.total.Transactions, Bytes(v.total.Size))
	return err
}
