package ddlreplica

// partitioned are statements about tables with partitions: a replica must find the same rows in each.
var partitioned = []string{
	"CREATE TABLE pt (a int, b int) partition by range(a) (partition p0 values less than (10), partition p1 values less than (20), partition p2 values less than (30))",
	"INSERT INTO pt values (1,1),(11,1),(21,1),(12,5)",
	"ALTER TABLE pt drop partition p1",
	"INSERT INTO pt values (15,3),(16,4)",
	"ALTER TABLE pt add partition (partition p3 values less than (40))",
	"INSERT INTO pt values (39,1)",
	"ALTER TABLE pt reorganize partition p2 into (partition q1 values less than (16), partition q2 values less than (30))",
	"ALTER TABLE pt truncate partition q1",
	"CREATE TABLE ph partition by hash(a) partitions 3 select a, b from pt",
	"ALTER TABLE ph add partition partitions 2",
	"ALTER TABLE ph coalesce partition 1",
	"CREATE TABLE plist (a int) partition by list(a) (partition x values in (1,2), partition y values in (3,4))",
	"INSERT INTO plist values (1),(2),(3),(4)",
	"ALTER TABLE plist reorganize partition y into (partition z values in (4))",
	"CREATE TABLE pmade like pt",
	"INSERT INTO pmade select * from pt",
	"ALTER TABLE pmade remove partitioning",
	"CREATE TABLE pn (a int, b varchar(9))",
	"INSERT INTO pn values (1,'a'),(2,'b')",
	"ALTER TABLE pn partition by key(b) partitions 2",
	"CREATE OR REPLACE TABLE po (a int) partition by hash(a) partitions 2",
}
