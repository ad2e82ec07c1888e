import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const production = 'test/full/installs/production.test.ts';
const client = 'test/full/browser/client.test.ts';
const npmPackage = 'test/full/installs/package.test.ts';
const copies = 'test/full/installs/example-copies.test.ts';
const sdk = '@opentelemetry/sdk-node@0.223.0';

/**
 * Commands that install software, never end, or need a program that may be missing: for each, the file that runs it or its
 * main part, and a text in that file.
 */
export const runElsewhere: Readonly<Record<string, readonly [file: string, words: string]>> = {
  'npm ci --omit=dev && npm run demo': [production, 'the demo runs on what `npm ci --omit=dev`'],
  'npm ci --omit=dev && CORS_ORIGINS=http://127.0.0.1:5173 npm run demo': [
    ...([client, 'As CORS_ORIGINS says'] as const),
  ],
  'python3 -m http.server 5173 --bind 127.0.0.1': [client, 'place of `python3 -m http.server`'],
  [`npm install --no-save --save-prod --omit=dev --omit=optional --workspaces=false ${sdk}`]: [
    ...([production, "[adding = '']"] as const),
  ],
  'npm cit': ['.ci/run', 'npm cit'],
  'npm install sluice': [npmPackage, "npm('install', ...tarballs"],
  'npx sluice demo': [npmPackage, "['npx', 'sluice', 'demo']"],
  'npx vitest run --maxWorkers=1 test/operations/table.test.ts': [
    ...(['test/operations/table.test.ts', 'describe.each('] as const),
  ],
  'npm run demo -- --profile live': [
    ...(['test/process/starts.test.ts', "'--profile', 'live'"] as const),
  ],
  'npm run console': ['test/full/browser/console.test.ts', 'scripts.console'],
  'npm ci && SESSION_SECRET=$(openssl rand -hex 32) npm start': [
    ...(['test/full/browser/bff.test.ts', 'In place of `npm start`'] as const),
  ],
  'npm ci': [copies, 'In place of `npm ci`'],
  'npm run check:examples': ['package.json', 'npm run check:examples &&'],
  'npm run check': [copies, "['run', 'check']"],
  'npm start': [copies, 'examples/gql-tada/src/main.ts'],
  'npm run bench': ['package.json', 'bench/goodput.test.ts'],
  'docker build -t sluice .': [
    ...(['test/full/installs/release.test.ts', "=== undefined)('the image'"] as const),
  ],
  'node test/support/docs/pictures.ts': [
    ...(['test/support/docs/pictures.ts', 'node test/support/docs/pictures.ts'] as const),
  ],
  'cp -r examples/console ../console && cp schema.graphql ../console/': [
    ...([copies, 'await cp(folder, copy'] as const),
  ],
  'npm run build -w client && npm pack -w client --pack-destination ../console': [
    ...([copies, "import '../../support/client/built.ts'"] as const),
  ],
  'cd ../console && rm -rf node_modules start.ts && npm install --save-dev ./sluice-client-0.1.0.tgz':
    [copies, "rm(join(copy, 'start.ts')"],
};

/** The commands of a block, without comments; lines that end in a backslash are joined. */
export const commandsOf = (text: string): readonly string[] =>
  text
    .replaceAll(/\\\n\s*/g, '')
    .split('\n')
    .map((line) => line.replace(/ +#.*$/, '').trim())
    .filter((line) => line !== '');

const shell = async (
  script: string,
  env: Readonly<Record<string, string | undefined>> = {},
): Promise<string> => {
  const options = { env: { PATH: process.env.PATH, ...env } };
  return (await promisify(execFile)('sh', ['-ec', script], options)).stdout;
};

const ownOfShell = ['PATH', 'PWD', 'OLDPWD', 'SHLVL'];

/** The environment variables that a block sets for its program: stubs replace npm and docker, and print them. */
export const settingsOf = async (text: string): Promise<Readonly<Record<string, string>>> => {
  const printed = await shell(`
    npm() { env; }
    docker() { for word; do case $word in [A-Z]*=*) echo "$word";; esac; done; }
    ${text}
    [ -z "$MANAGEMENT_RATE$REPLICAS$OTEL_EXPORTER_OTLP_ENDPOINT" ] || env
  `);
  const pairs = [...printed.matchAll(/^([A-Z_]+)=(.*)$/gm)].map(([, name = '', value]) => [
    name,
    value,
  ]);
  return Object.fromEntries(pairs.filter(([name = '']) => !ownOfShell.includes(name)));
};

/** The request of a block's curl command to a gateway at `url`. The shell parses the line; curl itself is not needed. */
export const requestOf = async (
  text: string,
  url: string,
  env: Readonly<Record<string, string>>,
): Promise<Request> => {
  const printed = await shell(
    `curl() { for word; do printf '%s\\0' "$word"; done; }\n${text}`,
    env,
  );
  const [address, ...words] = printed.split('\0').filter((word) => !['', '-s'].includes(word));
  if (address !== 'http://127.0.0.1:4000/graphql') throw new Error(`not the demo's: ${address}`);
  const headers = new Headers();
  let body: string | null = null;
  for (let index = 0; index < words.length; index += 2) {
    const [option, value = ''] = words.slice(index);
    const [name = '', content = ''] = value.split(/: (.*)/);
    if (option === '-H') headers.append(name, content);
    else if (option === '-u') headers.set('authorization', `Basic ${btoa(value)}`);
    else if (option === '-d') body = value;
    else throw new Error(`the test does not know curl's option ${option}`);
  }
  return new Request(url, { method: 'POST', headers, body });
};
