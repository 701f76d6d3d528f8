package mailer

import (
	"time"

	"github.com/tollgate/tollgate/libs/core/language"
)

// words holds the texts of all letters in one language. The templates have names as {link} in the place of values; a
// test checks that each language has the same texts with the same names.
type words struct {
	timeLayout string // of times in UTC, see time.Layout

	platform   string // follows "invites you to", for operators
	someTenant string // the same, for a tenant whose name is not shown
	joins      string // stands between "invites you to" and the name of a tenant

	invitationSubject, invitationText, invitationPage string
	resetSubject, resetText, resetPage                string

	noticeSubject, newDeviceSubject, noticeText, noticePage string
	alertText, alertPage, alertSettings                     string
	sentences                                               map[Event]string // what happened
	address                                                 string           // of the client
	settings                                                string           // the name of the page
	colon, stop                                             string           // punctuation
}

// readable returns a time in UTC, in a form for people.
func (w *words) readable(t time.Time) string { return t.UTC().Format(w.timeLayout) }

// wordsOf returns the words of a language, and the English ones for a language without letters, such as "".
func wordsOf(tag language.Tag) *words {
	if tag == language.SimplifiedChinese {
		return chinese()
	}
	return english()
}

func english() *words {
	return &words{
		timeLayout: "2 January 2006, 15:04 MST",
		platform:   "run Tollgate",
		someTenant: "an organization on Tollgate",

		invitationSubject: "You are invited to Tollgate",
		invitationText: `Hello,

{inviter} invites you to {where}. To accept, choose a password at

{link}

The link works once, until {until}. If you did not expect this invitation,
ignore this mail. No account is created unless you accept.
`,
		invitationPage: `<p>Hello,</p>
<p>{inviter} invites you to {where}.</p>
<p><a href="{link}">Accept the invitation</a></p>
<p>The link works once, until {until}. If you did not expect this invitation, ignore this mail.
No account is created unless you accept.</p>
`,
		resetSubject: "Your new password for Tollgate",
		resetText: `Hello,

someone asked for a new password for your account. If it was you, choose one at

{link}

The link works once, for {minutes} minutes. If it was not you, ignore this mail. Your
password does not change.
`,
		resetPage: `<p>Hello,</p>
<p>someone asked for a new password for your account. If it was you, follow this link.</p>
<p><a href="{link}">Choose a new password</a></p>
<p>The link works once, for {minutes} minutes. If it was not you, ignore this mail. Your password does not change.</p>
`,
		noticeSubject:    "A change of your account on Tollgate",
		newDeviceSubject: "A new sign-in to your account on Tollgate",
		noticeText: `Hello,

{what}

Time: {when}{address}

If this was you, there is nothing to do. If not, set a new password, end all
sessions, and check the passkeys and access keys under {settings}

If you cannot sign in, ask an administrator of your organization.
`,
		noticePage: `<p>Hello,</p>
<p>{what}</p>
<p>Time: {when}{address}</p>
<p>If this was you, there is nothing to do. If not, set a new password, end all sessions,
and check the passkeys and access keys under {settings}</p>
<p>If you cannot sign in, ask an administrator of your organization.</p>
`,
		alertText: `{title}

{what}

To change rules and destinations, open {settings}
`,
		alertPage: `<p><strong>{title}</strong></p>
<p>{what}</p>
<p>To change rules and destinations, open {settings}</p>
`,
		alertSettings: "Alerts",
		sentences: map[Event]string{ //nolint:gosec // sentences for people, no credentials
			NewDevice:            "A browser that was not used for your account before signed in to it.",
			PasswordChanged:      "The password of your account was changed.",
			AuthenticatorAdded:   "An authenticator app was added to your account.",
			AuthenticatorRemoved: "The authenticator app was removed from your account.",
			RecoveryCodesRenewed: "The recovery codes of your account were replaced.",
			FactorsReset:         "An administrator removed the second factor and the passkeys of your account.",
			PasskeyAdded:         "A passkey was added to your account.",
			PasskeyRemoved:       "A passkey was removed from your account.",
			AccessKeyCreated:     "An access key was created for your account.",
		},
		address:  "Address: {from}",
		settings: "Settings",
		colon:    ":",
		stop:     ".",
	}
}

func chinese() *words {
	return &words{
		timeLayout: "2006年1月2日 15:04 MST",
		platform:   "管理 Tollgate 平台",
		someTenant: "加入 Tollgate 上的一个组织",
		joins:      "加入 ",

		invitationSubject: "Tollgate 邀请函",
		invitationText: `您好：

{inviter} 邀请您{where}。如接受邀请，请通过以下链接设置密码：

{link}

此链接只能使用一次，{until} 之前有效。如果您没有预料到此邀请，请忽略本邮件。
在您接受之前，系统不会创建账户。
`,
		invitationPage: `<p>您好：</p>
<p>{inviter} 邀请您{where}。</p>
<p><a href="{link}">接受邀请</a></p>
<p>此链接只能使用一次，{until} 之前有效。如果您没有预料到此邀请，请忽略本邮件。在您接受之前，系统不会创建账户。</p>
`,
		resetSubject: "设置您的 Tollgate 新密码",
		resetText: `您好：

有人为您的账户申请设置新密码。如果是您本人操作，请通过以下链接设置：

{link}

此链接只能使用一次，{minutes} 分钟内有效。如果不是您本人操作，请忽略本邮件，
您的密码不会改变。
`,
		resetPage: `<p>您好：</p>
<p>有人为您的账户申请设置新密码。如果是您本人操作，请点击以下链接。</p>
<p><a href="{link}">设置新密码</a></p>
<p>此链接只能使用一次，{minutes} 分钟内有效。如果不是您本人操作，请忽略本邮件，您的密码不会改变。</p>
`,
		noticeSubject:    "您的 Tollgate 账户有变更",
		newDeviceSubject: "您的 Tollgate 账户有新的登录",
		noticeText: `您好：

{what}

时间：{when}{address}

如果是您本人操作，无需处理。如果不是，请设置新密码、结束所有会话，
并检查通行密钥和访问密钥，位置：{settings}

如果您无法登录，请联系组织的管理员。
`,
		noticePage: `<p>您好：</p>
<p>{what}</p>
<p>时间：{when}{address}</p>
<p>如果是您本人操作，无需处理。如果不是，请设置新密码、结束所有会话，并检查通行密钥和访问密钥，位置：{settings}</p>
<p>如果您无法登录，请联系组织的管理员。</p>
`,
		alertText: `{title}

{what}

如需修改规则和接收方，请打开{settings}
`,
		alertPage: `<p><strong>{title}</strong></p>
<p>{what}</p>
<p>如需修改规则和接收方，请打开{settings}</p>
`,
		alertSettings: "告警",
		sentences: map[Event]string{ //nolint:gosec // sentences for people, no credentials
			NewDevice:            "有一个从未登录过您账户的浏览器登录了您的账户。",
			PasswordChanged:      "您账户的密码已修改。",
			AuthenticatorAdded:   "您的账户添加了身份验证器应用。",
			AuthenticatorRemoved: "您的账户移除了身份验证器应用。",
			RecoveryCodesRenewed: "您账户的恢复码已更换。",
			FactorsReset:         "管理员移除了您账户的两步验证和通行密钥。",
			PasskeyAdded:         "您的账户添加了通行密钥。",
			PasskeyRemoved:       "您的账户移除了一个通行密钥。",
			AccessKeyCreated:     "您的账户创建了访问密钥。",
		},
		address:  "地址：{from}",
		settings: "设置",
		colon:    "：",
		stop:     "。",
	}
}
