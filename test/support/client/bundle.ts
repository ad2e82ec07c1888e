import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';

const entry = 'entry';

/** Statements that export all of some of the client's built modules. */
export const exporting = (...modules: readonly string[]): string =>
  modules
    .map((name) => fileURLToPath(new URL(`../../../client/dist/${name}.js`, import.meta.url)))
    .map((path) => `export * from ${JSON.stringify(path)};`)
    .join('\n');

/** The minified text of `code` and what it needs, in one module. */
export const bundle = async (code: string): Promise<string> => {
  const bundling = await rolldown({
    input: entry,
    plugins: [
      {
        name: 'entry',
        resolveId: (id) => (id === entry ? entry : null),
        load: (id) => (id === entry ? code : null),
      },
    ],
  });
  const { output } = await bundling.generate({ minify: true });
  await bundling.close();
  return output[0].code;
};
