// Package memory budgets what statements take, in two ways. What they hold on to (rows that are sorted, grouped, joined by hash or kept
// until a commit, user variables ...) is counted, by estimated bytes, per session (max_session_mem_used, error 1290) and for all
// sessions together (error 1041). And because the estimates cover only what is known to be held, the real heap is looked at before each
// large value is made, and whenever a session asks the server for more: see Server.admit. The statement that would exceed a limit fails;
// nothing else does.
package memory
