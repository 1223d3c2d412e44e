package privilege

import "strings"

// Variable is what setting a system variable needs. Which variable needs what was found by setting each of
// MariaDB 10.11's as a user without privileges.
func Variable(name string, isGlobal bool) []Need {
	name = strings.ToLower(name)
	if !isGlobal {
		if p, ok := sessionVariables[name]; ok {
			return []Need{NeedGlobal(p)}
		}
		return nil
	}
	if p, ok := globalVariables[name]; ok {
		return []Need{NeedGlobal(p)}
	}
	return []Need{NeedGlobal(Super)}
}

// sessionVariables are the privileged ones; everybody may set all others.
var sessionVariables = map[string]Set{
	"binlog_annotate_row_events":              Super | BinlogAdmin,
	"binlog_direct_non_transactional_updates": Super | BinlogAdmin,
	"binlog_format":                           Super | BinlogAdmin,
	"binlog_row_image":                        Super | BinlogAdmin,
	"sql_log_bin":                             Super | BinlogAdmin,
	"innodb_tmpdir":                           File,
	"gtid_domain_id":                          Super | BinlogReplay,
	"gtid_seq_no":                             Super | BinlogReplay,
	"pseudo_thread_id":                        Super | BinlogReplay,
	"server_id":                               Super | BinlogReplay,
	"enforce_storage_engine":                  Super,
	"log_disabled_statements":                 Super,
	"sql_log_off":                             Super,
}

