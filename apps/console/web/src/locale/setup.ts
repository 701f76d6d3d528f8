import { i18n } from "@lingui/core";

// Tests run in English, whose messages are in the code.
i18n.load("en", {});
i18n.activate("en");
