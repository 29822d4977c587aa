package igemm

import "slices"

// ConvShape describes a convolution of bytes. In, Out, Kernel, Stride, Dilation
// and Begin are of the spatial dimensions.
type ConvShape struct {
	N, C, M, Group                               int
	In, Out, Kernel, Stride, Dilation, BeginPads []int
}

// Sink takes the sums of a convolution: those of some channels from channel on
// at some pixels of an image from pixel on. The sum of channel c at pixel p is
// sums[p*pixelStep+c*channelStep], both counted from the first.
//
// Concurrency: called by several threads at once, for different places.
type Sink interface {
	Store(image, channel, channels, pixel, pixels int, sums []int32, pixelStep, channelStep int)
}

// ConvArgs are the operands of a convolution.
type ConvArgs struct {
	X    []byte  // [N, C, In...]
	Flip byte    // Flip where X is signed
	Zero byte    // zero point of X, which pads have, flipped like X
	W    []byte  // [M, C/Group, Kernel...]; packed by PackFilters unless Direct
	Bits byte    // flips the elements of W: Flip where they are unsigned
	Init []int32 // [M]: what the sums start from
	// ZeroW are the zero points of the flipped filters, [M]; nil where all are 0.
	ZeroW   []int32
	Scratch []byte  // of ScratchBytes
	Sums    []int32 // of ScratchSums
	Sink    Sink
}

// Conv computes convolutions of one shape. Each group is a product of matrices:
// a row is a pixel of the output with all that its window covers, channels
// innermost; a column is a filter. Groups of one channel are summed directly.
//
// It implements op.Task over Parts, in two steps for each image: see Step.
type Conv struct {
	s                   ConvShape
	cg, mg, taps, k     int
	pixels, outs, parts int
	at                  [][]int // for each dimension, [Out][Kernel]: where in the input, or -1
	alike               bool    // a row is a pixel of the input as it lies there
	args                *ConvArgs
	image               int
	gather              bool
}

// block is how many pixels are multiplied at once: a multiple of every tile's
// rows.
const block = 48

// NewConv returns the convolution of a shape for so many threads.
func NewConv(s *ConvShape, threads int) *Conv {
	v := &Conv{s: *s, cg: s.C / s.Group, mg: s.M / s.Group, taps: elements(s.Kernel), pixels: elements(s.In), outs: elements(s.Out)}
	v.k = v.cg * v.taps
	v.parts = min(v.work(), 8*threads)
	for d, n := range s.Out {
		list := make([]int, 0, n*s.Kernel[d])
		for o := range n {
			for k := range s.Kernel[d] {
				i := o*s.Stride[d] - s.BeginPads[d] + k*s.Dilation[d]
				if i < 0 || i >= s.In[d] {
					i = -1
				}
				list = append(list, i)
			}
		}
		v.at = append(v.at, list)
	}
	// A pad on one side and a cut on the other move the pixels.
	padded := slices.ContainsFunc(s.BeginPads, func(n int) bool { return n != 0 })
	v.alike = v.taps == 1 && !padded && slices.Equal(s.In, s.Out) && v.k == Depths(v.k)
	return v
}

func elements(s []int) int {
	n := 1
	for _, d := range s {
		n *= d
	}
	return n
}

// Direct reports whether the filters are read as they are, not packed.
func (v *Conv) Direct() bool { return v.cg == 1 }

// work is how many pieces an image has: rows of a channel, or blocks of pixels
// of a group.
func (v *Conv) work() int {
	if v.Direct() {
		return v.s.M
	}
	return v.s.Group * ((v.outs + block - 1) / block)
}

// Parts returns the length of the loop of either step.
func (v *Conv) Parts() int { return v.parts }

// ScratchBytes returns the size of ConvArgs.Scratch.
func (v *Conv) ScratchBytes() int {
	if v.Direct() {
		return v.parts * v.padded()
	}
	return v.s.C*v.pixels + v.parts*block*Depths(v.k)
}

// ScratchSums returns the length of ConvArgs.Sums.
func (v *Conv) ScratchSums() int {
	if v.Direct() {
		return v.parts * v.directSums()
	}
	return v.parts * block * v.mg
}

func (v *Conv) rowLength() int { return v.s.Out[len(v.s.Out)-1] }

