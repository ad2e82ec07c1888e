import { type Block, blocks } from './blocks.ts';

const own = ({ conditions }: Block): boolean => conditions.from === undefined;

/** Blocks of TypeScript that stand for themselves: test/docs/code.test.ts compiles all of them. */
export const compiled: readonly Block[] = blocks.filter(
  (block) => block.language === 'ts' && own(block),
);

/** Settings of a code generator: test/docs/code.test.ts runs it with them. */
export const generated: readonly Block[] = blocks.filter(
  (block) => block.language === 'yaml' && block.text.includes('generates:') && own(block),
);
