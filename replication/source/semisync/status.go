package semisync

import "time"

// counts are what the status variables show; mu is held.
type counts struct {
	yes, no      uint64 // transactions, acknowledged or not
	off          uint64 // how often the status became OFF
	sessions     int    // transactions that wait
	waits        uint64 // transactions that have waited
	waitTime     time.Duration
	asked, got   uint64 // acknowledgements
	backtraverse uint64 // waits for an end before one that is waited for already
}

// Stats are counters since the start, and how things are.
type Stats struct {
	Enabled, On bool
	// Replicas acknowledge, Waiting are transactions that wait.
	Replicas, Waiting int
	// Acknowledged and Unacknowledged are transactions that were answered with and without an acknowledgement; TimeOuts is how often the status became OFF.
	Acknowledged, Unacknowledged, TimeOuts uint64
	// Waits are transactions that have waited, WaitTime all of their time together.
	Waits    uint64
	WaitTime time.Duration
	Acks     uint64 // that came
}

// Stats is a picture of one moment.
func (p *Primary) Stats() Stats {
	p.mu.Lock()
	defer p.mu.Unlock()
	c := &p.mu.counts
	return Stats{
		Enabled: p.mu.settings.Enabled, On: p.mu.on && p.mu.settings.Enabled, Replicas: len(p.mu.replicas), Waiting: c.sessions,
		Acknowledged: c.yes, Unacknowledged: c.no, TimeOuts: c.off, Waits: c.waits, WaitTime: c.waitTime, Acks: c.got,
	}
}

// Status calls add with every status variable Rpl_semi_sync_master_*. Times are in microseconds.
func (p *Primary) Status(add func(name string, value any)) {
	p.mu.Lock()
	defer p.mu.Unlock()
	c := &p.mu.counts
	status := "OFF"
	if p.mu.on && p.mu.settings.Enabled {
		status = "ON"
	}
	average := time.Duration(0)
	if c.waits > 0 {
		average = c.waitTime / time.Duration(c.waits)
	}
	for _, v := range []struct {
		name  string
		value any
	}{
		{"clients", len(p.mu.replicas)}, {"get_ack", c.got}, {"net_avg_wait_time", 0}, {"net_wait_time", 0}, {"net_waits", c.asked},
		{"no_times", c.off}, {"no_tx", c.no}, {"request_ack", c.asked}, {"status", status}, {"timefunc_failures", 0},
		{"tx_avg_wait_time", average.Microseconds()}, {"tx_wait_time", c.waitTime.Microseconds()}, {"tx_waits", c.waits},
		{"wait_pos_backtraverse", c.backtraverse}, {"wait_sessions", c.sessions}, {"yes_tx", c.yes},
	} {
		add("Rpl_semi_sync_master_"+v.name, v.value)
	}
}

// Waits reports whether a commit that comes now would wait.
func (p *Primary) Waits() bool {
	if !p.enabled.Load() {
		return false
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.mu.settings.Enabled && p.mu.on && !p.mu.ended && !p.aloneLocked()
}
