package money_test

import (
	"encoding/json"
	"fmt"

	"github.com/tollgate/tollgate/libs/core/money"
)

// An Amount is a whole number of nano-dollars. Text is a decimal of USD.
func ExampleParse() {
	amount, err := money.Parse("0.00015")
	fmt.Println(int64(amount), amount, err)

	_, err = money.Parse("0.0000000001") // finer than a nano-dollar
	fmt.Println(err)
	_, err = money.Parse("1e-4")
	fmt.Println(err)
	// Output:
	// 150000 0.00015 <nil>
	// "0.0000000001": more than 9 decimals
	// "1e-4": not a decimal number
}

// JSON has amounts as strings, so that no reader rounds them to a float.
func ExampleAmount_MarshalText() {
	body, err := json.Marshal(map[string]money.Amount{"quota": 12*money.USD + 1})
	fmt.Println(string(body), err)
	// Output: {"quota":"12.000000001"} <nil>
}

// A sum that is too large stops at Max. It never wraps around to a small or
// negative amount, which would admit a call that must be refused.
func ExampleAdd() {
	fmt.Println(money.Add(money.USD, money.USD/2))
	fmt.Println(money.Add(money.Max, money.USD) == money.Max)
	// Output:
	// 1.5
	// true
}

// A group that pays 15 % less has the multiplier 0.85.
func ExampleParseFactor() {
	discount, err := money.ParseFactor("0.85")
	fmt.Println(discount, discount < money.One, err)

	_, err = money.ParseFactor("-1")
	fmt.Println(err)
	// Output:
	// 0.85 true <nil>
	// "-1": must not be negative
}
