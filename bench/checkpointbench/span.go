package checkpointbench

import (
	"slices"
	"time"

	"github.com/duramendb/duramen/bench/stat"
)

// span is a time, from the start of a turn.
type span struct{ from, to time.Duration }

// told is what an engine has counted at a moment.
type told struct {
	checkpoints uint64
	time        time.Duration
}

// spans finds the checkpoints between two questions: at most so long before the later question as they took, and
// the time between the questions.
func spans(askedBefore, asked time.Duration, before, now told) (s span, some bool) {
	if now.checkpoints == before.checkpoints {
		return span{}, false
	}
	// The server tells whole milliseconds.
	took := now.time - before.time + time.Millisecond
	return span{from: max(askedBefore-took, 0), to: asked}, true
}

// commit is one that a client has made.
type commit struct{ begin, took time.Duration }

// split sorts commits by whether they overlap one of the spans, which are in order.
func split(commits []commit, during []span) (inside, outside stat.Histogram) {
	for _, c := range commits {
		end := c.begin + c.took
		// The first span that does not lie before the commit.
		i, _ := slices.BinarySearchFunc(during, c.begin, func(s span, begin time.Duration) int {
			if s.to < begin {
				return -1
			}
			return 1
		})
		if i < len(during) && during[i].from <= end {
			inside.Record(c.took)
		} else {
			outside.Record(c.took)
		}
	}
	return inside, outside
}

// union joins spans that overlap, in their order.
func union(list []span) []span {
	slices.SortFunc(list, func(a, b span) int { return int(a.from - b.from) })
	var joined []span
	for _, s := range list {
		if n := len(joined); n > 0 && s.from <= joined[n-1].to {
			joined[n-1].to = max(joined[n-1].to, s.to)
			continue
		}
		joined = append(joined, s)
	}
	return joined
}

func total(list []span) (sum time.Duration) {
	for _, s := range list {
		sum += s.to - s.from
	}
	return sum
}
