//go:build !portable && !race

package cpu

import "golang.org/x/sys/cpu"

// levels are those of the architecture.
var levels = []Level{Portable, AVX2, AVX512}

func detect() Level {
	x := cpu.X86
	switch {
	case !x.HasAVX2 || !x.HasFMA:
		return Portable
	case x.HasAVX512F && x.HasAVX512BW && x.HasAVX512VL && x.HasAVX512DQ:
		return AVX512
	default:
		return AVX2
	}
}

func detectVBMI() bool { return cpu.X86.HasAVX512VBMI }

func detectVNNI() bool { return cpu.X86.HasAVX512VNNI }
