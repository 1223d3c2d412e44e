// Package exec runs plans: it reads rows, keeps those that are asked for, brings them into order.
package exec
