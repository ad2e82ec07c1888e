import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const copies = 'test/full/installs/example-copies.test.ts';
const firstPage = 'test/full/browser/first-page.test.ts';
const operations = 'test/operations/table.test.ts';
const pictures = 'test/support/docs/pictures.ts';

/**
 * Commands that install software, never end, or need a program that may be missing: for each, the file that runs it or its
 * main part, and a text in that file.
 */
export const runElsewhere: Readonly<Record<string, readonly [file: string, words: string]>> = {
  'npm ci --omit=dev && npm run demo': [
    'test/full/installs/image.test.ts',
    'the demo runs on what `npm ci --omit=dev` installs',
  ],
  'npm ci --omit=dev && CORS_ORIGINS=http://127.0.0.1:5173 npm run demo': [
    firstPage,
    'As CORS_ORIGINS says',
  ],
  'python3 -m http.server 5173 --bind 127.0.0.1': [
    firstPage,
    'In the place of `python3 -m http.server`',
  ],
  'npm install --no-save --save-prod --omit=dev --omit=optional --workspaces=false @opentelemetry/sdk-node@0.223.0':
    ['test/full/installs/traces.test.ts', 'npm(adding)'],
  'npm cit': ['.ci/run', 'npm cit'],
  [`npx vitest run --maxWorkers=1 ${operations}`]: [operations, 'describe.each('],
  'npm run demo -- --profile live': [
    'test/profiles/live-demo.test.ts',
    "startDemo(['--profile', 'live']",
  ],
  'npm run console': ['test/full/browser/console.test.ts', 'scripts.console'],
  'npm ci': [copies, 'In place of `npm ci`'],
  'npm run check:examples': ['package.json', 'npm run check:examples &&'],
  'npm run check': [copies, "['run', 'check']"],
  'npm start': [copies, 'examples/gql-tada/src/main.ts'],
  'npm run bench': ['package.json', 'bench/goodput.test.ts'],
  'docker build -t sluice .': ['test/full/installs/image.test.ts', 'Dockerfile'],
  [`node ${pictures}`]: [pictures, `node ${pictures}`],
  'cp -r examples/console ../console && cp schema.graphql ../console/': [
    copies,
    'await cp(folder, copy',
  ],
  'npm run build -w client && npm pack -w client --pack-destination ../console': [
    copies,
    "import '../../support/client/built.ts'",
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
  env: Readonly<Record<string, string | undefined>>,
): Promise<string> => (await promisify(execFile)('sh', ['-ec', script], { env })).stdout;

const ownOfShell = new Set(['PATH', 'PWD', 'OLDPWD', 'SHLVL']);

/** The environment variables that a block sets for its program: stubs replace npm and docker, and print them. */
export const settingsOf = async (text: string): Promise<Readonly<Record<string, string>>> => {
  const stubs = `
    npm() { env; }
    docker() { for word; do case $word in [A-Z]*=*) echo "$word";; esac; done; }
  `;
  const printed = await shell(
    `${stubs}\n${text}\n[ -z "$MANAGEMENT_RATE$REPLICAS$OTEL_EXPORTER_OTLP_ENDPOINT" ] || env`,
    {
      PATH: process.env.PATH,
    },
  );
  return Object.fromEntries(
    printed.split('\n').flatMap((line) => {
      const [, name = '', value = ''] = /^([A-Z_]+)=(.*)$/.exec(line) ?? [];
      return name === '' || ownOfShell.has(name) ? [] : [[name, value]];
    }),
  );
};

/** The request of a block's curl command to a gateway at `url`. The shell parses the line; curl itself is not needed. */
export const requestOf = async (
  text: string,
  url: string,
  env: Readonly<Record<string, string>>,
): Promise<Request> => {
  const stub = `curl() { for word; do printf '%s\\0' "$word"; done; }`;
  const words = (await shell(`${stub}\n${text}`, { ...env, PATH: process.env.PATH })).split('\0');
  const headers = new Headers();
  let body: string | undefined;
  let address = '';
  const rest = words.slice(0, -1);
  while (rest.length > 0) {
    const word = rest.shift() ?? '';
    if (word === '-s') continue;
    if (!word.startsWith('-')) {
      address = word;
      continue;
    }
    const value = rest.shift() ?? '';
    if (word === '-H') {
      const [name = '', text = ''] = value.split(/: (.*)/);
      headers.append(name, text);
    } else if (word === '-u') headers.set('authorization', `Basic ${btoa(value)}`);
    else if (word === '-d') body = value;
    else throw new Error(`the test does not know curl's option ${word}`);
  }
  if (address !== 'http://127.0.0.1:4000/graphql') throw new Error(`not the demo's: ${address}`);
  return new Request(url, { method: 'POST', headers, ...(body !== undefined && { body }) });
};
