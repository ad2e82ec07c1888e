import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, type Plugin, preview } from 'vite';
import { onTestFinished, vi } from 'vitest';
import { openPage } from './chromium.ts';

/** The examples that are pages. */
export type Example = 'relay' | 'urql';

const generated = { relay: 'src/__generated__', urql: 'src/generated' } as const;

// What babel-plugin-relay does: a tag becomes the artifact that relay-compiler made of it.
const relayTags: Plugin = {
  name: 'relay-tags',
  enforce: 'pre',
  transform: (code) => {
    const names: string[] = [];
    const body = code.replace(/graphql`\s*\w+ (\w+)[^`]*`/g, (_, name: string) => {
      names.push(name);
      return `artifact_${name}`;
    });
    const imports = names.map(
      (name) => `import artifact_${name} from './__generated__/${name}.graphql.ts';`,
    );
    return { code: [...imports, body].join('\n'), map: null };
  },
};

const pageWith = (credentials: Readonly<Record<string, string>>): string => `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <title>Example</title>
    <link rel="icon" href="data:,">
    <script>Object.assign(sessionStorage, ${JSON.stringify(credentials)});</script>
    <script type="module" src="/main.js"></script>
  </head>
  <body><div id="root"></div></body>
</html>
`;

/**
 * Builds an example for production into a folder of its own, with a page that mounts it and finds
 * these credentials; `remove` takes the folder away.
 */
export const buildExample = async (
  example: Example,
  credentials: Readonly<Record<string, string>>,
): Promise<{ folder: string; remove(): Promise<void> }> => {
  const root = fileURLToPath(new URL(`../../../examples/${example}`, import.meta.url));
  if (!existsSync(join(root, generated[example]))) {
    throw new Error(`${example} has no types: run "npm run check:examples" first`);
  }
  const folder = await mkdtemp(join(tmpdir(), `${example}-`));
  // Vitest says "test", and React would be built for development.
  vi.stubEnv('NODE_ENV', 'production');
  await build({
    root,
    configFile: false,
    logLevel: 'error',
    plugins: example === 'relay' ? [relayTags] : [],
    build: {
      outDir: folder,
      rolldownOptions: {
        input: join(root, 'src/main.tsx'),
        output: { entryFileNames: 'main.js', codeSplitting: false },
      },
    },
  });
  vi.unstubAllEnvs();
  await writeFile(join(folder, 'index.html'), pageWith(credentials));
  return { folder, remove: () => rm(folder, { recursive: true }) };
};

/** Opens a built example that stands before the gateway of `url`; both the page and its server end with the test. */
export const openExample = async (folder: string, url: string) => {
  const server = await preview({
    configFile: false,
    build: { outDir: folder },
    preview: { host: '127.0.0.1', port: 0, proxy: { '/graphql': new URL(url).origin } },
    logLevel: 'silent',
  });
  onTestFinished(() => server.close());
  const [address] = server.resolvedUrls?.local ?? [];
  if (address === undefined) throw new Error('the page has no address');
  return openPage(address);
};
