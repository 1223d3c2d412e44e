package mysqlerr

// What partitions can be wrong about.
const (
	PartitionWrongExpr         uint16 = 1486
	PartitionFieldNotFound     uint16 = 1488
	PartitionFuncNotAllowed    uint16 = 1491
	PartitionRangeOrder        uint16 = 1493
	PartitionListTwice         uint16 = 1495
	PartitionMixedEngines      uint16 = 1497
	PartitionTooMany           uint16 = 1499
	PartitionSubOnlyMixed      uint16 = 1500
	PartitionBlob              uint16 = 1502
	PartitionNone              uint16 = 1505
	PartitionFeature           uint16 = 1506
	PartitionDoesNotExist      uint16 = 1507
	PartitionDropLast          uint16 = 1508
	PartitionCoalesceOnlyHash  uint16 = 1509
	PartitionReorganizeHash    uint16 = 1510
	PartitionReorganizeNone    uint16 = 1511
	PartitionOnlyRangeList     uint16 = 1512
	PartitionAddWrongSubs      uint16 = 1513
	IllegalTableOption         uint16 = 1478
	PartitionAddNone           uint16 = 1514
	PartitionCoalesceNone      uint16 = 1515
	PartitionReorganizeTooMany uint16 = 1516
	PartitionConsecutive       uint16 = 1519
	PartitionOutsideRange      uint16 = 1520
	PartitionConstDomain       uint16 = 1563
	PartitionNullLessThan      uint16 = 1566
	PartitionWrongName         uint16 = 1567
	PartitionSameField         uint16 = 1652
	PartitionWrongColumnValue  uint16 = 1654
	PartitionFieldType         uint16 = 1659
	PartitionFieldsTooLong     uint16 = 1660
	ExchangeOtherOption        uint16 = 1731
	ExchangeTemporary          uint16 = 1733
	ExchangeSubpartitioned     uint16 = 1734
	PartitionUnknown           uint16 = 1735
	ExchangeOtherDefinition    uint16 = 1736
	ExchangeOtherRow           uint16 = 1737
	ExchangeForeignKey         uint16 = 1740
	PartitionClauseOnNone      uint16 = 1747
	PartitionOtherSet          uint16 = 1748
)

func init() {
	for number, text := range map[uint16]string{
		PartitionWrongExpr:         "Constant, random or timezone-dependent expressions in (sub)partitioning function are not allowed",
		PartitionFieldNotFound:     "Field in list of fields for partition function not found in table",
		PartitionFuncNotAllowed:    "The %v function returns the wrong type",
		PartitionRangeOrder:        "VALUES LESS THAN value must be strictly increasing for each partition",
		PartitionListTwice:         "Multiple definition of same constant in list partitioning",
		PartitionMixedEngines:      "The mix of handlers in the partitions is not allowed in this version of MariaDB",
		PartitionTooMany:           "Too many partitions (including subpartitions) were defined",
		PartitionSubOnlyMixed:      "It is only possible to mix RANGE/LIST partitioning with HASH/KEY partitioning for subpartitioning",
		PartitionBlob:              "A BLOB field is not allowed in partition function",
		PartitionNone:              "Partition management on a not partitioned table is not possible",
		PartitionFeature:           "Partitioned tables do not support %v",
		PartitionDoesNotExist:      "Wrong partition name or partition list",
		PartitionDropLast:          "Cannot remove all partitions, use DROP TABLE instead",
		PartitionCoalesceOnlyHash:  "COALESCE PARTITION can only be used on HASH/KEY partitions",
		PartitionReorganizeHash:    "REORGANIZE PARTITION can only be used to reorganize partitions not to change their numbers",
		PartitionAddWrongSubs:      "Trying to Add partition(s) with wrong number of subpartitions",
		IllegalTableOption:         "Table storage engine '%v' does not support the create option '%v'",
		PartitionReorganizeNone:    "REORGANIZE PARTITION without parameters can only be used on auto-partitioned tables using HASH PARTITIONs",
		PartitionOnlyRangeList:     "%v PARTITION can only be used on RANGE/LIST partitions",
		PartitionAddNone:           "At least one partition must be added",
		PartitionCoalesceNone:      "At least one partition must be coalesced",
		PartitionReorganizeTooMany: "More partitions to reorganize than there are partitions",
		PartitionConsecutive:       "When reorganizing a set of partitions they must be in consecutive order",
		PartitionOutsideRange: "Reorganize of range partitions cannot change total ranges except for last partition where it can extend " +
			"the range",
		PartitionConstDomain:      "Partition constant is out of partition function domain",
		PartitionNullLessThan:     "Not allowed to use NULL value in VALUES LESS THAN",
		PartitionWrongName:        "Incorrect partition name",
		PartitionSameField:        "Duplicate partition field name '%v'",
		PartitionWrongColumnValue: "Partition column values of incorrect type",
		PartitionFieldType:        "Field '%v' is of a not allowed type for this type of partitioning",
		PartitionFieldsTooLong:    "The total length of the partitioning fields is too large",
		ExchangeOtherOption:       "Non matching attribute '%v' between partition and table",
		ExchangeTemporary:         "Table to exchange with partition is temporary: '%v'",
		ExchangeSubpartitioned:    "Subpartitioned table, use subpartition instead of partition",
		ExchangeOtherDefinition:   "Tables have different definitions",
		ExchangeOtherRow:          "Found a row that does not match the partition",
		ExchangeForeignKey:        "Table to exchange with partition has foreign key references: '%v'",
		PartitionUnknown:          "Unknown partition '%v' in table '%v'",
		PartitionClauseOnNone:     "PARTITION () clause on non partitioned table",
		PartitionOtherSet:         "Found a row not matching the given partition set",
	} {
		table[number] = entry{"HY000", text}
	}
}
