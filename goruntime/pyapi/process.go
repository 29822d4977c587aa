package pyapi

import (
	"runtime"

	"github.com/goruntime/goruntime/goruntime/handles"
	"github.com/goruntime/goruntime/goruntime/kernels/cpu"
	"github.com/goruntime/goruntime/goruntime/kernels/gemm"
	"github.com/goruntime/goruntime/goruntime/pool"

	_ "github.com/goruntime/goruntime/goruntime/ops" // links the operators
)

type config struct {
	Go      string `json:"go"`
	OS      string `json:"os"`
	Arch    string `json:"arch"`
	CPU     string `json:"cpu"`
	Gemm    string `json:"gemm"`
	Threads int    `json:"threads"`
}

// Config returns how the library was built and what it uses here, as a JSON
// object.
func Config() (text string, err error) {
	defer guard(&err)
	return asJSON(config{
		Go: runtime.Version(), OS: runtime.GOOS, Arch: runtime.GOARCH,
		CPU: cpu.Best().String(), Gemm: gemm.Variant(), Threads: pool.Width(),
	})
}

type objects struct {
	Sessions int    `json:"sessions"`
	Arenas   int    `json:"arenas"`
	Stops    int    `json:"stops"`
	GoBytes  uint64 `json:"go_bytes"`
}

// Objects counts what is open and the bytes of Go objects, after a collection, as a JSON
// object: for tests that look for leaks.
func Objects() (text string, err error) {
	defer guard(&err)
	runtime.GC()
	var memory runtime.MemStats
	runtime.ReadMemStats(&memory)
	return asJSON(objects{
		Sessions: handles.Sessions.Len(), Arenas: handles.Arenas.Len(),
		Stops: handles.Stops.Len(), GoBytes: memory.HeapAlloc,
	})
}
