//go:build profile

package main

import (
	"fmt"
	"os"
	"runtime/pprof"
	"time"
)

// A library built with this tag profiles the first seconds of the process, from its
// load on, into $GORUNTIME_PROFILE: `make profile` makes default.pgo of it.
func init() {
	f, err := os.Create(os.Getenv("GORUNTIME_PROFILE"))
	if err == nil {
		err = pprof.StartCPUProfile(f)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "no profile:", err)
		os.Exit(1)
	}
	time.AfterFunc(20*time.Second, func() {
		pprof.StopCPUProfile()
		f.Close()
	})
}
