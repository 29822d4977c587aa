//go:build (!amd64 && !arm64) || portable || race

package cpu

// levels are those of the architecture.
var levels = []Level{Portable}

func detect() Level { return Portable }

func detectVBMI() bool { return false }

func detectVNNI() bool { return false }
