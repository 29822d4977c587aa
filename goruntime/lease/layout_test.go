package lease_test

import (
	"os"
	"regexp"
	"strconv"
	"testing"
	"unsafe"

	"github.com/goruntime/goruntime/goruntime/lease"
)

// goLayout is what unsafe says of the structs that C has too.
var goLayout = map[string]uintptr{
	"gr_lease":                  unsafe.Sizeof(lease.Header{}),
	"gr_lease.state":            unsafe.Offsetof(lease.Header{}.State),
	"gr_lease.next":             unsafe.Offsetof(lease.Header{}.Next),
	"gr_lease.data":             unsafe.Offsetof(lease.Header{}.Data),
	"gr_lease.size":             unsafe.Offsetof(lease.Header{}.Size),
	"gr_lease.bytes":            unsafe.Offsetof(lease.Header{}.Bytes),
	"gr_lease.control":          unsafe.Offsetof(lease.Header{}.Control),
	"gr_lease.block":            unsafe.Offsetof(lease.Header{}.Block),
	"gr_lease.slot":             unsafe.Offsetof(lease.Header{}.Slot),
	"gr_lease_control":          unsafe.Sizeof(lease.Control{}),
	"gr_lease_control.head":     unsafe.Offsetof(lease.Control{}.Head),
	"gr_lease_control.returned": unsafe.Offsetof(lease.Control{}.Returned),
	"gr_lease_control.retained": unsafe.Offsetof(lease.Control{}.Retained),
	"gr_lease_control.cap":      unsafe.Offsetof(lease.Control{}.Cap),
	"gr_lease_shared.futex":     unsafe.Offsetof(lease.Shared{}.Futex),
	"gr_lease_shared.forked":    unsafe.Offsetof(lease.Shared{}.Forked),
}

var assertion = regexp.MustCompile(`GR_STATIC_ASSERT\((sizeof|offsetof)\((\w+)(?:, (\w+))?\) == (\d+)`)

// What C asserts of its structs is what Go's have.
func TestLayoutIsThatOfLeaseH(t *testing.T) {
	src, err := os.ReadFile("../../capi/lease.h")
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for _, m := range assertion.FindAllStringSubmatch(string(src), -1) {
		name := m[2]
		if m[1] == "offsetof" {
			name += "." + m[3]
		}
		want, err := strconv.Atoi(m[4])
		if err != nil {
			t.Fatal(err)
		}
		got, ok := goLayout[name]
		if !ok {
			t.Errorf("lease.h asserts %s, which this test does not know", name)
		} else if got != uintptr(want) {
			t.Errorf("%s: %d in Go, %d in C", name, got, want)
		}
		seen[name] = true
	}
	for name := range goLayout {
		if !seen[name] {
			t.Errorf("lease.h asserts nothing of %s", name)
		}
	}
}
