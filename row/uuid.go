package row

import "bytes"

// Where the parts of a UUID begin: time (low, middle, high with the version), clock sequence (with the variant), node.
const (
	timeMiddleAt = 4
	versionAt    = 6
	variantAt    = 8
	nodeAt       = 10
	uuidSize     = 16

	versionsEnd = 0x60 // the byte of a version from 6 on
	variantBit  = 0x80
)

// AppendUUIDKey appends the bytes of a UUID in the order in which they are compared: versions below 6 begin with their least random part, the
// node, and end with the part that changes most, the low bits of the time (MDEV-29959).
func AppendUUIDKey(dst, v []byte) []byte {
	if len(v) != uuidSize || v[versionAt] == 0 || v[versionAt] >= versionsEnd || v[variantAt]&variantBit == 0 {
		return append(dst, v...)
	}
	dst = append(dst, v[nodeAt:]...)
	dst = append(dst, v[variantAt:nodeAt]...)
	dst = append(dst, v[versionAt:variantAt]...)
	dst = append(dst, v[timeMiddleAt:versionAt]...)
	return append(dst, v[:timeMiddleAt]...)
}

// CompareUUIDs is the order of two UUIDs.
func CompareUUIDs(x, y []byte) int {
	var v, w [uuidSize]byte
	return bytes.Compare(AppendUUIDKey(v[:0], x), AppendUUIDKey(w[:0], y))
}

// UUIDWeight is the WeightFunc of a UUID, which an image has without the zeros at its end.
func UUIDWeight(dst, s []byte) []byte {
	var whole [uuidSize]byte
	copy(whole[:], s)
	return AppendUUIDKey(dst, whole[:])
}
