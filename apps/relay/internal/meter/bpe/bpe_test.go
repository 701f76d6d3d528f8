package bpe

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"flag"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/tiktoken-go/tokenizer"
)

var update = flag.Bool("update", false, "write the vocabularies")

// subject is an encoding with the tokenizer that it must agree with.
type subject struct {
	name   string
	load   func() (*Encoding, error)
	oracle tokenizer.Encoding
	tokens int
	// OpenAI's expression without the alternative \s+(?!\S), which package regexp does not support
	pattern *regexp.Regexp
}

const (
	contractions = `(?i:'s|'t|'re|'ve|'m|'ll|'d)`
	white        = `\s\v\x{85}\p{Z}` // regexp's \s is ASCII only
)

var subjects = []subject{
	{"cl100k", Cl100k, tokenizer.Cl100kBase, 100_256,
		regexp.MustCompile(`^(?:` + contractions + `|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^` + white +
			`\p{L}\p{N}]+[\r\n]*|[` + white + `]*[\r\n]+|[` + white + `]+)`)},
	{"o200k", O200k, tokenizer.O200kBase, 199_998,
		regexp.MustCompile(`^(?:[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+` +
			contractions + `?|` +
			`[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*` + contractions + `?|` +
			`\p{N}{1,3}| ?[^` + white + `\p{L}\p{N}]+[\r\n/]*|[` + white + `]*[\r\n]+|[` + white + `]+)`)},
}

func (s subject) encoding(t testing.TB) *Encoding {
	t.Helper()
	e, err := s.load()
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func (s subject) codec(t testing.TB) tokenizer.Codec {
	t.Helper()
	codec, err := tokenizer.Get(s.oracle)
	if err != nil {
		t.Fatal(err)
	}
	return codec
}

func count(t testing.TB, codec tokenizer.Codec, text string) int64 {
	t.Helper()
	n, err := codec.Count(text)
	if err != nil {
		t.Fatal(err)
	}
	return int64(n)
}

func TestVocabulary_IsTheOneOfTheTokenizer(t *testing.T) {
	for _, s := range subjects {
		codec := s.codec(t)
		want := binary.AppendUvarint(nil, uint64(s.tokens))
		for id := range uint(s.tokens) {
			token, err := codec.Decode([]uint{id})
			if err != nil {
				t.Fatal(err)
			}
			want = append(append(want, byte(len(token))), token...)
		}
		if *update {
			write(t, s.name+".gz", want)
		}
		file, err := os.ReadFile(s.name + ".gz")
		if err != nil {
			t.Fatal(err)
		}
		unzipped, err := gzip.NewReader(bytes.NewReader(file))
		if err != nil {
			t.Fatal(err)
		}
		if got, err := io.ReadAll(unzipped); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s.gz: got %d bytes, want %d; error %v", s.name, len(got), len(want), err)
		}
	}
}

