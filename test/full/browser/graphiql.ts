import type { Page } from 'playwright-core';
import { expect } from 'vitest';

/** The editors of GraphiQL, by the ends of the names of their text models, with where they are and what opens them. */
const tool = '.graphiql-editor-tool .graphiql-editor >> nth=';
const editors = {
  'operation.graphql': ['.graphiql-query-editor .graphiql-editor', undefined],
  'variables.json': [`${tool}0`, 'Variables'],
  'request-headers.json': [`${tool}1`, 'Headers'],
} as const;

/** User actions on a page that shows GraphiQL, or is about to. */
export const useGraphiql = async (page: Page) => {
  const execute = page.getByRole('button', { name: 'Execute query' });
  await execute.waitFor();
  await page.locator('.graphiql-query-editor .view-line').first().waitFor();
  const textOf = (editor: keyof typeof editors | 'response.json') =>
    page.evaluate<string>(
      `monaco.editor.getModels().find(({ uri }) => uri.path.endsWith('${editor}')).getValue()`,
    );
  // Empty before the first answer.
  const answer = async () => JSON.parse((await textOf('response.json')) || '{}');
  const stored = (key: string) => page.evaluate<string>(`localStorage['graphiql:${key}'] ?? ''`);
  // GraphiQL parses a changed text after a delay, and stores it even later. Until then it may run the old one.
  const noted = async (): Promise<void> => {
    const text = await textOf('operation.graphql');
    await expect.poll(() => stored('query')).toBe(text);
  };
  return {
    textOf,
    answer,
    stored,
    execute: () => execute.click(),
    /** Replaces the text of an editor. */
    write: async (editor: keyof typeof editors, text: string): Promise<void> => {
      const [place, opener] = editors[editor];
      if (opener) await page.getByRole('button', { name: opener, exact: true }).click();
      await page.locator(place).click();
      await page.keyboard.press('Control+A');
      await page.keyboard.press('Delete');
      await page.keyboard.insertText(text);
      // The editor may have added a closing bracket or quote.
      await page.keyboard.press('Control+Shift+End');
      await page.keyboard.press('Delete');
      expect(await textOf(editor)).toBe(text);
      if (editor === 'operation.graphql') await noted();
    },
    openTab: async (name: string): Promise<void> => {
      const tab = page.locator('.graphiql-tab').filter({ hasText: name });
      await tab.locator('.graphiql-tab-button').click();
      await expect.poll(() => tab.getAttribute('aria-selected')).toBe('true');
      await noted();
    },
    tabNames: () => page.locator('.graphiql-tab-button').allTextContents(),
    /** Runs the operation in the open tab, and waits for its answer. */
    run: async (operationName?: string): Promise<string> => {
      const answered = page.waitForResponse((response) => {
        const request = response.request();
        return request.method() === 'POST' && !request.postData()?.includes('__schema');
      });
      await execute.click();
      if (operationName)
        await page.getByRole('menuitem', { name: operationName, exact: true }).click();
      const text = await (await answered).text();
      // Until then, the editor may be empty or show the answer before.
      await expect.poll(async () => (await answer()).data).toEqual(JSON.parse(text).data);
      return text;
    },
  };
};

/** Everything that the page has stored in the browser. */
export const storedBy = async (page: Page): Promise<string> => {
  const beside = '(async () => JSON.stringify([{ ...sessionStorage }, await caches.keys()]))()';
  const stored = await page.evaluate<string>(beside);
  return stored + JSON.stringify(await page.context().storageState({ indexedDB: true }));
};
