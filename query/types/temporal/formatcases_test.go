package temporal_test

import (
	"fmt"
	"math"
	"strings"

	"github.com/duramendb/duramen/query/types/temporal"
)

const formatLetters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ%.@# "

var formatTexts = []string{"", "%", "%%", "%Y-%m-%d %H:%i:%s.%f", "%", "a%", "%W, %D of %M %Y", "%r %T", "plain", "%H:%k:%h:%I:%l", "%U %u %V %v %X %x", "%j%w%a%b%c%e%y"}

func (as *asks) formats() {
	_, _, all := as.literals()
	for _, l := range all {
		for _, c := range formatLetters {
			f := "%" + string(c) + "|"
			as.dateFormat(l, f)
			if l.v.Kind == temporal.Time {
				as.timeFormat(l, f)
			}
		}
		for _, f := range formatTexts {
			as.dateFormat(l, f)
			as.timeFormat(l, f)
		}
	}
}

func (as *asks) dateFormat(l literal, f string) {
	as.add(plainMode, fmt.Sprintf("DATE_FORMAT(%s,%s)", l.sql, quote(f)), func(*session) string {
		out, ok := temporal.English.AppendFormat(nil, []byte(f), l.v, false, math.MaxInt)
		return boolNull(string(out), ok)
	})
}

func (as *asks) timeFormat(l literal, f string) {
	as.add(plainMode, fmt.Sprintf("TIME_FORMAT(%s,%s)", l.sql, quote(f)), func(*session) string {
		out, ok := temporal.English.AppendFormat(nil, []byte(f), l.v, true, math.MaxInt)
		return boolNull(string(out), ok)
	})
}

// readings are texts and formats of STR_TO_DATE.
var readings = [][2]string{
	{"2020-01-31", "%Y-%m-%d"}, {"2020-1-3", "%Y-%m-%d"}, {"20-1-3", "%Y-%m-%d"}, {"20-1-3", "%y-%m-%d"}, {"2020", "%Y"}, {"202", "%Y"}, {"2", "%Y"}, {"69", "%Y"}, {"70", "%y"}, {"7", "%y"},
	{"2020-06-31", "%Y-%m-%d"}, {"2020-06-32", "%Y-%m-%d"}, {"2020-13-01", "%Y-%m-%d"}, {"2020-00-00", "%Y-%m-%d"}, {"0000-00-00", "%Y-%m-%d"}, {"2020-01-01 x", "%Y-%m-%d"}, {"2020-01-01  ", "%Y-%m-%d"},
	{"13 PM", "%h %p"}, {"12 PM", "%h %p"}, {"12 am", "%h %p"}, {"0 AM", "%h %p"}, {"11 XM", "%h %p"}, {"11 P", "%h %p"}, {"11 PM", "%H %p"}, {"11 pm", "%I %p"}, {"PM 11", "%p %h"}, {"11PM", "%l%p"},
	{"10:11:12", "%H:%i:%s"}, {"10:11:12.5", "%H:%i:%s.%f"}, {"10:11:12.1234567", "%H:%i:%s.%f"}, {"24:00:00", "%H:%i:%s"}, {"10:60:00", "%H:%i:%S"}, {"101112", "%H%i%s"}, {"1:2:3", "%k:%i:%s"}, {"5 10:11", "%d %H:%i"}, {"31 10:11", "%d %H:%i"}, {"35 10:11", "%e %H:%i"},
	{"10:11:12 PM", "%r"}, {"13:11:12 PM", "%r"}, {"10:11:12", "%r"}, {"10:11:12", "%T"}, {"25:11:12", "%T"}, {"x", "%T"}, {"x", "%r"}, {"2020-01-01 10:11:12", "%Y-%m-%d %T"}, {"10:11:12 AM 5", "%r %d"}, {"9 10:11:12", "%h %T"},
	{"January 5 2020", "%M %d %Y"}, {"jan 5 2020", "%b %d %Y"}, {"Janu 5 2020", "%M %d %Y"}, {"Ju 5 2020", "%M %d %Y"}, {"Jul 5 2020", "%M %d %Y"}, {"January 5", "%b %d"}, {"x 5", "%M %d"}, {" 5", "%M %d"}, {"may5", "%M%d"}, {"MAY5", "%b%e"},
	{"5th", "%D"}, {"1st x", "%D x"}, {"5", "%D"}, {"5t", "%D"}, {"31st 12 2020", "%D %m %Y"},
	{"100 2020", "%j %Y"}, {"0 2020", "%j %Y"}, {"366 2020", "%j %Y"}, {"366 2019", "%j %Y"}, {"999 9999", "%j %Y"}, {"2020 60", "%Y %j"}, {"60", "%j"},
	{"2020 10 Monday", "%Y %u %W"}, {"2020 10 Mon", "%Y %u %a"}, {"2020 10 0", "%Y %U %w"}, {"2020 10 6", "%Y %U %w"}, {"2020 10 7", "%Y %U %w"}, {"2020 53 1", "%Y %U %w"}, {"2020 54 1", "%Y %U %w"}, {"2020 0 1", "%Y %U %w"}, {"2020 0 1", "%Y %u %w"},
	{"2020 10 1", "%X %V %w"}, {"2020 10 1", "%x %v %w"}, {"2020 10 1", "%X %v %w"}, {"2020 10 1", "%x %V %w"}, {"2020 0 1", "%x %v %w"}, {"2020 10 1", "%Y %V %w"}, {"2020 10 1", "%X %U %w"}, {"2020 10", "%X %V"}, {"2021 1 Sunday", "%X %V %W"}, {"2021 53 Sunday", "%x %v %W"}, {"200442 Monday", "%X%V %W"}, {"0 1 1", "%X %V %w"}, {"9999 53 6", "%X %V %w"},
	{"2020 xyz 5", "%Y xyz %d"}, {"2020-!,01", "%Y%.%m"}, {"2020abc01", "%Y%@%m"}, {"2020", "%#"}, {"99 2020", "%# %Y"}, {"2020%01", "%Y%%%m"}, {"2020 01", "%Y %z"}, {"2020 01", "%Y %n"}, {"2020", "%Y%"}, {"2020%", "%Y%"}, {"2020", ""}, {"", "%Y"}, {"", ""}, {"  ", "%Y"}, {" 2020", "%Y"}, {"+2020", "%Y"}, {"-2020", "%Y"}, {"x", "%Y"}, {"20x", "%Y"}, {"2020-1", "%Y %m"},
	{"2020 1 1", "%Y%m%d"}, {"20200131", "%Y%m%d"}, {"200131", "%y%m%d"}, {"2020131", "%Y%m%d"}, {"20200131101112123456", "%Y%m%d%H%i%s%f"}, {"1 2", "%c %e"}, {"2020-02-30 10:00:00", "%Y-%m-%d %H:%i:%s"}, {"2020-02-30", "%Y-%m-%d %H"}, {"5.5", "%s.%f"}, {"5.", "%s.%f"}, {".5", ".%f"}, {"+5", "%d"}, {"- 5", "%d"}, {"\t5", "%d"}, {"5\t6", "%d %m"}, {"2020-01-01 10:11:12.5 PM", "%Y-%m-%d %h:%i:%s.%f %p"}, {"2020-01-01T10:11:12", "%Y-%m-%dT%H:%i:%s"},
}

