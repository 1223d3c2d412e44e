package btree

import (
	"bytes"
	"errors"
)

// walkBytesMax is the size up to which keys are added up one by one.
const walkBytesMax = 1 << 20

// Size adds up keys and values; when they are many, it is an estimate by the pages of the base.
func (e *Engine) Size(lower, upper []byte) (n uint64, err error) {
	it, err := e.NewIter(lower, upper)
	if err != nil {
		return 0, err
	}
	for ok := it.First(); ok; ok = it.Next() {
		if n += uint64(len(it.Key()) + len(it.Value())); n >= walkBytesMax {
			estimate, eerr := it.(*iterator).v.base.estimate(lower, upper)
			n, err = max(n, estimate), eerr
			break
		}
	}
	return n, errors.Join(err, it.Error(), it.Close())
}

// estimate is about what the base's keys and values take between two bounds; nil is none.
func (b *base) estimate(lower, upper []byte) (n uint64, err error) {
	defer leave(panicsOnFault(), &err)
	return b.estimatePage(b.rows.root, lower, upper, levelsMaxOfFile)
}

// sampledKids is how many pages stand for all pages of a branch.
const sampledKids = 4

// estimatePage goes down along both bounds, and samples what is between.
func (b *base) estimatePage(id uint64, lower, upper []byte, levels int) (n uint64, err error) {
	p, err := b.rows.page(id)
	if err != nil || p.n == 0 {
		return 0, err
	}
	if levels == 0 {
		return 0, damaged("page %d is its own kid", id)
	}
	if p.leaf {
		for i := range p.n {
			if k := p.key(i); bytes.Compare(k, lower) >= 0 && (upper == nil || bytes.Compare(k, upper) < 0) {
				n += uint64(max(p.to(i)-p.from(i)-sumSize, 0))
			}
		}
		return n, nil
	}
	first, last := 0, p.n-1
	for first < last && bytes.Compare(p.key(first+1), lower) <= 0 {
		first++
	}
	for last > first && upper != nil && bytes.Compare(p.key(last), upper) >= 0 {
		last--
	}
	part := func(i int, lower, upper []byte) (n uint64) {
		if err == nil {
			n, err = b.estimatePage(p.kid(i), lower, upper, levels-1)
		}
		return n
	}
	n = part(first, lower, upper)
	if last == first {
		return n, err
	}
	n += part(last, lower, upper)
	between := last - first - 1
	samples := min(sampledKids, between)
	sampled := uint64(0)
	for i := range samples {
		sampled += part(first+1+i*between/samples, nil, nil)
	}
	if samples > 0 {
		n += sampled * uint64(between) / uint64(samples)
	}
	return n, err
}
