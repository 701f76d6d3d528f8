package chaos

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/tollgate/tollgate/e2e/hostile"
)

// The tenants of the hostile clients. The audit expects usage logs of these tenants that no customer asked for.
const (
	hostileTenant = "hostile" // has quota
	brokeTenant   = "broke"   // has none
	hostileOwner  = "owner@hostile.example"
	strangers     = "127.0.0.66" // local address of hostile clients at the console
)

// hostileTokens returns the values of the hostile tenant's tokens.
func hostileTokens() []string {
	return []string{"hostile-a-0123456789abcdef", "hostile-b-0123456789abcdef", "hostile-c-0123456789abcdef"}
}

const brokeToken = "broke-main-0123456789abcdef"

// attacks returns the faults that hostile clients cause, in the order of a run. No failure of another client is
// acceptable. Hostile clients send at most about 100 MB/s together, as through a network of 1 Gbit/s: on the machine
// of a test they would otherwise take the CPU time of everybody else.
func attacks() []fault {
	attack := func(name string, begin func(context.Context, *run) error) fault {
		short := []string{"poison", "poison-one-of-two", "poison-responses", "large-bodies", "sign-in-guesses"}
		return fault{name: name, inject: attacking(begin), attack: true, long: !slices.Contains(short, name)}
	}
	return []fault{
		attack("poison", poison(hostile.Poisons(), "plain", "expensive", "mixed", "flat")),
		attack("poison-one-of-two", poison(hostile.Poisons(), paired)),
		attack("poison-responses", poison(append(hostile.Poisons(), hostile.ResponsesPoisons()...), native)),
		attack("large-bodies", largeBodies),
		attack("slow-bodies", slowBodies),
		attack("departures", departures),
		attack("headers", headers),
		attack("model-lists", modelLists),
		attack("console-headers", consoleHeaders),
		attack("sign-in-bodies", signInBodies),
		attack("console-bodies", consoleBodies),
		attack("sign-in-flood", signInFlood),
		attack("sign-in-guesses", signInGuesses),
	}
}

// poison sends calls of every kind for the models, with several tokens of one tenant.
// Customers call the same models on the same channels and credentials all the while.
func poison(kinds []hostile.Poison, models ...string) func(context.Context, *run) error {
	return func(ctx context.Context, r *run) error {
		const rounds, leaving = 8, 2 // calls of one token of each kind; fewer if the client leaves after a while
		client := &http.Client{Transport: transportFrom("")}
		var calls sync.WaitGroup
		for _, kind := range kinds {
			statuses := make(chan int, rounds*len(hostileTokens()))
			for i, token := range hostileTokens() {
				calls.Go(func() {
					n := rounds
					if kind.Leave > 0 {
						n = leaving
					}
					for k := range n {
						statuses <- kind.Send(ctx, client, r.stage.Relays[(i+k)%relays].URL, token,
							models[k%len(models)])
						r.sleep(ctx, r.o.Duration/time.Duration(rounds*len(kinds)))
					}
				})
			}
			calls.Wait()
			close(statuses)
			counts := map[string]int{}
			for status := range statuses {
				counts[fmt.Sprint(status)]++
			}
			r.did("%s: %s", kind.Name, classes(counts))
		}
		return nil
	}
}

// chatHead is the beginning of the body of a hostile call. The upstream's sink needs the stream field first.
func chatHead(stream bool) string {
	return fmt.Sprintf(`{"stream":%t,"model":%q,"messages":[{"role":"user","content":"`, stream, sink)
}

const chatTail = `"}]}`

// callFlood returns connections to a relay that each send a call with a body of size bytes.
func callFlood(relay *Relay, token string, size int64, stream bool) *hostile.Flood {
	head := chatHead(stream)
	return &hostile.Flood{
		Addr:   hostOf(relay.URL),
		Head:   hostile.PostHead("/v1/chat/completions", "Authorization: Bearer "+token+"\r\n", size, head),
		Filler: size - int64(len(head)+len(chatTail)), Tail: chatTail,
	}
}

// hostOf returns host and port of a base URL.
func hostOf(base string) string {
	u, err := url.Parse(base)
	if err != nil {
		return ""
	}
	return u.Host
}

// flood runs a flood for at most d and adds its outcome to the report.
func (r *run) flood(ctx context.Context, f *hostile.Flood, d time.Duration, kind string) {
	ctx, cancel := context.WithTimeout(ctx, d)
	defer cancel()
	var outcome hostile.Outcome
	if err := f.RunApart(ctx, &outcome); err != nil {
		r.did("%s: %v", kind, err)
	}
	r.did("%d %s: %v", f.Conns, kind, &outcome)
}

