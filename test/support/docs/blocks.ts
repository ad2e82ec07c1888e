import { pages, read } from './pages.ts';

/** A fenced block of a page. */
export interface Block {
  readonly page: string;
  /** Its first line, counted from 1. */
  readonly line: number;
  readonly language: string;
  readonly text: string;
  /**
   * The content of a comment `<!-- … -->` directly above the block, as `name: value` separated by semicolons. `calls: 2` is
   * the number of upstream calls, `without: <header>` and `with: <header>=<value>` change the request, `from: <path>` names
   * the file that contains the block, and `run-by: <path>` the test that runs it; `log`, `get` and `persisted` mark JSON
   * that a gateway logs, answers or accepts.
   */
  readonly conditions: Readonly<Record<string, string>>;
  /** The block of JSON that follows it after a blank line. */
  readonly answer: string | undefined;
  /** Whether it is such an answer itself. */
  readonly isAnswer: boolean;
}

const fence =
  /(?:^[ ]*<!-- (?<comment>.*) -->\n)?^(?<indent> *)```(?<language>\w*)\n(?<text>[\s\S]*?)^ *```$/gm;

const conditionsOf = (comment: string): Readonly<Record<string, string>> =>
  Object.fromEntries(
    comment.split('; ').flatMap((condition) => {
      const [, name = '', value = ''] = /^(.*?): (.*)$/.exec(condition) ?? [];
      return name === '' ? [] : [[name, value]];
    }),
  );

const blocksOf = (page: string): readonly Block[] => {
  const markdown = read(page);
  const found = [...markdown.matchAll(fence)].map(({ 0: whole, index, groups = {} }) => {
    const { comment = '', indent = '', language = '', text = '' } = groups;
    const conditions = conditionsOf(comment);
    const after = markdown.slice(index + whole.length);
    const line = markdown.slice(0, index).split('\n').length;
    // Of a block with a number of calls, which a block of JSON follows after a blank line.
    const [, answer] =
      (conditions.calls !== undefined && /^\s*```json\n([\s\S]*?)^```$/m.exec(after)) || [];
    const own = { page, line, language, text: text.replaceAll(new RegExp(`^${indent}`, 'gm'), '') };
    return { ...own, conditions, answer };
  });
  return found.map((block, at) => ({ ...block, isAnswer: block.text === found[at - 1]?.answer }));
};

/** Every fenced block of the documentation. */
export const blocks: readonly Block[] = pages.flatMap(blocksOf);

/** Independent blocks of TypeScript: test/docs/code.test.ts compiles all of them. */
export const compiled: readonly Block[] = blocks.filter(
  ({ language, conditions }) =>
    language === 'ts' && conditions.from === undefined && conditions['run-by'] === undefined,
);
