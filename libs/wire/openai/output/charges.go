package output

import "github.com/tollgate/tollgate/libs/wire/openai/tally"

// addCharges adds what the frame states outside of its usage object to the charges of its stream.
func (f *Frame) addCharges(c *tally.Charges) {
	if f.Event == nil {
		c.ReadChunk(f.Data, f.Chunk.tier.Of(f.Data), f.Chunk.isPlainText)
		return
	}
	switch e := f.Event; e.Type {
	case eventOther, EventDelta, eventError: // the usage of a message has its other charges
		c.AddContainer(e.container.Of(f.Data))
	case eventItem:
		c.AddItem(f.Data, e.item)
	default:
		c.AddContainer(e.container.Of(f.Data))
		c.SetTier(e.tier.Of(f.Data))
		c.SetCounts(e.tools.Of(f.Data))
		c.AddItems(f.Data, e.output)
	}
}
