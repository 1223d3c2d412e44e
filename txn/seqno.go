package txn

// SetSeqNo chooses the transaction's sequence number (gtid_seq_no); 0 leaves it to the committer. With
// strict, a number that is not after the last one of its domain is refused at commit (gtid_strict_mode).
func (t *Txn) SetSeqNo(seq uint64, strict bool) { t.seqNo, t.strict = seq, strict }

// LogEmpty has Commit log the transaction also if it has changed nothing: a group with a GTID and nothing else. That is what a replica has of
// a group of its primary that changes nothing here, so that there is no hole in what it serves to others.
func LogEmpty(t *Txn) { t.logEmpty = true }
