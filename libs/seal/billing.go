package seal

// billingPurpose is the purpose for which the billing credential of an account is sealed.
func billingPurpose(account string) string { return "billing-credential " + account }

// BillingKey returns the name of the key with which SealBilling seals. It is stored with each billing credential, so
// that a program that may not read the credentials can tell which ones still need the previous secret key.
func (s *Sealer) BillingKey() string { return s.billID }

// SealBilling seals the billing credential of the account with the id. Its key seals nothing else.
func (s *Sealer) SealBilling(credential, account string) []byte {
	return s.billing.Seal([]byte{version}, nil, []byte(credential), []byte(billingPurpose(account)))
}

// OpenBilling returns the credential that SealBilling sealed for the account. Its only error is ErrBroken.
func (s *Sealer) OpenBilling(ciphertext []byte, account string) (string, error) {
	if len(ciphertext) == 0 || ciphertext[0] != version {
		return "", ErrBroken
	}
	plaintext, err := s.billing.Open(nil, nil, ciphertext[1:], []byte(billingPurpose(account)))
	if err == nil {
		return string(plaintext), nil
	}
	if s.other != nil {
		return s.other.OpenBilling(ciphertext, account)
	}
	return "", ErrBroken
}
