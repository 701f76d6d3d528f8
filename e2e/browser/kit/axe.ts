import { AxeBuilder } from "@axe-core/playwright";
import { expect, type Page } from "@playwright/test";

const grave = ["serious", "critical"];

/** Legacy mode reads the main frame alone, without a second page for the results: the pages have no frames of other origins. */
const axe = (page: Page) => new AxeBuilder({ page }).setLegacyMode();

/** Fails where a rule of WCAG, or of good practice, that matters is broken on the page as it stands. */
export async function expectAccessible(page: Page, where: string): Promise<void> {
  await expectNoViolations(axe(page).withTags(["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]), where);
}

/** Checks only the rules about colours, for a page that was checked in another colour scheme. */
export async function expectReadableColours(page: Page, where: string): Promise<void> {
  await expectNoViolations(axe(page).withRules(["color-contrast", "link-in-text-block"]), where);
}

async function expectNoViolations(builder: AxeBuilder, where: string): Promise<void> {
  const { violations } = await builder.analyze();
  const found = violations
    .filter(({ impact }) => grave.includes(impact ?? ""))
    .flatMap(({ id, nodes }) => nodes.map((node) => `${id}: ${node.target.join(" ")} ${node.failureSummary?.split("\n").slice(1, 2).join("").trim()}`));
  expect.soft(found, `axe on ${where}`).toEqual([]);
}

/** Fails where the page is wider than the screen. */
export async function expectNoSideways(page: Page, where: string): Promise<void> {
  const beyond = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
  expect.soft(beyond, `pixels beyond the right edge on ${where}`).toBeLessThanOrEqual(0);
}
