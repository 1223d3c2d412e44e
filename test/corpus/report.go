package corpus

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
)

// Rate is which part of the statements that the server accepts the parser accepts.
func (f *Findings) Rate() float64 {
	if f.Accepted == 0 {
		return 0
	}
	return float64(f.Agreed) / float64(f.Accepted)
}

// Options say how much a report shows. The zero value shows 40 groups of each cause, with 2 examples of 300 bytes each.
type Options struct {
	Groups, Examples, Bytes int
	// Only shows groups that contain this text; "" all.
	Only string
}

// Report prints what a parser does otherwise, the most frequent group first, each with its shortest examples.
func (f *Findings) Report(w io.Writer, o Options) error {
	if o.Groups == 0 {
		o.Groups = 40
	}
	if o.Examples == 0 {
		o.Examples = 2
	}
	if o.Bytes == 0 {
		o.Bytes = 300
	}
	out := &strings.Builder{}
	fmt.Fprintf(out, "%d statements that the server accepts, %d of them accepted by the parser: %.3f %%\n", f.Accepted, f.Agreed, 100*f.Rate())
	fmt.Fprintf(out, "%d that it refuses with 1064, of which the parser accepts %d; %d under sql_mode ORACLE are not judged\n", f.Refused, f.Count(TooLoose), f.Oracle)
	for _, c := range causes {
		f.cause(out, c, o)
	}
	if o.Only == "" {
		f.stops(out, o)
	}
	f.lost(out, o)
	_, err := io.WriteString(w, out.String())
	return err
}

// cause prints the groups of one cause.
func (f *Findings) cause(w *strings.Builder, c Cause, o Options) {
	groups := map[string][]*Difference{}
	n := 0
	for i := range f.Differences {
		d := &f.Differences[i]
		if d.Cause == c && strings.Contains(strings.ToLower(d.Group), strings.ToLower(o.Only)) {
			groups[d.Group] = append(groups[d.Group], d)
			n++
		}
	}
	if n == 0 {
		return
	}
	names := slices.SortedFunc(maps.Keys(groups), func(a, b string) int {
		if x, y := len(groups[a]), len(groups[b]); x != y {
			return y - x
		}
		return strings.Compare(a, b)
	})
	fmt.Fprintf(w, "\n== %s: %d in %d groups\n", c, n, len(groups))
	for i, name := range names {
		if i == o.Groups {
			fmt.Fprintf(w, "   and %d groups more\n", len(names)-i)
			break
		}
		list := groups[name]
		slices.SortStableFunc(list, func(a, b *Difference) int { return len(a.Text) - len(b.Text) })
		fmt.Fprintf(w, "%6d  %s\n", len(list), name)
		for _, d := range list[:min(o.Examples, len(list))] {
			fmt.Fprintf(w, "        %s:%d%s\n", d.File, d.Line, prefixed(" ", d.Mode))
			fmt.Fprintf(w, "          %s\n", indented(d.Text, o.Bytes))
			fmt.Fprintf(w, "        ! %s\n", indented(d.Detail, 2*o.Bytes))
			if d.Kind == Refused && c != OtherText && c != OtherLine {
				fmt.Fprintf(w, "        server: %s\n", indented(d.Message[max(0, strings.Index(d.Message, "near ")):], o.Bytes))
			}
		}
	}
}

// lost prints the words that are missing in what was printed.
func (f *Findings) lost(w *strings.Builder, o Options) {
	fmt.Fprintf(w, "\n== words that are missing in what was printed (nobody is judged by these)\n")
	n := 0
	for _, l := range f.LostWords() {
		if !strings.Contains(strings.ToLower(l.Word), strings.ToLower(o.Only)) {
			continue
		}
		if n++; n > 2*o.Groups {
			break
		}
		fmt.Fprintf(w, "%6d  %-20s %s\n                             %s\n", l.Count, abbreviate(l.Word, 40), indented(l.Example.Text, o.Bytes/2), indented(l.Printed, o.Bytes/2))
	}
}

// stops prints what became of texts in which the server's parser stopped with an error other than 1064.
func (f *Findings) stops(w *strings.Builder, o Options) {
	if len(f.Stopped) == 0 {
		return
	}
	fmt.Fprintf(w, "\n== the server's parser stops with another error than 1064 (nobody is judged by these)\n")
	fmt.Fprintf(w, "number  the parser: same error  another  none\n")
	for _, number := range slices.Sorted(maps.Keys(f.Stopped)) {
		s := f.Stopped[number]
		fmt.Fprintf(w, "%6d  %10d %8d %8d   %s\n          %s\n", number, s.Same, s.Refused, s.Accepted, indented(s.Example.Message, o.Bytes), indented(s.Example.Text, o.Bytes))
	}
}

func prefixed(prefix, s string) string {
	if s == "" {
		return ""
	}
	return prefix + s
}

// indented shortens a text and gives its further lines the indentation of the first.
func indented(s string, n int) string {
	return strings.ReplaceAll(strings.ToValidUTF8(abbreviate(s, n), "?"), "\n", "\n          ")
}

// firstWords are the first two words of a text, in capitals.
func firstWords(s string) string {
	var words []string
	for len(words) < 2 {
		s = skipBlank(s)
		if s == "" {
			break
		}
		words = append(words, firstWord(s))
		n := 1
		for n < len(s) && isNameByte(s[0]) && isNameByte(s[n]) {
			n++
		}
		s = s[n:]
	}
	return strings.Join(words, " ")
}

// firstWord is the word with which a text begins, in capitals, or its first byte; END if it is empty. All numbers count as one word.
func firstWord(s string) string {
	n := 0
	for n < len(s) && isNameByte(s[n]) {
		n++
	}
	switch {
	case s == "":
		return "END"
	case n == 0:
		return s[:1]
	case s[0] >= '0' && s[0] <= '9':
		return "number"
	}
	return strings.ToUpper(s[:n])
}
