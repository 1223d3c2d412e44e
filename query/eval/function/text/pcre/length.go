package pcre

func alternativesOf(n *node) []*node {
	if n.kind == kAlt {
		return n.subs
	}
	return []*node{n}
}

// lengthKnown reports whether length understands all of a node, whatever it says.
func lengthKnown(n *node) bool {
	switch n.kind {
	case kBack, kCall, kCond, kNewline, kKeep:
		return false
	}
	for _, s := range n.subs {
		if !lengthKnown(s) {
			return false
		}
	}
	return true
}

// length is how many characters a node has, if it has one number of them.
func length(n *node) (int, bool) {
	switch n.kind {
	case kEmpty, kLook, kAssert:
		return 0, true
	case kChar, kSet:
		return 1, true
	case kCat:
		total := 0
		for _, s := range n.subs {
			l, ok := length(s)
			if !ok {
				return 0, false
			}
			total += l
		}
		return total, total <= countMax
	case kAlt:
		first, ok := length(n.subs[0])
		for _, s := range n.subs[1:] {
			if l, fixed := length(s); !fixed || l != first {
				return 0, false
			}
		}
		return first, ok
	case kGroup, kAtomic:
		return length(n.subs[0])
	case kRepeat:
		l, ok := length(n.subs[0])
		return l * n.min, ok && n.min == n.max && l*n.min <= countMax
	}
	return 0, false
}
