//go:build !amd64 || portable || race

package tree

import "unsafe"

func vectors() bool { return false }

func walkQuick(*quickTree, int, *quickNode, *float32, *uint32, *float32) {}

func walkDouble(*doubleTree, int, *doubleNode, *float64, *uint64, *uint64, *float64, int) {}

func keysOfRows(*uint32, unsafe.Pointer, int, int, int, int) {}

func keysOfColumns(*uint32, *unsafe.Pointer, int, int, int, int) {}
