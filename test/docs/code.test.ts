import '../support/client/built.ts';
import { expect, it } from 'vitest';
import { compile, createFolder, tsconfig } from '../support/client/folder.ts';
import { compiled } from '../support/docs/blocks.ts';

it.each([...new Set(compiled.map(({ page }) => page))])(
  '%s: every block of TypeScript compiles strictly',
  async (page) => {
    const own = compiled.filter((block) => block.page === page);
    const given = 'declare const keyId: string;\ndeclare const keySecret: string;\n';
    const folder = await createFolder(
      {
        ...Object.fromEntries(own.map(({ line, text }) => [`line-${line}.ts`, given + text])),
        // Apollo's own declarations have errors.
        'tsconfig.json': tsconfig({ noEmit: true, skipLibCheck: true }),
      },
      ['@sluice/client', '@apollo/client', '@types/node', '@urql/core', 'graphql', 'rxjs', 'vite'],
    );
    expect((await compile(folder)).stdout).toBe('');
  },
);