// largeBodies sends large bodies at once: first with a token whose tenant has no quota, then with one that has.
func largeBodies(ctx context.Context, r *run) error {
	relay := r.stage.Relays[r.hitOne()]
	poor := callFlood(relay, brokeToken, 32<<20-1024, false)
	poor.Conns, poor.Piece, poor.Pause = 15, 256<<10, 40*time.Millisecond
	r.flood(ctx, poor, r.o.Duration, "bodies of 32 MiB without quota")
	rich := callFlood(relay, hostileTokens()[0], 30<<20, false)
	rich.Conns, rich.Piece, rich.Pause = 80, 256<<10, 200*time.Millisecond
	r.flood(ctx, rich, 3*r.o.Duration, "bodies of 30 MiB")
	return nil
}

// slowBodies sends large bodies slowly, half of them chunked.
func slowBodies(ctx context.Context, r *run) error {
	relay := r.stage.Relays[r.hitOne()]
	var floods sync.WaitGroup
	for i, isChunked := range []bool{false, true} {
		f := callFlood(relay, hostileTokens()[i], 30<<20, false)
		if isChunked {
			f.Chunked, f.Head = true, hostile.PostHead("/v1/chat/completions",
				"Authorization: Bearer "+hostileTokens()[i]+"\r\n", -1, chatHead(false))
		}
		f.Conns, f.Piece, f.Pause = 150, 16<<10, 100*time.Millisecond
		floods.Go(func() {
			r.flood(ctx, f, r.o.Duration, map[bool]string{false: "slow bodies", true: "slow chunked bodies"}[isChunked])
		})
	}
	floods.Wait()
	return nil
}

const (
	leaving     = 5000      // streams that leave together, if this process may open so many files
	settledSize = 400 << 20 // size to which a relay must shrink within a minute after them, in bytes
)

// departures opens streams with bodies of 200 KB, which all leave at once, and waits until the relay is small again.
func departures(ctx context.Context, r *run) error {
	r.phase.Attack.Calls.least = leastDeparting
	relay := r.stage.Relays[r.hitOne()]
	f := callFlood(relay, hostileTokens()[0], 200<<10, true)
	f.Conns, f.Rate = min(leaving, openFiles()/3), 250
	ctx, leave := context.WithCancel(ctx)
	defer leave()
	var outcome hostile.Outcome
	result := make(chan error, 1)
	go func() { result <- f.RunApart(ctx, &outcome) }()
	openErr := r.until(ctx, time.Minute, "the streams are open", func() bool { return outcome.Known() >= f.Conns })
	leave()
	if err := <-result; err != nil {
		return err
	}
	r.did("%d streams: %v", f.Conns, &outcome)
	began, pid := time.Now(), relay.PID()
	small := r.until(context.WithoutCancel(ctx), time.Minute, fmt.Sprintf("%s has at most %d MiB", relay.Name,
		settledSize>>20), func() bool {
		size, err := residentOf(pid)
		return err != nil || size <= settledSize
	})
	if size, err := residentOf(pid); err == nil {
		r.did("%v after they left, the relay has %d MiB", time.Since(began).Round(100*time.Millisecond), size>>20)
	}
	return errors.Join(openErr, small)
}

// errOneAddress skips attacks on the console from which clients at other addresses must be protected.
var errOneAddress = fmt.Errorf("%w: the console sees all clients at one address", errSkipped)

// headerFlood returns connections that each send 60 KiB of a header without its end.
func headerFlood(base string, conns int) *hostile.Flood {
	return &hostile.Flood{
		Addr: hostOf(base), Conns: min(conns, openFiles()*3/4), Rate: 1500, From: strangers,
		Head: "POST /v1/chat/completions HTTP/1.1\r\nHost: tollgate\r\nX-Filler: ", Filler: 60 << 10,
	}
}

// headers sends headers that don't end to a relay.
func headers(ctx context.Context, r *run) error {
	r.flood(ctx, headerFlood(r.stage.Relays[r.hitOne()].URL, 15_000), 2*r.o.Duration, "unfinished headers of 60 KiB")
	return nil
}

// consoleHeaders sends headers that don't end to the console.
func consoleHeaders(ctx context.Context, r *run) error {
	if r.stage.OneAddress {
		return errOneAddress
	}
	r.flood(ctx, headerFlood(r.stage.ConsoleURL, 5_000), r.o.Duration, "unfinished headers of 60 KiB")
	return nil
}

// signInBodies sends sign-ins with bodies that lack their end.
func signInBodies(ctx context.Context, r *run) error {
	return r.unfinishedBodies(ctx, "/api/session", "")
}

// consoleBodies does the same with the session of a user who is signed in.
func consoleBodies(ctx context.Context, r *run) error {
	v := newVisitor(r.stage.ConsoleURL, strangers)
	if class := v.signIn(ctx, hostileOwner); class != "" {
		return fmt.Errorf("sign in as %s: %s", hostileOwner, class)
	}
	return r.unfinishedBodies(ctx, "/api/tokens", v.cookies())
}

