import '../support/client/built.ts';
import { expect, it } from 'vitest';
import { compile, createFolder, tsconfig } from '../support/client/folder.ts';
import { compiled } from '../support/docs/code.ts';
import { pages } from '../support/docs/pages.ts';

const blocksOf = (page: string) => compiled.filter((block) => block.page === page);

it.each(pages.filter((page) => blocksOf(page).length > 0))(
  '%s: every block of TypeScript compiles strictly',
  async (page) => {
    const given = 'declare const keyId: string;\ndeclare const keySecret: string;\n';
    const files = blocksOf(page).map(({ line, text }) => [`line-${line}.ts`, given + text]);
    const folder = await createFolder(
      {
        ...Object.fromEntries(files),
        // Apollo's own declarations have errors.
        'tsconfig.json': tsconfig({ noEmit: true, skipLibCheck: true }),
      },
      ['@sluice/client', '@apollo/client', '@types/node', 'graphql', 'rxjs', 'vite'],
    );
    expect((await compile(folder)).stdout).toBe('');
  },
);

it('TypeScript is on the pages for frontend developers and on that of the client package', () => {
  const found = compiled.map(({ page }) => page);
  expect(new Set(found)).toEqual(new Set(['docs/clients.md', 'client/README.md']));
});
