// Package logbench measures the commit pipeline without SQL, beside what it is made of:
//
//	lsm         commit.Pipeline on a binlog.Log and the LSM engine; a transaction updates one row
//	log         the same with an engine that does nothing: the log alone
//	lsm-append  lsm with binlog_preallocate=OFF
//	bare        the least a group commit can do: a mutex, a queue, a leader that copies its
//	            group's bytes, writes them once, calls fdatasync and wakes the others. No GTIDs, positions or
//	            checksums, no engine. As many bytes for each transaction and write as the pipeline has.
//	raw         one goroutine that writes and calls fdatasync, each time as many bytes as the pipeline's
//	            mean group had in the same round
//	raw-direct  the same with O_DIRECT|O_DSYNC: whole blocks, the block in which the last write
//	            ended written again
//
// bare and raw write round and round in a file that was zero-filled at the start of the run: the best case.
//
// All have their turns in the same run (package turns), and ratios are taken
// within a round. Between two turns the log's background work (filling the next
// segment, the engine's flush) is brought to its end, so that it is counted
// where it belongs.
//
// # Bytes
//
// Event bytes are what a replica would get: GTID events and rows. What reaches the device beyond that
// are write marks, the last block of a group, which the next group writes
// again, and the zeros of the next segment. The zeros are known exactly and taken away, so
// that the figure is comparable whether or not a turn happened to begin a segment; they
// are one byte per byte of log.
package logbench
