//go:build !amd64 || portable || race

package cpu

func detect() Level { return Portable }

func detectVBMI() bool { return false }

func detectVNNI() bool { return false }
