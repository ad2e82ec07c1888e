import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

/** Where a line of the shell is carried out, or the better part of it. */
interface Elsewhere {
  readonly file: string;
  /** What has to stand in that file. */
  readonly words: readonly string[];
}

/** Lines that install something, never end or need a program that may be missing, and what carries them out. */
export const runElsewhere: Readonly<Record<string, Elsewhere>> = {
  'npm ci --omit=dev && npm run demo': {
    file: 'test/full/installs/image.test.ts',
    words: ['the demo runs on what `npm ci --omit=dev` installs', 'sandbox/demo.ts'],
  },
  'npm install --no-save --save-prod --omit=dev --omit=optional --workspaces=false @opentelemetry/sdk-node@0.223.0':
    { file: 'test/full/installs/traces.test.ts', words: ['npm(adding)'] },
  'npm cit': { file: '.ci/run', words: ['npm cit'] },
  'npm run demo -- --profile live': {
    file: 'test/profiles/live-demo.test.ts',
    words: ["startDemo(['--profile', 'live']"],
  },
  'npm run sandbox': { file: 'test/sandbox/serving.test.ts', words: ['sandbox/main.ts'] },
  'npm run console': {
    file: 'test/full/browser/console.test.ts',
    words: ['npm run console', 'scripts.console'],
  },
  'npm ci': {
    file: 'test/full/installs/example-copies.test.ts',
    words: ['In place of `npm ci`'],
  },
  'npm run check:examples': { file: 'package.json', words: ['npm run check:examples &&'] },
  'npm run check': {
    file: 'test/full/installs/example-copies.test.ts',
    words: ["['run', 'check']"],
  },
  'npm start': {
    file: 'test/full/installs/example-copies.test.ts',
    words: ['examples/gql-tada/src/main.ts'],
  },
  'npm run bench': { file: 'package.json', words: ['bench/goodput.test.ts'] },
  'docker build -t sluice .': {
    file: 'test/full/installs/image.test.ts',
    words: ['Dockerfile'],
  },
  'node test/support/docs/pictures.ts': {
    file: 'test/support/docs/pictures.ts',
    words: ['node test/support/docs/pictures.ts'],
  },
  'cp -r examples/console ../console && cp schema.graphql ../console/': {
    file: 'test/full/installs/example-copies.test.ts',
    words: ['await cp(folder, copy', "await cp(join(root, 'schema.graphql')"],
  },
  'npm run build -w client && npm pack -w client --pack-destination ../console': {
    file: 'test/full/installs/example-copies.test.ts',
    words: ["import '../../support/client/built.ts'"],
  },
  'cd ../console && rm -rf node_modules start.ts && npm install --save-dev ./sluice-client-0.1.0.tgz':
    {
      file: 'test/full/installs/example-copies.test.ts',
      words: ["rm(join(copy, 'start.ts')", 'In place of `npm ci`'],
    },
};

/** The commands of a block, without comments; lines that end in a backslash go on. */
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

/**
 * The variables that a block gives to the program that it starts: npm and docker are not run, and show what they would get.
 */
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

/** The request that a block's curl would send to a gateway at `url`. The shell reads the line; curl itself is not needed. */
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
