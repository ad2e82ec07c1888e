import type { Locator, Page } from 'playwright-core';
import { expect } from 'vitest';
import { openPage } from './chromium.ts';

/** The editors of GraphiQL, by the ends of the names of their text models. */
export type Editor =
  | 'operation.graphql'
  | 'variables.json'
  | 'request-headers.json'
  | 'response.json';

/** User actions on the page. */
export interface Graphiql {
  readonly page: Page;
  textOf(editor: Editor): Promise<string>;
  /** Replaces the text of an editor. */
  write(
    editor: 'operation.graphql' | 'variables.json' | 'request-headers.json',
    text: string,
  ): Promise<void>;
  openTab(name: string): Promise<void>;
  tabNames(): Promise<readonly string[]>;
  /** Waits until GraphiQL has noticed a changed operation; until then it may run the old one. */
  noted(): Promise<void>;
  /** Runs the operation in the open tab, and waits for its answer. */
  run(operationName?: string): Promise<string>;
}

const editorsOf = (page: Page): Readonly<Record<string, Locator>> => {
  const tools = page.locator('.graphiql-editor-tool .graphiql-editor');
  return {
    'operation.graphql': page.locator('.graphiql-query-editor .graphiql-editor'),
    'variables.json': tools.nth(0),
    'request-headers.json': tools.nth(1),
  };
};

/** @param page a page that shows GraphiQL, or is about to */
export const useGraphiql = async (page: Page): Promise<Graphiql> => {
  await page.getByRole('button', { name: 'Execute query' }).waitFor();
  await page.locator('.graphiql-query-editor .view-line').first().waitFor();
  const textOf = (editor: Editor): Promise<string> =>
    page.evaluate<string>(
      `monaco.editor.getModels().find(({ uri }) => uri.path.endsWith('${editor}')).getValue()`,
    );
  // GraphiQL parses a changed text after a delay, and stores it even later.
  const noted = async (): Promise<void> => {
    const text = await textOf('operation.graphql');
    const stored = () => page.evaluate<string>("localStorage['graphiql:query']");
    await expect.poll(stored).toBe(text);
  };
  return {
    page,
    textOf,
    noted,
    write: async (editor, text) => {
      const shown = editorsOf(page)[editor];
      if (!shown) throw new Error(`no editor ${editor}`);
      if (editor !== 'operation.graphql') {
        const name = editor === 'variables.json' ? 'Variables' : 'Headers';
        await page.getByRole('button', { name, exact: true }).click();
      }
      await shown.click();
      await page.keyboard.press('Control+A');
      await page.keyboard.press('Delete');
      await page.keyboard.insertText(text);
      // The editor may have added a closing bracket or quote.
      await page.keyboard.press('Control+Shift+End');
      await page.keyboard.press('Delete');
      expect(await textOf(editor)).toBe(text);
      if (editor === 'operation.graphql') await noted();
    },
    openTab: async (name) => {
      const tab = page.locator('.graphiql-tab').filter({ hasText: name });
      await tab.locator('.graphiql-tab-button').click();
      await expect.poll(() => tab.getAttribute('aria-selected')).toBe('true');
      await noted();
    },
    tabNames: () => page.locator('.graphiql-tab-button').allTextContents(),
    run: async (operationName) => {
      const answered = page.waitForResponse((response) => {
        const request = response.request();
        return request.method() === 'POST' && !request.postData()?.includes('__schema');
      });
      await page.getByRole('button', { name: 'Execute query' }).click();
      if (operationName)
        await page.getByRole('menuitem', { name: operationName, exact: true }).click();
      const text = await (await answered).text();
      // Until the answer arrives, the editor may be empty or show the answer before.
      const shown = async () => JSON.parse((await textOf('response.json')) || '{}').data;
      await expect.poll(shown).toEqual(JSON.parse(text).data);
      return text;
    },
  };
};

export const openGraphiql = async (url: string) => {
  const opened = await openPage(url);
  return { ...opened, graphiql: await useGraphiql(opened.page) };
};

/** Everything that the page has stored in the browser. */
export const storedBy = async (page: Page): Promise<string> => {
  const stored = await page.evaluate<string>(`(async () => JSON.stringify([
    { ...localStorage },
    { ...sessionStorage },
    document.cookie,
    await indexedDB.databases(),
    await caches.keys(),
  ]))()`);
  return stored + JSON.stringify(await page.context().storageState({ indexedDB: true }));
};
