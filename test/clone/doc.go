// Package clone makes replicas of real servers with duramen clone, while they are written to, and compares what came of it.
package clone
