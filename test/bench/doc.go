// Package bench compares the server with MariaDB 10.11 on the same disk, in
// turns, so that both meet the same weather, and prints ratios. It asserts no
// time.
//
// Both run with sync_binlog=1, MariaDB with innodb_flush_log_at_trx_commit=1 and
// its binary log on: an acknowledged commit survives a power cut on either.
//
//	make bench
//	BENCH_SECONDS=30 BENCH_ROUNDS=5 make bench
package bench
