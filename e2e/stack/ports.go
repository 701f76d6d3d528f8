package stack

import (
	"errors"

	"github.com/tollgate/tollgate/libs/porttest"
)

// Ports holds the ports of one program, or of several programs that end together.
type Ports []*porttest.Port

// Reserve reserves one more port.
func (p *Ports) Reserve() (*porttest.Port, error) {
	port, err := porttest.Reserve()
	if err == nil {
		*p = append(*p, port)
	}
	return port, err
}

// Release releases all ports. It may be called twice.
func (p *Ports) Release() error {
	var errs []error
	for _, port := range *p {
		errs = append(errs, port.Release())
	}
	*p = nil
	return errors.Join(errs...)
}
