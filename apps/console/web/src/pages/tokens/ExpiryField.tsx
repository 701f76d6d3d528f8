import "@mantine/dates/styles.css";

import { Button, Group, Input } from "@mantine/core";
import { DateTimePicker } from "@mantine/dates";
import dayjs from "dayjs";

import { expiryPresets, inDays } from "./form";

interface ExpiryFieldProps {
  /** ISO text; empty means never. */
  value?: string;
  onChange: (iso: string) => void;
  error?: React.ReactNode;
}

/** A field for the expiry of a token: never, after a common span, or at a chosen moment. */
export function ExpiryField({ value = "", onChange, error }: ExpiryFieldProps) {
  return (
    <Input.Wrapper error={error}>
      <DateTimePicker
        label="Expires"
        placeholder="Never"
        clearable
        clearButtonProps={{ "aria-label": "Never expire" }}
        valueFormat="D MMM YYYY, HH:mm"
        minDate={dayjs().format("YYYY-MM-DD")}
        value={value ? dayjs(value).format("YYYY-MM-DD HH:mm:ss") : null}
        onChange={(local) => onChange(local ? dayjs(local).toISOString() : "")}
        weekendDays={[]}
      />
      <Group gap={6} mt={8} mb={error ? 6 : 0}>
        <Button size="compact-xs" variant={value === "" ? "light" : "default"} onClick={() => onChange("")}>
          Never
        </Button>
        {expiryPresets.map(({ label, days }) => (
          <Button key={days} size="compact-xs" variant="default" onClick={() => onChange(inDays(days))}>
            {label}
          </Button>
        ))}
      </Group>
    </Input.Wrapper>
  );
}
