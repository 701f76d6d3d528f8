import { AxeBuilder } from "@axe-core/playwright";
import { expect, type Page } from "@playwright/test";

const grave = ["serious", "critical"];

/**
 * Legacy mode checks only the main frame and opens no second page for the results. The console's pages have no
 * frames of other origins.
 */
const axe = (page: Page) => new AxeBuilder({ page }).setLegacyMode();

/** Fails softly if the page breaks a WCAG or best-practice rule with serious or critical impact. */
export async function expectAccessible(page: Page, where: string): Promise<void> {
  await expectNoViolations(
    axe(page).withTags(["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]),
    where,
  );
}

/** Checks only the rules about colors, for a page that was checked completely in another color scheme. */
export async function expectReadableColors(page: Page, where: string): Promise<void> {
  await expectNoViolations(axe(page).withRules(["color-contrast", "link-in-text-block"]), where);
}

async function expectNoViolations(builder: AxeBuilder, where: string): Promise<void> {
  const { violations } = await builder.analyze();
  const found = violations
    .filter(({ impact }) => grave.includes(impact ?? ""))
    .flatMap(({ id, nodes }) =>
      nodes.map(
        (node) => `${id}: ${node.target.join(" ")} ${node.failureSummary?.split("\n").slice(1, 2).join("").trim()}`,
      ),
    );
  expect.soft(found, `axe on ${where}`).toEqual([]);
}

/** Fails softly if the page is wider than the screen. */
export async function expectNoHorizontalScroll(page: Page, where: string): Promise<void> {
  const beyond = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
  expect.soft(beyond, `pixels beyond the right edge on ${where}`).toBeLessThanOrEqual(0);
}
