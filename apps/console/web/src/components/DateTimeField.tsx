import "@mantine/dates/styles.layer.css";
import "dayjs/locale/zh-cn";

import { DateTimePicker, type DateTimePickerProps } from "@mantine/dates";

import type { Language } from "@/locale/languages";
import { language } from "@/locale/messages";

const formats: Record<Language, { locale: string; valueFormat: string }> = {
  en: { locale: "en", valueFormat: "D MMM YYYY, HH:mm" },
  "zh-Hans": { locale: "zh-cn", valueFormat: "YYYY-MM-DD HH:mm" },
};

/** A field for a date and a time of day in the reader's time zone. Its calendar is in the language in use. */
export const DateTimeField = (props: DateTimePickerProps) => (
  <DateTimePicker {...formats[language()]} weekendDays={[]} {...props} />
);
