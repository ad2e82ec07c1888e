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
  /** The block that it answers. */
  readonly answers: string | undefined;
}

const fence =
  /(?:^[ ]*<!-- (?<comment>.*) -->\n)?^(?<indent> *)```(?<language>\w*)\n(?<text>[\s\S]*?)^ *```$/gm;

const conditionsOf = (comment: string): Readonly<Record<string, string>> =>
  Object.fromEntries(
    comment.split('; ').flatMap((condition) => {
      const [name = '', ...value] = condition.split(': ');
      return name === '' ? [] : [[name, value.join(': ')]];
    }),
  );

const blocksOf = (page: string): readonly Block[] => {
  const markdown = read(page);
  const found = [...markdown.matchAll(fence)].map(({ 0: whole, index, groups = {} }) => {
    const { comment = '', indent = '', language = '', text = '' } = groups;
    return {
      page,
      line: markdown.slice(0, index).split('\n').length,
      start: index,
      end: index + whole.length,
      language,
      text: text.replaceAll(new RegExp(`^${indent}`, 'gm'), ''),
      conditions: conditionsOf(comment),
      bare: comment === '',
    };
  });
  const isAnswer = (position: number): boolean => {
    const block = found[position];
    const before = found[position - 1];
    return (
      block?.language === 'json' &&
      block.bare &&
      before?.conditions.calls !== undefined &&
      markdown.slice(before.end, block.start).trim() === ''
    );
  };
  return found.map(({ start, end, bare, ...block }, position) => ({
    ...block,
    answer: isAnswer(position + 1) ? found[position + 1]?.text : undefined,
    answers: isAnswer(position) ? found[position - 1]?.text : undefined,
  }));
};

/** Every fenced block of the documentation. */
export const blocks: readonly Block[] = pages.flatMap(blocksOf);

const own = ({ conditions }: Block): boolean => conditions.from === undefined;

/** Independent blocks of TypeScript: test/docs/code.test.ts compiles all of them. */
export const compiled: readonly Block[] = blocks.filter(
  (block) => block.language === 'ts' && own(block),
);

/** Settings of a code generator, which test/full/installs/codegen.test.ts uses. */
export const generated: readonly Block[] = blocks.filter(
  (block) => block.language === 'yaml' && own(block),
);