func (as *asks) reading() {
	letters := strings.Split("Y y m c M b d e D H h k l I i s S f p W a w j U u V v X x r T . @ # % z", " ")
	pieces := []string{"2020", "20", "1", "12", "31", "99", "Mon", "Monday", "jan", "May", "PM", "am", "10:11:12", "10:11:12 PM", "x", "-", "5th", "123456", "1234567", "+1", "-1", "."}
	pairs := append([][2]string(nil), readings...)
	for range 900 {
		var text, format []string
		for range 1 + as.rng.IntN(4) {
			text = append(text, pick(as, pieces))
			format = append(format, "%"+pick(as, letters))
		}
		sep := pick(as, []string{" ", "", "-"})
		pairs = append(pairs, [2]string{strings.Join(text, sep), strings.Join(format, sep)})
	}
	for _, p := range pairs {
		for _, mode := range []string{plainMode, zeroMode} {
			as.strToDate(mode, p[0], p[1])
		}
	}
}

func (as *asks) strToDate(mode, t, f string) {
	as.add(mode, fmt.Sprintf("STR_TO_DATE(%s,%s)", quote(t), quote(f)), func(e *session) string {
		k, fsp := temporal.FormatKind([]byte(f))
		v, c, wrong := e.StrToDate([]byte(t), []byte(f), k)
		switch {
		case v.Kind == temporal.None:
			e.warnf('W', temporal.CodeWrongForType, "Incorrect %s value: '%s' for function str_to_date", wrong.Word, wrong.Quoted)
		case c != 0:
			e.warnf('W', temporal.CodeWrongValue, "Truncated incorrect %s value: '%s'", k.Word(), escape(t))
		}
		return text(v, fsp)
	})
}
