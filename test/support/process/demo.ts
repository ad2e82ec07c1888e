import { run, until } from './run-main.ts';

const command = [process.execPath, '--import', './src/preload.js', 'sandbox/demo.ts'] as const;

/** The demo as npm runs it, until the test ends. */
export const startDemo = (
  args: readonly string[] = [],
  env: Readonly<Record<string, string>> = {},
) => {
  const { child, output, ended } = run({ PORT: '0', ...env }, [...command, ...args]);
  return { child, output, ended: ended.then(({ code, errors }) => ({ code, errors })) };
};

/** The complete output of a demo that has started. Throws, with its output, if the demo ends before. */
export const printedBy = async ({
  child,
  output,
}: ReturnType<typeof startDemo>): Promise<string> => {
  await until(() => output.text.includes('Ctrl-C') || child.exitCode !== null);
  if (child.exitCode !== null) throw new Error(`the demo has ended: ${output.errors}`);
  return output.text;
};