// write compresses the contents into a file.
func write(t *testing.T, name string, contents []byte) {
	t.Helper()
	var zipped bytes.Buffer
	out, err := gzip.NewWriterLevel(&zipped, gzip.BestCompression)
	if err == nil {
		_, err = out.Write(contents)
	}
	if err == nil {
		err = out.Close()
	}
	if err == nil {
		err = os.WriteFile(name, zipped.Bytes(), 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// texts are texts of several scripts, from article 1 of the Universal Declaration of Human Rights, and text that
// is not prose.
var texts = map[string]string{
	"English": "All human beings are born free and equal in dignity and rights. They're endowed with reason and " +
		"conscience and should act towards one another in a spirit of brotherhood.",
	"German": "Alle Menschen sind frei und gleich an Würde und Rechten geboren. Sie sind mit Vernunft und " +
		"Gewissen begabt und sollen einander im Geist der Brüderlichkeit begegnen..",
	"French": "Tous les êtres humains naissent libres et égaux en dignité et en droits. Ils sont doués de " +
		"raison et de conscience et doivent agir les uns envers les autres dans un esprit de fraternité.",
	"Polish": "Wszyscy ludzie rodzą się wolni i równi pod względem swej godności i swych praw. Są oni " +
		"obdarzeni rozumem i sumieniem.",
	"Turkish":    "Bütün insanlar hür, haysiyet ve haklar bakımından eşit doğarlar. Akıl ve vicdana sahiptirler.",
	"Vietnamese": "Tất cả mọi người sinh ra đều được tự do và bình đẳng về nhân phẩm và quyền lợi.",
	"Russian": "Все люди рождаются свободными и равными в своем достоинстве и правах. Они наделены разумом и " +
		"совестью.",
	"Greek": "Όλοι οι άνθρωποι γεννιούνται ελεύθεροι και ίσοι στην αξιοπρέπεια και τα δικαιώματα.",
	"Arabic": "يولد جميع الناس أحراراً متساوين في الكرامة والحقوق. وقد وهبوا عقلاً وضميراً وعليهم أن يعامل بعضهم " +
		"بعضاً بروح الإخاء.",
	"Hebrew":   "כל בני אדם נולדו בני חורין ושווים בערכם ובזכויותיהם. כולם חוננו בתבונה ובמצפון.",
	"Hindi":    "सभी मनुष्यों को गौरव और अधिकारों के मामले में जन्मजात स्वतन्त्रता और समानता प्राप्त है।",
	"Thai":     "มนุษย์ทั้งหลายเกิดมามีอิสระและเสมอภาคกันในเกียรติศักดิ์และสิทธิ ต่างมีเหตุผลและมโนธรรม",
	"Chinese":  "人人生而自由,在尊严和权利上一律平等。他们赋有理性和良心,并应以兄弟关系的精神相对待。",
	"Japanese": "すべての人間は、生まれながらにして自由であり、かつ、尊厳と権利とについて平等である。人間は、理性と良心とを授けられている。",
	"Korean":   "모든 인간은 태어날 때부터 자유로우며 그 존엄과 권리에 있어 동등하다. 인간은 천부적으로 이성과 양심을 부여받았다.",
	"emoji":    "😀 👩‍👩‍👧‍👦 🇩🇪🇫🇷 👍🏽 ❤️‍🔥 🎉🎉🎉 ¯\\_(ツ)_/¯",
	"Go": "func (s *Server) handleHTTPRequest(w http.ResponseWriter, r *http.Request) error {\n\tif err := " +
		"s.check(r); err != nil {\n\t\treturn fmt.Errorf(\"check %q: %w\", r.URL, err)\n\t}\n\treturn nil\n}\n",
	"JSON":        `{"id":"chatcmpl-123","object":"chat.completion.chunk","created":1694268190,"choices":[{"index":0,"delta":{"content":"Hi"},"finish_reason":null}]}`,
	"white space": "a  b\t\tc \n\n   d\r\n\r\n  \u00a0e\u3000 f   ",
	"base64":      "Q29tcHJlc3Npb24gaXMgZnVuIGFuZCBlYXN5IHRvIGRvIQ==+/Zm9vYmFyYmF6cXV4",
	"cases": "THEY'RE HTTPServer iPhone 'SCHREIßEN' ǅemal don't DON'T it'ſ x'll 12345678 ½ Ⅷ ٣٤٥٦ " +
		"e\u0301\u0301X \u0301A",
}

func TestCount_AgreesWithTheTokenizer(t *testing.T) {
	for _, s := range subjects {
		e, codec := s.encoding(t), s.codec(t)
		var all, wrong int64
		for name, text := range texts {
			got, want := e.Count(text), count(t, codec, text)
			if got < want-1 || got > want+1 {
				t.Errorf("%s, %s: got %d tokens, want %d", s.name, name, got, want)
			}
			all, wrong = all+want, wrong+max(got-want, want-got)
		}
		if wrong*500 > all {
			t.Errorf("%s: %d of %d tokens are wrong, want at most 1 of 500", s.name, wrong, all)
		}
	}
}

// The files are beginnings of Go code, documents in English and Chinese, YAML and JSON.
func TestCount_AgreesWithTheTokenizerForFiles(t *testing.T) {
	files, err := filepath.Glob("testdata/corpus/*")
	if err != nil || len(files) == 0 {
		t.Fatalf("got %d files, error %v", len(files), err)
	}
	for _, file := range files {
		contents, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		text := string(contents)
		for _, s := range subjects {
			got, want := s.encoding(t).Count(text), count(t, s.codec(t), text)
			if diff := max(got-want, want-got); diff*200 > want {
				t.Errorf("%s, %s: got %d tokens, want %d", s.name, file, got, want)
			}
		}
	}
}

func TestCount_IsAtMostALittleTooHighForLongPieces(t *testing.T) {
	dice := seeded(t)
	for name, text := range map[string]string{
		"a long word":       "Donaudampfschifffahrtsgesellschaft",
		"spaces":            strings.Repeat(" ", 20_000),
		"one letter":        strings.Repeat("a", 20_000),
		"random letters":    letters(20_000, func() rune { return 'a' + dice.Int32N(26) }),
		"random characters": letters(5_000, func() rune { return '一' + dice.Int32N(20_000) }),
	} {
		for _, s := range subjects {
			got, want := s.encoding(t).Count(text), count(t, s.codec(t), text)
			if got < want-want/100 || got > want+want/3+2 {
				t.Errorf("%s, %s: got %d tokens, want %d", s.name, name, got, want)
			}
		}
	}
}

// seeded returns a source of random numbers. Its seed is in the log of a test that fails.
func seeded(t testing.TB) *rand.Rand {
	t.Helper()
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	return rand.New(rand.NewPCG(seed, 0))
}

func letters(n int, letter func() rune) string {
	text := make([]rune, n)
	for i := range text {
		text[i] = letter()
	}
	return string(text)
}

// split splits a text by the pattern. A run of white space that matches the last alternative ends before its last
// character if a word follows, as \s+(?!\S) has it.
func split(pattern *regexp.Regexp, text string) []string {
	var pieces []string
	for text != "" {
		n := len(pattern.FindString(text))
		piece := text[:n]
		if last, size := utf8.DecodeLastRuneInString(piece); strings.TrimFunc(piece, unicode.IsSpace) == "" &&
			last != '\n' && last != '\r' && n < len(text) && n > size {
			piece = piece[:n-size]
		}
		pieces, text = append(pieces, piece), text[len(piece):]
	}
	return pieces
}

// joined returns the number of tokens of a piece, by the definition of byte-pair encoding.
func joined(e *Encoding, piece string) int64 {
	units := strings.Split(piece, "")
	for {
		best, at := uint32(noToken), 0
		for i := range len(units) - 1 {
			if rank := e.rank(units[i] + units[i+1]); rank < best {
				best, at = rank, i
			}
		}
		if best == noToken {
			return int64(len(units))
		}
		units = append(append(units[:at:at], units[at]+units[at+1]), units[at+2:]...)
	}
}

func check(t *testing.T, text string) {
	t.Helper()
	for _, s := range subjects {
		e := s.encoding(t)
		rest := text
		for _, want := range split(s.pattern, text) {
			got := rest[:e.piece(rest)]
			if got != want {
				t.Fatalf("%s, %q: got the piece %q, want %q", s.name, text, got, want)
			}
			rest = rest[len(got):]
			tokens := e.count(got)
			if tokens < 1 || tokens > int64(len(got)) {
				t.Fatalf("%s, %q: got %d tokens", s.name, got, tokens)
			}
			if want := joined(e, got); len(got) <= maxUnits && utf8.RuneCountInString(got) == len(got) &&
				tokens != want {
				t.Fatalf("%s, %q: got %d tokens, want %d", s.name, got, tokens, want)
			}
		}
	}
}

func TestCount_SplitsAndJoinsByTheDefinition(t *testing.T) {
	alphabet := []rune("aAzZ日ǅʰé\u0301\u0903's'tTrReEvVlLmMdDſ 12٣½  \t\n\r\u00a0\u3000.,/!😀𠀀")
	dice := seeded(t)
	for range 3_000 {
		check(t, letters(dice.IntN(16), func() rune { return alphabet[dice.IntN(len(alphabet))] }))
		check(t, letters(dice.IntN(8), func() rune { return dice.Int32N(0x22000) }))
	}
}

func FuzzCount(f *testing.F) {
	for _, text := range texts {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		check(t, strings.ToValidUTF8(text, "?"))
		for _, s := range subjects {
			if n := s.encoding(t).Count(text); n < 0 || n > int64(len(text)) {
				t.Errorf("%s, %q: got %d tokens", s.name, text, n)
			}
		}
	})
}

// BenchmarkCount counts 16 KB. It reports the fastest run, because other programs slow down the rest. The last five
// texts are the slowest that are known.
func BenchmarkCount(b *testing.B) {
	dice := seeded(b)
	for _, row := range []struct{ name, text string }{
		{"English", texts["English"]},
		{"Chinese", texts["Chinese"]},
		{"JSON", texts["JSON"]},
		{"spaces", " "},
		{"lines", " \n"},
		{"one letter", "a"},
		{"random letters", letters(16<<10, func() rune { return 'a' + dice.Int32N(26) })},
		{"random characters", letters(6<<10, func() rune { return '一' + dice.Int32N(20_000) })},
		{"random emoji", letters(4<<10, func() rune { return '🌀' + dice.Int32N(768) })},
	} {
		text := strings.Repeat(row.text, 16<<10/len(row.text)+1)[:16<<10]
		for _, s := range subjects {
			e := s.encoding(b)
			b.Run(s.name+"/"+row.name, func(b *testing.B) {
				b.ReportAllocs()
				best := time.Hour
				for b.Loop() {
					began := time.Now()
					e.Count(text)
					best = min(best, time.Since(began))
				}
				b.ReportMetric(best.Seconds()*1e6/16, "us/KB-best")
			})
		}
	}
}
