//go:build !amd64 || portable || race

package cpu

func detect() Level { return Portable }

func detectVNNI() bool { return false }
