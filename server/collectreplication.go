package server

import (
	"github.com/prometheus/client_golang/prometheus"

	"github.com/duramendb/duramen/replication/replica"
)

// What is counted of connections to primaries, by their names ("" is the default one). What is counted begins anew with the server, and with RESET SLAVE ALL.
var (
	replicaIORunning     = replicaDesc("io_running", "1 if the IO thread receives the primary's log, 0 if it does not run, or is about to connect.")
	replicaSQLRunning    = replicaDesc("sql_running", "1 if the SQL thread runs.")
	replicaBehind        = replicaDesc("seconds_behind", "How old the first transaction is that was received and not executed, by the primary's clock; 0 if there is none. Absent if there is none and a thread does not run.")
	replicaQueueBytes    = replicaDesc("queue_bytes", "Bytes of the primary's log that were received and not executed, in memory.")
	replicaQueueGroups   = replicaDesc("queue_transactions", "Transactions that were received and not executed.")
	replicaReceived      = replicaDesc("received_transactions_total", "Transactions that were received, some of them again.")
	replicaReceivedBytes = replicaDesc("received_bytes_total", "Bytes of the primary's log that were received.")
	replicaExecuted      = replicaDesc("executed_transactions_total", "Transactions that were executed, and are durable here.")
	replicaRetried       = replicaDesc("retried_total", "Times that a transaction was tried again, as a local one was in its way.")
	replicaHeartbeats    = replicaDesc("heartbeats_total", "Heartbeats of the primary.")
	replicaAcks          = replicaDesc("semi_sync_acks_total", "Acknowledgements that were sent to the primary.")
	replicaIOError       = replicaDesc("last_io_error", "Number of the IO thread's last error, 0 if that is over.")
	replicaSQLError      = replicaDesc("last_sql_error", "Number of the error that the SQL thread has stopped with, 0 if there is none.")
)

func replicaDesc(name, help string) *prometheus.Desc {
	return desc("replica_"+name, help, "connection")
}

// What commits that wait for replicas count.
var (
	semiSyncEnabled  = desc("semi_sync_primary_enabled", "1 if rpl_semi_sync_master_enabled is ON.")
	semiSyncOn       = desc("semi_sync_primary_on", "1 if commits wait for acknowledgements, 0 also after a time-out.")
	semiSyncReplicas = desc("semi_sync_primary_replicas", "Connected replicas that acknowledge.")
	semiSyncWaiting  = desc("semi_sync_primary_waiting", "Transactions that wait for an acknowledgement.")
	semiSyncYes      = desc("semi_sync_primary_acknowledged_transactions_total", "Transactions that were answered with an acknowledgement.")
	semiSyncNo       = desc("semi_sync_primary_unacknowledged_transactions_total", "Transactions that were answered without.")
	semiSyncTimeOuts = desc("semi_sync_primary_timeouts_total", "Times that waiting was switched off by a time-out.")
	semiSyncWaits    = desc("semi_sync_primary_waits_total", "Transactions that have waited.")
	semiSyncWaitTime = desc("semi_sync_primary_wait_seconds_total", "Time that transactions have waited, together.")
	semiSyncAcks     = desc("semi_sync_primary_acks_total", "Acknowledgements that have come.")
)

func boolValue(on bool) float64 {
	if on {
		return 1
	}
	return 0
}

// replication collects both sides of replication.
func (c *collector) replication(out chan<- prometheus.Metric) {
	send := func(d *prometheus.Desc, kind prometheus.ValueType, v float64, labels ...string) {
		out <- prometheus.MustNewConstMetric(d, kind, v, labels...)
	}
	const gauge, counter = prometheus.GaugeValue, prometheus.CounterValue
	for _, st := range c.s.engine.Replication().All() {
		io, sql := uint16(0), uint16(0)
		if st.IOError != nil {
			io = st.IOError.Number
		}
		if st.SQLError != nil {
			sql = st.SQLError.Number
		}
		if st.Age != nil {
			send(replicaBehind, gauge, st.Age.Seconds(), st.Name)
		}
		send(replicaIORunning, gauge, boolValue(st.IOPhase == replica.Receives), st.Name)
		send(replicaSQLRunning, gauge, boolValue(st.SQLRuns), st.Name)
		send(replicaQueueBytes, gauge, float64(st.QueueBytes), st.Name)
		send(replicaQueueGroups, gauge, float64(st.QueueGroups), st.Name)
		send(replicaReceived, counter, float64(st.ReceivedGroups), st.Name)
		send(replicaReceivedBytes, counter, float64(st.ReceivedBytes), st.Name)
		send(replicaExecuted, counter, float64(st.ExecutedGroups()), st.Name)
		send(replicaRetried, counter, float64(st.Retried), st.Name)
		send(replicaHeartbeats, counter, float64(st.Heartbeats), st.Name)
		send(replicaAcks, counter, float64(st.Acks), st.Name)
		send(replicaIOError, gauge, float64(io), st.Name)
		send(replicaSQLError, gauge, float64(sql), st.Name)
	}
	semi := c.s.engine.SemiSync.Stats()
	send(semiSyncEnabled, gauge, boolValue(semi.Enabled))
	send(semiSyncOn, gauge, boolValue(semi.On))
	send(semiSyncReplicas, gauge, float64(semi.Replicas))
	send(semiSyncWaiting, gauge, float64(semi.Waiting))
	send(semiSyncYes, counter, float64(semi.Acknowledged))
	send(semiSyncNo, counter, float64(semi.Unacknowledged))
	send(semiSyncTimeOuts, counter, float64(semi.TimeOuts))
	send(semiSyncWaits, counter, float64(semi.Waits))
	send(semiSyncWaitTime, counter, semi.WaitTime.Seconds())
	send(semiSyncAcks, counter, float64(semi.Acks))
}
