import { t } from "@lingui/core/macro";
import { IconEye, IconEyeOff } from "@tabler/icons-react";
import { type ComponentProps, type ReactNode, useEffect, useId, useState } from "react";

import { messageOf } from "@/api/problem";
import { languages, type Language } from "@/locale/languages";
import { chooseLanguage, language } from "@/locale/messages";
import { LogoMark } from "@/shell/LogoMark";

import classes from "./parts.module.css";

/**
 * The parts of the sign-in. They are plain elements: the page must be there before the rest of the console, and the
 * component library is larger than all else that it needs.
 */

/** The frame of the sign-in page. */
export function Frame({ title, description, children }: { title: string; description: string; children: ReactNode }) {
  useEffect(() => {
    document.title = `${title} · Tollgate`;
  }, [title]);
  return (
    <main className={`${classes["theme"]} ${classes["canvas"]}`}>
      <div className={classes["frame"]}>
        <div className={classes["logo"]}>
          <LogoMark />
          Tollgate
        </div>
        <div className={classes["card"]}>
          <h1 className={classes["title"]}>{title}</h1>
          <p className={classes["dimmed"]}>{description}</p>
          <Stack>{children}</Stack>
        </div>
        <nav className={classes["links"]} aria-label={t`Language`}>
          {(Object.keys(languages) as Language[]).map((tag) => (
            <TextButton
              key={tag}
              lang={tag}
              dimmed={tag !== language()}
              aria-current={tag === language() || undefined}
              onClick={() => void chooseLanguage(tag)}
            >
              {languages[tag]}
            </TextButton>
          ))}
        </nav>
      </div>
    </main>
  );
}

/** Gives its children the looks of the sign-in within a page of the console. */
export const Themed = ({ children }: { children: ReactNode }) => (
  <div className={classes["theme"]}>
    <Stack>{children}</Stack>
  </div>
);

/** Shows its children below each other. */
export const Stack = ({ children }: { children: ReactNode }) => <div className={classes["stack"]}>{children}</div>;

interface FieldProps extends ComponentProps<"input"> {
  label: string;
  description?: string;
  error?: string | undefined;
  /** Shows the value in the font of code. */
  code?: boolean;
  /** A button at the end of the field. */
  button?: ReactNode;
}

/** A text field. */
export function Field({ label, description, error, code, button, ...input }: FieldProps) {
  const id = useId();
  const described = [description && `${id}-about`, error && `${id}-error`].filter(Boolean).join(" ");
  return (
    <div className={classes["field"]}>
      <label className={classes["label"]} htmlFor={id}>
        {label}
      </label>
      {description && (
        <span id={`${id}-about`} className={classes["small"]}>
          {description}
        </span>
      )}
      <div className={classes["box"]}>
        <input
          id={id}
          className={`${classes["input"]} ${code ? classes["mono"] : ""}`}
          aria-invalid={error !== undefined || undefined}
          aria-describedby={described || undefined}
          data-button={button ? true : undefined}
          {...input}
        />
        {button}
      </div>
      {error && (
        <span id={`${id}-error`} className={classes["error"]}>
          {error}
        </span>
      )}
    </div>
  );
}

/** A field for a password, which a button shows. */
export function PasswordField(props: FieldProps) {
  const [shown, setShown] = useState(false);
  const Icon = shown ? IconEyeOff : IconEye;
  const eye = (
    <button
      type="button"
      className={classes["eye"]}
      aria-label={shown ? t`Hide the password` : t`Show the password`}
      onClick={() => setShown(!shown)}
    >
      <Icon size={17} stroke={1.7} aria-hidden />
    </button>
  );
  return <Field {...props} type={shown ? "text" : "password"} button={eye} />;
}

interface ActionProps extends ComponentProps<"button"> {
  /** A button that is not the main one. */
  plain?: boolean;
  pending?: boolean;
  icon?: ReactNode;
}

/** A button over the whole width. */
export const Action = ({ plain, pending, icon, children, type = "button", ...rest }: ActionProps) => (
  <button
    type={type}
    className={classes["button"]}
    data-plain={plain || undefined}
    disabled={pending}
    aria-busy={pending || undefined}
    {...rest}
  >
    {icon}
    {children}
  </button>
);

/** A link that looks like a button over the whole width. */
export const ActionLink = ({
  plain,
  icon,
  children,
  ...rest
}: ComponentProps<"a"> & Pick<ActionProps, "plain" | "icon">) => (
  <a className={classes["button"]} data-plain={plain || undefined} {...rest}>
    {icon}
    {children}
  </a>
);

/** A button that looks like a link. */
export const TextButton = ({ dimmed, ...rest }: ComponentProps<"button"> & { dimmed?: boolean }) => (
  <button type="button" className={classes["link"]} data-dimmed={dimmed || undefined} {...rest} />
);

/** A link in a line of its own. */
export const CenteredLink = (props: ComponentProps<"a">) => (
  <div className={classes["links"]}>
    <a className={classes["link"]} data-dimmed {...props} />
  </div>
);

/** Shows its children in a line of their own, centered. */
export const Centered = ({ children }: { children: ReactNode }) => <div className={classes["links"]}>{children}</div>;

/** A line between two ways to sign in. */
export const Or = () => <div className={classes["or"]}>{t`or`}</div>;

/** A text of secondary importance. */
export const Dimmed = ({ children }: { children: ReactNode }) => <p className={classes["dimmed"]}>{children}</p>;

/** Shows a failure; nothing without one. */
export function Failure({ error }: { error: unknown }) {
  if (error === undefined || error === null) return null;
  return (
    <div className={classes["notice"]} role="alert">
      {typeof error === "string" ? error : messageOf(error)}
    </div>
  );
}