// FiltersSize returns how many bytes PackFilters writes.
func (v *Conv) FiltersSize() int { return v.s.Group * PackedSize(v.k, v.mg) }

// PackFilters packs W; flip is Flip where it is unsigned.
func (v *Conv) PackFilters(dst, w []byte, flip byte) {
	clear(dst[:v.FiltersSize()])
	if v.k == 0 { // no channels
		return
	}
	for g := range v.s.Group {
		for m := range v.mg {
			column := dst[g*PackedSize(v.k, v.mg)+m/Panel*Panel*Depths(v.k)+m%Panel*Depth:]
			for c := range v.cg {
				for t := range v.taps {
					k := t*v.cg + c
					column[k/Depth*Panel*Depth+k%Depth] = w[((g*v.mg+m)*v.cg+c)*v.taps+t] ^ flip
				}
			}
		}
	}
}

// Bind gives v its operands.
func (v *Conv) Bind(args *ConvArgs) { v.args = args }

// Step sets what the next loop over Parts does: gather brings an image into the
// order of pixels with their channels; the other step computes. Direct
// convolutions need no gathering.
func (v *Conv) Step(image int, gather bool) { v.image, v.gather = image, gather }

// Chunk runs parts of the current step.
func (v *Conv) Chunk(lo, hi int) {
	for part := lo; part < hi; part++ {
		switch {
		case v.gather:
			v.turn(part)
		case v.Direct():
			for m := v.s.M * part / v.parts; m < v.s.M*(part+1)/v.parts; m++ {
				sums := v.args.Sums[part*v.directSums() : (part+1)*v.directSums()]
				if n := v.padded(); n > 0 {
					v.plane(m, v.args.Scratch[part*n:(part+1)*n], sums)
				} else {
					v.channel(m, sums)
				}
			}
		default:
			n := v.work()
			for i := n * part / v.parts; i < n*(part+1)/v.parts; i++ {
				v.multiply(part, i)
			}
		}
	}
}

// turn writes a part of the pixels of the image to [Group][pixel][channel]. Parts begin
// at multiples of 16 pixels, which Turn takes at once.
func (v *Conv) turn(part int) {
	ends := [2]int{v.pixels, v.pixels}
	for i := range ends {
		if part+i < v.parts {
			ends[i] = v.pixels * (part + i) / v.parts &^ 15
		}
	}
	p, n := ends[0], ends[1]-ends[0]
	for c := 0; n > 0 && c < v.s.C; c += v.cg {
		Turn(v.args.Scratch[c*v.pixels+p*v.cg:], v.cg, v.args.X[(v.image*v.s.C+c)*v.pixels+p:], v.pixels, v.cg, n, v.args.Flip)
	}
}

// multiply computes block i of the image.
func (v *Conv) multiply(part, i int) {
	blocks := v.work() / v.s.Group
	g, p0 := i/blocks, i%blocks*block
	rows, depth := min(block, v.outs-p0), Depths(v.k)
	x := v.args.Scratch[g*v.cg*v.pixels:][:v.cg*v.pixels]
	var a []byte
	if v.alike {
		a = x[p0*depth : (p0+rows)*depth]
	} else {
		a = v.args.Scratch[v.s.C*v.pixels+part*block*depth:][:block*depth]
		v.windows(a, x, p0, rows)
	}
	sums := v.args.Sums[part*block*v.mg:][:block*v.mg]
	m0 := g * v.mg
	product := Args{
		M: rows, N: v.mg, K: v.k, A: a, LDA: depth, B: v.args.W[g*PackedSize(v.k, v.mg):], C: sums, LDC: v.mg,
		Init: v.args.Init[m0 : m0+v.mg],
	}
	Run(&product, 0, rows, 0, v.mg)
	if v.args.ZeroW != nil {
		v.correct(a, sums, rows, v.args.ZeroW[m0:m0+v.mg])
	}
	v.args.Sink.Store(v.image, m0, v.mg, p0, rows, sums, v.mg, 1)
}

// correct takes off what the zero points of the filters contribute.
func (v *Conv) correct(a []byte, sums []int32, rows int, zeros []int32) {
	for r := range rows {
		s := int32(0)
		for _, b := range a[r*Depths(v.k):][:v.k] {
			s += int32(b)
		}
		for m, z := range zeros {
			sums[r*v.mg+m] -= z * s
		}
	}
}
