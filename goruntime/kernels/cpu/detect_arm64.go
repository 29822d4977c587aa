//go:build !portable && !race

package cpu

// levels are those of the architecture.
var levels = []Level{Portable, NEON}

func detect() Level { return NEON } // which every arm64 has

func detectVBMI() bool { return false }

func detectVNNI() bool { return false }