// globalVariables are those that need something else than SUPER.
var globalVariables = map[string]Set{
	"binlog_annotate_row_events":                Super | BinlogAdmin,
	"binlog_cache_size":                         Super | BinlogAdmin,
	"binlog_commit_wait_count":                  Super | BinlogAdmin,
	"binlog_commit_wait_usec":                   Super | BinlogAdmin,
	"binlog_direct_non_transactional_updates":   Super | BinlogAdmin,
	"binlog_expire_logs_seconds":                Super | BinlogAdmin,
	"binlog_file_cache_size":                    Super | BinlogAdmin,
	"binlog_format":                             Super | BinlogAdmin,
	"binlog_row_image":                          Super | BinlogAdmin,
	"binlog_row_metadata":                       Super | BinlogAdmin,
	"binlog_stmt_cache_size":                    Super | BinlogAdmin,
	"expire_logs_days":                          Super | BinlogAdmin,
	"log_bin_compress":                          Super | BinlogAdmin,
	"log_bin_compress_min_len":                  Super | BinlogAdmin,
	"log_bin_trust_function_creators":           Super | BinlogAdmin,
	"max_binlog_cache_size":                     Super | BinlogAdmin,
	"max_binlog_size":                           Super | BinlogAdmin,
	"max_binlog_stmt_cache_size":                Super | BinlogAdmin,
	"sql_log_bin":                               Super | BinlogAdmin,
	"sync_binlog":                               Super | BinlogAdmin,
	"gtid_binlog_state":                         Super | ReplicationMasterAdmin,
	"gtid_domain_id":                            Super | ReplicationMasterAdmin,
	"master_verify_checksum":                    Super | ReplicationMasterAdmin,
	"rpl_semi_sync_master_enabled":              Super | ReplicationMasterAdmin,
	"rpl_semi_sync_master_timeout":              Super | ReplicationMasterAdmin,
	"rpl_semi_sync_master_trace_level":          Super | ReplicationMasterAdmin,
	"rpl_semi_sync_master_wait_for_slave_count": Super | ReplicationMasterAdmin,
	"rpl_semi_sync_master_wait_no_slave":        Super | ReplicationMasterAdmin,
	"rpl_semi_sync_master_wait_point":           Super | ReplicationMasterAdmin,
	"server_id":                                 Super | ReplicationMasterAdmin,
	"connect_timeout":                           Super | ConnectionAdmin,
	"disconnect_on_expired_password":            Super | ConnectionAdmin,
	"extra_max_connections":                     Super | ConnectionAdmin,
	"init_connect":                              Super | ConnectionAdmin,
	"max_connect_errors":                        Super | ConnectionAdmin,
	"max_connections":                           Super | ConnectionAdmin,
	"max_password_errors":                       Super | ConnectionAdmin,
	"proxy_protocol_networks":                   Super | ConnectionAdmin,
	"secure_auth":                               Super | ConnectionAdmin,
	"slow_launch_time":                          Super | ConnectionAdmin,
	"thread_pool_dedicated_listener":            Super | ConnectionAdmin,
	"thread_pool_exact_stats":                   Super | ConnectionAdmin,
	"thread_pool_idle_timeout":                  Super | ConnectionAdmin,
	"thread_pool_max_threads":                   Super | ConnectionAdmin,
	"thread_pool_oversubscribe":                 Super | ConnectionAdmin,
	"thread_pool_prio_kickup_timer":             Super | ConnectionAdmin,
	"thread_pool_priority":                      Super | ConnectionAdmin,
	"thread_pool_size":                          Super | ConnectionAdmin,
	"thread_pool_stall_limit":                   Super | ConnectionAdmin,
	"gtid_cleanup_batch_size":                   Super | ReplicationSlaveAdmin,
	"gtid_ignore_duplicates":                    Super | ReplicationSlaveAdmin,
	"gtid_pos_auto_engines":                     Super | ReplicationSlaveAdmin,
	"gtid_purged":                               Super | ReplicationSlaveAdmin,
	"gtid_slave_pos":                            Super | ReplicationSlaveAdmin,
	"gtid_strict_mode":                          Super | ReplicationSlaveAdmin,
	"init_slave":                                Super | ReplicationSlaveAdmin,
	"read_binlog_speed_limit":                   Super | ReplicationSlaveAdmin,
	"relay_log_purge":                           Super | ReplicationSlaveAdmin,
	"relay_log_recovery":                        Super | ReplicationSlaveAdmin,
	"replicate_do_db":                           Super | ReplicationSlaveAdmin,
	"replicate_do_table":                        Super | ReplicationSlaveAdmin,
	"replicate_events_marked_for_skip":          Super | ReplicationSlaveAdmin,
	"replicate_ignore_db":                       Super | ReplicationSlaveAdmin,
	"replicate_ignore_table":                    Super | ReplicationSlaveAdmin,
	"replicate_rewrite_db":                      Super | ReplicationSlaveAdmin,
	"replicate_wild_do_table":                   Super | ReplicationSlaveAdmin,
	"replicate_wild_ignore_table":               Super | ReplicationSlaveAdmin,
	"rpl_semi_sync_slave_delay_master":          Super | ReplicationSlaveAdmin,
	"rpl_semi_sync_slave_enabled":               Super | ReplicationSlaveAdmin,
	"rpl_semi_sync_slave_kill_conn_timeout":     Super | ReplicationSlaveAdmin,
	"rpl_semi_sync_slave_trace_level":           Super | ReplicationSlaveAdmin,
	"slave_compressed_protocol":                 Super | ReplicationSlaveAdmin,
	"slave_ddl_exec_mode":                       Super | ReplicationSlaveAdmin,
	"slave_domain_parallel_threads":             Super | ReplicationSlaveAdmin,
	"slave_exec_mode":                           Super | ReplicationSlaveAdmin,
	"slave_max_allowed_packet":                  Super | ReplicationSlaveAdmin,
	"slave_net_timeout":                         Super | ReplicationSlaveAdmin,
	"slave_parallel_max_queued":                 Super | ReplicationSlaveAdmin,
	"slave_parallel_mode":                       Super | ReplicationSlaveAdmin,
	"slave_parallel_threads":                    Super | ReplicationSlaveAdmin,
	"slave_parallel_workers":                    Super | ReplicationSlaveAdmin,
	"slave_run_triggers_for_rbr":                Super | ReplicationSlaveAdmin,
	"slave_sql_verify_checksum":                 Super | ReplicationSlaveAdmin,
	"slave_transaction_retry_interval":          Super | ReplicationSlaveAdmin,
	"slave_type_conversions":                    Super | ReplicationSlaveAdmin,
	"sync_master_info":                          Super | ReplicationSlaveAdmin,
	"sync_relay_log":                            Super | ReplicationSlaveAdmin,
	"sync_relay_log_info":                       Super | ReplicationSlaveAdmin,
	"slave_max_statement_time":                  ReplicationSlaveAdmin,
	"read_only":                                 ReadOnlyAdmin,
	"max_binlog_total_size":                     Super | BinlogAdmin,
	"binlog_space_limit":                        Super | BinlogAdmin,
	"slave_connections_needed_for_purge":        Super | BinlogAdmin,
	"binlog_large_commit_threshold":             Super | BinlogAdmin,
	"checkpoint_log_size":                       Super | BinlogAdmin,
	"checkpoint_interval":                       Super | BinlogAdmin,
}
