/** The product's logo. */
export const LogoMark = () => (
  <svg width="24" height="24" viewBox="0 0 32 32" aria-hidden>
    <rect width="32" height="32" rx="8" fill="#5b5bd6" />
    <path
      d="M8 11.5h16M8 11.5v9.5M24 11.5v9.5M16 11.5v5"
      stroke="#fff"
      strokeWidth="3"
      strokeLinecap="round"
      fill="none"
    />
  </svg>
);
