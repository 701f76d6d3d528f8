/** Returns the name of the reader's time zone, such as "Europe/Berlin". */
export const timeZone = () => Intl.DateTimeFormat().resolvedOptions().timeZone;
