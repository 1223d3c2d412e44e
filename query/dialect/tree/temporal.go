package tree

import (
	"fmt"
	"regexp"
	"strconv"
	"time"
)

// temporalForms are the literals that Cast understands, by kind.
var temporalForms = [...]*regexp.Regexp{
	regexp.MustCompile(`^(\d{4})-(\d{1,2})-(\d{1,2})()()()()$`),
	regexp.MustCompile(`^()()()(\d{1,2}):(\d{1,2})(?::(\d{1,2})(?:\.(\d{1,6}))?)?$`),
	regexp.MustCompile(`^(\d{4})-(\d{1,2})-(\d{1,2})[ T](\d{1,2}):(\d{1,2}):(\d{1,2})(?:\.(\d{1,6}))?$`),
}

// Cast is a CAST that means the same as the literal; ok is false for one that is not written like 2026-01-02 03:04:05, or that is no time.
func (n *TemporalLit) Cast() (text string, ok bool) {
	m := temporalForms[n.Kind].FindStringSubmatch(n.Value)
	if m == nil {
		return "", false
	}
	part := func(i int) int {
		v, _ := strconv.Atoi(m[i]) // digits, or none
		return v
	}
	date, clock := fmt.Sprintf("%04d-%02d-%02d", part(1), part(2), part(3)), fmt.Sprintf("%02d:%02d:%02d", part(4), part(5), part(6))
	whole := [...]string{date, clock, date + " " + clock}[n.Kind]
	if _, err := time.Parse([...]string{time.DateOnly, time.TimeOnly, time.DateTime}[n.Kind], whole); err != nil || n.Kind != TemporalTime && part(1) == 0 {
		return "", false
	}
	typ := [...]string{"DATE", "TIME", "DATETIME"}[n.Kind]
	if n.Kind == TemporalTime && m[7] != "" && len(m[7]) != 6 {
		return "", false // go-mysql-server has no TIME of other fractions
	}
	if m[7] != "" {
		whole, typ = whole+"."+m[7], fmt.Sprintf("%s(%d)", typ, len(m[7]))
	}
	return "CAST('" + whole + "' AS " + typ + ")", true
}
