package conv

// fewestTurned is how many channels and filters are worth being turned, where there are
// enough pixels to fill vectors.
const fewestTurned = widest

// What the ways to a product cost beside it, in multiplications of vectors: a run of
// channels under a tap to copy beside its vectors, some numbers to turn from planes or back,
// a padded row to lay and, where columns are picked, to split beside its numbers.
const (
	tapCost   = 24
	turnsOne  = 2 // numbers for one multiplication
	lineCost  = 30
	splitCost = 70
)

// rowsPay reports whether windows that slide over rows of pixels leave so much of their
// vectors empty that to lay out a row for each pixel is less work.
func (p *Plan) rowsPay() bool {
	d, channels := &p.slide.d, p.s.C/p.s.Group
	if min(channels, p.perM) < fewestTurned {
		return false
	}
	lanes := chosen().lanes
	line := whole(d.outWidth, lanes)
	if d.width < line {
		line = d.width // tiles run over the ends of rows
	}
	lay := lineCost + d.inWidth/lanes
	if d.across > 1 {
		lay += splitCost + d.inWidth
	}
	slid := p.slide.high*line*p.perM*p.k/lanes + channels*d.inRows*lay
	rows := whole(p.pixels, tileRows)*whole(p.perM, lanes)*p.k/lanes +
		p.pixels*p.taps*(tapCost+channels/lanes) + (channels*p.plane+p.perM*p.pixels)/turnsOne
	return rows < slid
}
