import { globSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { listen, run, sendAlerts } from './run-main.ts';
import { first, launch } from './workers-gateway.ts';

/** Makes objects at one place in the code, and lets them live through collections; V8 tells what it decides. */
const makeObjects = `
  import { setFlagsFromString } from 'node:v8';
  import { runInNewContext } from 'node:vm';
  const makeObjects = () => {
    setFlagsFromString('--expose-gc');
    const collect = runInNewContext('gc');
    const make = () => {
      const made = [];
      for (let count = 0; count < 5000; count += 1) made.push({ id: count, name: 'one' });
      return made;
    };
    // No sooner: what else the process did is not to be told.
    setFlagsFromString('--trace-pretenuring-statistics');
    for (let round = 0; round < 5; round += 1) {
      const kept = make();
      collect({ type: 'minor' });
      collect({ type: 'minor' });
      if (kept.length === 0) throw new Error('nothing was kept');
    }
    process.stdout.write('\\nmade by ' + process.pid + '\\n');
  };
`;

const idsIn = (text: string, line: RegExp): ReadonlySet<number> =>
  new Set([...text.matchAll(line)].map(([, pid]) => Number(pid)));
/** The processes that have made objects to the end. */
const madeIn = (text: string) => idsIn(text, /^made by (\d+)$/gm);
/** Those in which V8 has decided to make a place's objects in its old generation. */
const decidedIn = (text: string) => idsIn(text, /^\[(\d+):.*AllocationSite.* => /gm);

it('keepGarbageYoung keeps V8 from making objects old, which it does otherwise', async () => {
  const module = (source: string) =>
    run({}, [process.execPath, '--input-type=module', '-e', `${makeObjects}${source}`]);
  const garbage = JSON.stringify(new URL('../src/garbage.ts', import.meta.url));
  const keep = `const { keepGarbageYoung } = await import(${garbage}); keepGarbageYoung();`;

  const freely = module('makeObjects();');
  const { text } = await freely.ended;
  expect([madeIn(text), decidedIn(text)]).toEqual(Array(2).fill(new Set([freely.child.pid])));

  const young = module(`${keep} makeObjects();`);
  const { text: quiet } = await young.ended;
  expect([madeIn(quiet), decidedIn(quiet)]).toEqual([new Set([young.child.pid]), new Set()]);
});

// Signals to processes are POSIX's.
it.skipIf(process.platform === 'win32').each([1, 2])(
  'garbage stays young in each process that serves, of %i',
  async (count) => {
    const backend = await listen(sendAlerts);
    const gateway = launch({
      backend: backend.url,
      workers: count,
      env: first(`${makeObjects} process.on('exit', makeObjects);`),
    });
    const { workers = [] } = await gateway.logged('listening');
    gateway.child.kill('SIGTERM');
    const { code, text } = await gateway.ended;
    expect(code).toBe(0);
    expect(madeIn(text)).toEqual(new Set([gateway.child.pid, ...(workers as readonly number[])]));
    // The one that watches workers serves nothing, and shows that V8 would decide so there too.
    expect(decidedIn(text)).toEqual(new Set(count === 1 ? [] : [gateway.child.pid]));
  },
);

/** A function assigned to a member where it is written, which V8 makes in its old generation. */
const assignedFunction =
  /\.#?\w+ (\?\?|\|\|)?= (async )?(function\b|\([^()]*\)(: [^=;]+)? =>|\w+ =>)/;

it('no function is made old by the way it is written', () => {
  for (const bad of ['this.#a = () => b', 'a.b ??= async (c: D): E => d', 'a.b = c => d']) {
    expect(bad).toMatch(assignedFunction);
  }
  expect('const a = () => b; this.#a = a; c.d = e.f((g) => h);').not.toMatch(assignedFunction);
  const files = globSync('src/**/*.ts', { cwd: new URL('../', import.meta.url) });
  const found = files.filter((file) =>
    assignedFunction.test(readFileSync(new URL(`../${file}`, import.meta.url), 'utf8')),
  );
  expect(files.length).toBeGreaterThan(100);
  expect(found).toEqual([]);
});
