import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { CloseButton, Group, Text } from "@mantine/core";
import { IconFile, IconFileMusic, IconFileText, IconPhoto } from "@tabler/icons-react";

import { showBytes } from "@/format/number";

import { type Attachment, bytesOf } from "./attachments";
import classes from "./AttachmentList.module.css";

/** Shows the images and files of a message, with a button to remove each if `remove` is given. */
export function AttachmentList({ files, remove }: { files: Attachment[]; remove?: (id: string) => void }) {
  if (files.length === 0) return null;
  return (
    <Group component="ul" gap="xs" className={classes["list"]} aria-label={t`Images and files`}>
      {files.map((file) => (
        <li key={file.id} className={classes["item"]}>
          <Preview file={file} />
          {remove && <Remove name={file.name} remove={() => remove(file.id)} />}
        </li>
      ))}
    </Group>
  );
}

function Remove({ name, remove }: { name: string; remove: () => void }) {
  return <CloseButton size="sm" className={classes["remove"]} aria-label={t`Remove ${name}`} onClick={remove} />;
}

const icons = { image: IconPhoto, audio: IconFileMusic, pdf: IconFile, text: IconFileText };

function Preview({ file: { name, kind, data } }: { file: Attachment }) {
  if (kind === "image" && data) return <img className={classes["image"]} src={data} alt={name} title={name} />;
  const Icon = icons[kind];
  return (
    <div className={classes["file"]} data-gone={data === "" || undefined}>
      <Icon size={18} stroke={1.6} aria-hidden />
      <div className={classes["words"]}>
        <Text size="sm" truncate title={name}>
          {name}
        </Text>
        <Text size="xs" c="dimmed">
          {data ? (
            showBytes(kind === "text" ? bytesOf(data) : Math.floor((data.length - data.indexOf(",")) * 0.75))
          ) : (
            <Trans>Not kept, not sent again</Trans>
          )}
        </Text>
      </div>
    </div>
  );
}
