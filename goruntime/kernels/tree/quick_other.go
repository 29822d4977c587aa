//go:build !amd64 || portable || race

package tree

import "unsafe"

func quickly() bool { return false }

func walkQuick(*quickTree, int, *quickNode, *float32, *int32, *float32) {}

func keysOfRows(*int32, unsafe.Pointer, int, int, int) int { return 0 }

func keysOfColumns(*int32, *unsafe.Pointer, int, int, int) int { return 0 }
