import { t } from "@lingui/core/macro";
import { Button, Group, Input } from "@mantine/core";
import dayjs from "dayjs";

import { DateTimeField } from "@/components/DateTimeField";

import { expiryPresets, inDays, neverExpires } from "./form";

interface ExpiryFieldProps {
  /** ISO text; empty means never. */
  value?: string;
  onChange: (iso: string) => void;
  error?: React.ReactNode;
}

/** A field for the expiry of a token: never, after a common span, or at a chosen moment. */
export function ExpiryField({ value = "", onChange, error }: ExpiryFieldProps) {
  const never = neverExpires();
  return (
    <Input.Wrapper error={error}>
      <DateTimeField
        label={t`Expires`}
        placeholder={never}
        clearable
        clearButtonProps={{ "aria-label": t`Never expire` }}
        minDate={dayjs().format("YYYY-MM-DD")}
        value={value ? dayjs(value).format("YYYY-MM-DD HH:mm:ss") : null} // not translated: the format of the field's value
        onChange={(local) => onChange(local ? dayjs(local).toISOString() : "")}
      />
      <Group gap={6} mt={8} mb={error ? 6 : 0}>
        <Button size="compact-xs" variant={value === "" ? "light" : "default"} onClick={() => onChange("")}>
          {never}
        </Button>
        {expiryPresets().map(({ label, days }) => (
          <Button key={days} size="compact-xs" variant="default" onClick={() => onChange(inDays(days))}>
            {label}
          </Button>
        ))}
      </Group>
    </Input.Wrapper>
  );
}
