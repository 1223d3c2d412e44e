package sysvar

import (
	"context"
	"strconv"
	"strings"

	"github.com/duramendb/duramen/query/mysqlerr"
)

// ConvertFrom is Convert for a variable that has a value already.
func (d *Def) ConvertFrom(ctx context.Context, v, now any) (any, error) {
	if b, ok := v.([]byte); ok {
		v = string(b)
	}
	if d.Kind == FlagSet && v != nil {
		return d.flags(ctx, v, now)
	}
	return d.Convert(ctx, v)
}

// flags is the value of a FlagSet after an assignment: a list of name=on, name=off and name=default changes what it is now, each name once;
// the word default gives all others their defaults. A number is a mask.
func (d *Def) flags(ctx context.Context, v any, now any) (any, error) {
	names := d.flagNames()
	text, isText := v.(string)
	var mask uint64
	if !isText {
		n, whole := whole(v)
		if !whole {
			return nil, d.wrongType(v)
		}
		if n < 0 || uint64(n) >= 1<<len(names) {
			return nil, mysqlerr.New(mysqlerr.WrongValueForVar, d.Name, strconv.FormatInt(n, 10))
		}
		mask = uint64(n)
	} else {
		nowText, _ := now.(string)
		var wrong string
		var ok bool
		if mask, wrong, ok = d.changed(names, d.maskOf(names, nowText), text); !ok {
			return nil, mysqlerr.New(mysqlerr.WrongValueForVar, d.Name, wrong)
		}
	}
	if d.Name == "optimizer_switch" {
		if err := checkSwitch(ctx, d.maskText(names, mask)); err != nil {
			return nil, err
		}
	}
	return d.maskText(names, mask), nil
}

// flagNames are the flags; the last member of some variables is the word default.
func (d *Def) flagNames() []string {
	if n := len(d.Members); n > 0 && d.Members[n-1] == "default" {
		return d.Members[:n-1]
	}
	return d.Members
}

// changed applies a list to a mask; wrong is the first word that is none.
func (d *Def) changed(names []string, mask uint64, list string) (out uint64, wrong string, ok bool) {
	if list = strings.TrimRight(list, " "); list == "" {
		return mask, "", true
	}
	defaultText, _ := d.Default.(string)
	byDefault := d.maskOf(names, defaultText)
	var named, on uint64
	all := false
	for word := range strings.SplitSeq(list, ",") {
		if strings.EqualFold(word, "default") && !all {
			all = true
			continue
		}
		name, value, _ := strings.Cut(word, "=")
		i := d.member(name)
		if i < 0 || i >= len(names) || named&(1<<i) != 0 {
			return 0, word, false
		}
		named |= 1 << i
		switch strings.ToLower(value) {
		case "on":
			on |= 1 << i
		case "off":
		case "default":
			on |= byDefault & (1 << i)
		default:
			return 0, word, false
		}
	}
	if all {
		mask = byDefault
	}
	return mask&^named | on, "", true
}

func (d *Def) maskOf(names []string, text string) (mask uint64) {
	for word := range strings.SplitSeq(text, ",") {
		if name, value, _ := strings.Cut(word, "="); value == "on" {
			if i := d.member(name); i >= 0 && i < len(names) {
				mask |= 1 << i
			}
		}
	}
	return mask
}

func (d *Def) maskText(names []string, mask uint64) string {
	var b strings.Builder
	for i, name := range names {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(name)
		if mask&(1<<i) != 0 {
			b.WriteString("=on")
		} else {
			b.WriteString("=off")
		}
	}
	return b.String()
}

// checkSwitch holds a value of optimizer_switch to MariaDB's rules. The optimizer here obeys none of it.
func checkSwitch(ctx context.Context, value string) error {
	if strings.Contains(value, ",in_to_exists=off") && strings.Contains(value, ",materialization=off") {
		return mysqlerr.Newf(1923, "At least one of the 'in_to_exists' or 'materialization' optimizer_switch flags must be 'on'")
	}
	if w, ok := ctx.(Warner); ok && strings.Contains(value, "engine_condition_pushdown=on") {
		w.Warn(1681, "'%s' is deprecated and will be removed in a future release", "engine_condition_pushdown=on")
	}
	return nil
}
