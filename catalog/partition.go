package catalog

// PartitioningDef is how the rows of a table are distributed over partitions, in MariaDB's words. Where a row is kept does not depend on it.
type PartitioningDef struct {
	// By and Sub are what partitions and subpartitions are made of, as SHOW CREATE TABLE prints it: "RANGE (`a`)". Sub is empty without
	// subpartitions.
	By  string
	Sub string `json:",omitempty"`
	// Counted and SubCounted say that definitions have the number of partitions (of subpartitions in each), Listed and SubListed that they have
	// them one by one.
	Counted    bool `json:",omitempty"`
	SubCounted bool `json:",omitempty"`
	Listed     bool `json:",omitempty"`
	SubListed  bool `json:",omitempty"`
	Partitions []PartitionDef
}

// PartitionDef is a partition, or a subpartition.
type PartitionDef struct {
	Name string
	// Values are which rows it has, as printed: "VALUES LESS THAN (10)"; empty where that is computed.
	Values string `json:",omitempty"`
	// Options are as printed, without the engine, which is the table's: "MAX_ROWS = 7".
	Options string `json:",omitempty"`
	// Comment is the one among the options.
	Comment string         `json:",omitempty"`
	Subs    []PartitionDef `json:",omitempty"`
}
