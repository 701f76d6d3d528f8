package alert

import (
	"strconv"
	"strings"

	"github.com/tollgate/tollgate/libs/core/language"
	"github.com/tollgate/tollgate/libs/core/money"
)

// words holds the texts of one language. A name as {used} stands for a value of the fact.
type words struct {
	titles, texts map[Kind]string
	uncounted     string // text of Spool if the number of events is unknown
	subjects      map[Subject]string
	periods       map[string]string
	timeLayout    string
}

func english() *words {
	return &words{
		timeLayout: "2 January 2006, 15:04 MST",
		titles: map[Kind]string{ //nolint:gosec // sentences for people, no credentials
			QuotaUsed:        "{name}: {threshold}% of the {period} used",
			RunOut:           "{name}: the {period} runs out soon",
			UnusualSpend:     "{name}: unusual spend",
			CredentialDead:   "A credential was disabled: {name}",
			ModelUnavailable: "No healthy channel: {name}",
			Drift:            "Reconciliation found a difference: {name}",
			Spool:            "Usage waits in a relay's spool",
			Test:             "Test alert from Tollgate",
		},
		texts: map[Kind]string{
			QuotaUsed: "The {subject} {name} has used {used} of {granted} of its {period}.",
			RunOut: "The {period} of the {subject} {name} will be used up about {runsout} at the recent " +
				"spend of {daily} a day. {used} of {granted} is used.",
			UnusualSpend: "The {subject} {name} has spent {spent} today. The average of the last 7 days is " +
				"{daily} a day.",
			CredentialDead:   "Relays no longer use the credential {name}. Reason: {detail}.",
			ModelUnavailable: "The model {name} is enabled, but no channel that serves it is healthy.",
			Drift: "The check {name} has {count} differences between usage logs, rollups, accounts and " +
				"ledger.",
			Spool: "The relay {name} has {count} usage events that are not recorded yet. The oldest has waited for " +
				"{minutes} minutes.",
			Test: "This destination receives alerts. There is nothing to do.",
		},
		uncounted: "The relay {name} has an unknown number of usage events that are not recorded yet. The oldest " +
			"that is known has waited for {minutes} minutes.",
		subjects: map[Subject]string{OfTenant: "organization", OfUser: "user", OfToken: "token"},
		periods: map[string]string{"lifetime": "quota", "day": "daily budget", "week": "weekly budget",
			"month": "monthly budget"},
	}
}

func chinese() *words {
	return &words{
		timeLayout: "2006年1月2日 15:04 MST",
		titles: map[Kind]string{ //nolint:gosec // sentences for people, no credentials
			QuotaUsed:        "{name}：{period}已使用 {threshold}%",
			RunOut:           "{name}：{period}即将用完",
			UnusualSpend:     "{name}：消费异常",
			CredentialDead:   "渠道密钥已禁用：{name}",
			ModelUnavailable: "没有健康的渠道：{name}",
			Drift:            "对账发现差异：{name}",
			Spool:            "用量滞留在中继的缓存队列中",
			Test:             "来自 Tollgate 的测试告警",
		},
		texts: map[Kind]string{ //nolint:gosec // sentences for people, no credentials
			QuotaUsed:        "{subject} {name} 的{period}共 {granted}，已使用 {used}。",
			RunOut:           "按最近每天 {daily} 的消费，{subject} {name} 的{period}预计在 {runsout} 用完。共 {granted}，已使用 {used}。",
			UnusualSpend:     "{subject} {name} 今天消费 {spent}。最近 7 天平均每天 {daily}。",
			CredentialDead:   "中继不再使用渠道密钥 {name}。原因：{detail}。",
			ModelUnavailable: "模型 {name} 已启用，但没有健康的渠道可以提供服务。",
			Drift:            "检查 {name} 在使用日志、汇总、账户和流水之间发现 {count} 处差异。",
			Spool:            "中继 {name} 有 {count} 条用量事件尚未入库，最早的一条已等待 {minutes} 分钟。",
			Test:             "此接收方可以收到告警，无需处理。",
		},
		uncounted: "中继 {name} 有用量事件尚未入库，数量未知，已知最早的一条已等待 {minutes} 分钟。",
		subjects:  map[Subject]string{OfTenant: "组织", OfUser: "用户", OfToken: "令牌"},
		periods:   map[string]string{"lifetime": "额度", "day": "日预算", "week": "周预算", "month": "月预算"},
	}
}

func wordsOf(tag language.Tag) *words {
	if tag == language.SimplifiedChinese {
		return chinese()
	}
	return english()
}

// Words returns a title of one line and a text of a few sentences about the fact in the language; English for "".
func (f *Fact) Words(tag language.Tag) (title, text string) {
	w := wordsOf(tag)
	dollars := func(a *money.Amount) string {
		if a == nil {
			return ""
		}
		return cents(*a)
	}
	runsOut := ""
	if f.RunsOutAt != nil {
		runsOut = f.RunsOutAt.UTC().Format(w.timeLayout)
	}
	text = w.texts[f.Kind]
	if f.Kind == Spool && f.Count == 0 {
		text = w.uncounted
	}
	// One pass over the template: a name that contains {used} stays as it is.
	fill := strings.NewReplacer(
		"{name}", oneLine(f.SubjectName), "{threshold}", strconv.Itoa(f.Threshold), "{period}", w.periods[f.Period],
		"{subject}", w.subjects[f.Subject],
		"{used}", dollars(f.Used), "{granted}", dollars(f.Granted), "{spent}", dollars(f.Spent), "{daily}",
		dollars(f.DailySpend), "{runsout}", runsOut,
		"{detail}", oneLine(f.Detail), "{count}", strconv.Itoa(f.Count), "{minutes}", strconv.Itoa(f.Minutes),
	)
	return fill.Replace(w.titles[f.Kind]), fill.Replace(text)
}

// oneLine replaces control characters, which would end the subject of a mail, and cuts long texts.
func oneLine(text string) string {
	const longest = 200
	clean := []rune(strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f || r == 0x2028 || r == 0x2029 || r >= 0x80 && r < 0xa0 {
			return ' '
		}
		return r
	}, text))
	return string(clean[:min(len(clean), longest)])
}

// cents returns an amount in dollars with two decimals, rounded half away from zero, or below a cent with all of them.
func cents(a money.Amount) string {
	const cent = money.USD / 100
	if a > -cent && a < cent {
		return "$" + a.String()
	}
	sign := ""
	if a < 0 {
		sign, a = "-", -a
	}
	rounded := a/cent + (a%cent)/(cent/2)
	part := strconv.FormatInt(int64(rounded%100), 10)
	return sign + "$" + strconv.FormatInt(int64(rounded/100), 10) + "." + strings.Repeat("0", 2-len(part)) + part
}