// unfinishedBodies sends bodies that lack their end to the console: too large ones, and small ones.
func (r *run) unfinishedBodies(ctx context.Context, path, header string) error {
	if r.stage.OneAddress {
		return errOneAddress
	}
	const body = `{"name":"`
	var floods sync.WaitGroup
	for _, size := range []int{1 << 20, 15 << 10} {
		for _, length := range []int64{int64(size), -1} {
			f := &hostile.Flood{
				Addr: hostOf(r.stage.ConsoleURL), From: strangers, Conns: 200, Rate: 100, Chunked: length < 0,
				Again: 4 * time.Second,
				Head:  hostile.PostHead(path, header, length, body), Filler: int64(size - len(body) - 1),
			}
			kind := map[bool]string{false: "unfinished", true: "unfinished and chunked"}[f.Chunked]
			floods.Go(func() { r.flood(ctx, f, r.o.Duration, fmt.Sprintf("bodies of %d KiB, %s", size>>10, kind)) })
		}
	}
	floods.Wait()
	return nil
}

// signInFlood signs in with a right password as often as the console permits.
func signInFlood(ctx context.Context, r *run) error {
	return r.tryPasswords(ctx, 32, 50*time.Millisecond, func(int) (email, word string) {
		return hostileOwner, password
	})
}

// signInGuesses guesses the password of a known account.
func signInGuesses(ctx context.Context, r *run) error {
	return r.tryPasswords(ctx, 8, 100*time.Millisecond, func(n int) (email, word string) {
		return attacked, fmt.Sprintf("guess number %d", n)
	})
}

// tryPasswords signs in with parallel clients of one address for the length of a fault.
func (r *run) tryPasswords(ctx context.Context, clients int, pause time.Duration,
	next func(n int) (email, word string)) error {
	if r.stage.OneAddress {
		return errOneAddress
	}
	ctx, cancel := context.WithTimeout(ctx, r.o.Duration)
	defer cancel()
	var mu sync.Mutex
	counts := map[string]int{}
	var running sync.WaitGroup
	for i := range clients {
		running.Go(func() {
			v := newVisitor(r.stage.ConsoleURL, strangers)
			for n := i; ctx.Err() == nil; n += clients {
				email, word := next(n)
				status, err := v.try(ctx, email, word)
				class := fmt.Sprint(status)
				if err != nil {
					class = classOf(err)
				}
				mu.Lock()
				counts[class]++
				mu.Unlock()
				r.sleep(ctx, pause)
			}
		})
	}
	running.Wait()
	r.did("sign-ins: %s", classes(counts))
	return nil
}

// modelLists creates tokens with as many models as the console accepts, for twice the length of a fault at most, and
// calls each relay with all of them.
func modelLists(ctx context.Context, r *run) error {
	const tokens = 400
	v := newVisitor(r.stage.ConsoleURL, "")
	if class := v.signIn(ctx, hostileOwner); class != "" {
		return fmt.Errorf("sign in as %s: %s", hostileOwner, class)
	}
	lists := modelListsToTry()
	models := lists[len(lists)-1]
	for _, list := range lists {
		if _, status, err := v.newToken(ctx, list); err == nil && status < http.StatusMultipleChoices {
			models = list
			break
		}
	}
	ctx, cancel := context.WithTimeout(ctx, 2*r.o.Duration)
	defer cancel()
	var mu sync.Mutex
	counts := map[string]int{}
	var creating sync.WaitGroup
	client := &http.Client{Transport: transportFrom("")}
	for range 8 {
		creating.Go(func() {
			for range tokens / 8 {
				value, status, err := v.newToken(ctx, models)
				if err != nil {
					return
				}
				mu.Lock()
				counts[fmt.Sprint(status)]++
				mu.Unlock()
				for _, relay := range r.stage.Relays {
					new(hostile.Poison).Send(ctx, client, relay.URL, value, "plain")
				}
			}
		})
	}
	creating.Wait()
	r.did("tokens with %d KiB of models: %s", len(models)>>10, classes(counts))
	return nil
}

// modelListsToTry returns the fields of tokens with many models. The console must accept only the last one:
// the first has too many models, and the second hides them behind another spelling of the key.
func modelListsToTry() []string {
	const large, limit = 100_000, 1_000
	return []string{
		fmt.Sprintf(`"models":[%s]`, names(large, 5)),
		fmt.Sprintf(`"models":[],"Models":[%s]`, names(large, 5)),
		fmt.Sprintf(`"models":[%s]`, names(limit, 100)),
	}
}

// newToken creates a token with the fields and returns its value, "" if the console refuses.
func (v *visitor) newToken(ctx context.Context, fields string) (value string, status int, err error) {
	status, answer, err := v.send(ctx, http.MethodPost, "/api/tokens", `{"name":"wide",`+fields+`}`)
	if err != nil {
		return "", 0, fmt.Errorf("create a token: %w", err)
	}
	var token struct{ Value string }
	if status < http.StatusMultipleChoices {
		err = json.Unmarshal(answer, &token)
	}
	return token.Value, status, err
}

// names returns n different model names of a length as a JSON list without brackets.
func names(n, length int) string {
	var b strings.Builder
	for i := range n {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, `"%0*x"`, length, i)
	}
	return b.String()
}

// openFiles returns the number of files that this process may open.
func openFiles() int {
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil {
		return 1024
	}
	return int(min(limit.Cur, 1<<20))
}
