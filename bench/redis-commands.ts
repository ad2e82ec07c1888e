import { createHash } from 'node:crypto';
import { Redis } from 'ioredis';

const letters: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t', a: '\x07', b: '\b' };
/** What MONITOR shows as this; ioredis has read the quotes. */
const unescaped = (shown: string): string =>
  shown.replaceAll(/\\(?:x(..)|(.))/g, (_, hex?: string, letter = '') =>
    hex ? String.fromCharCode(Number.parseInt(hex, 16)) : (letters[letter] ?? letter),
  );

/**
 * Counts what a Redis does. A look is a run of the script that reads the hash of an answer and never writes one. A script
 * is known by its text, which EVAL and SCRIPT LOAD show, so this begins before the gateway does; EVALSHA has its digest.
 */
export const startCounting = async (url: string) => {
  const client = new Redis(url);
  const monitor = await client.monitor();
  const isLook = new Map<string, boolean>();
  let looks = 0;
  let shown: (looks: number) => void = () => undefined;
  const learn = (given: string): string => {
    const script = unescaped(given);
    const digest = createHash('sha1').update(script, 'latin1').digest('hex');
    isLook.set(digest, /["']HM?GET/i.test(script) && !/["']HM?SET/i.test(script));
    return digest;
  };
  const ran = (digest: string): void => {
    const isKnown = isLook.get(digest);
    if (isKnown === undefined) throw new Error(`no text of script ${digest} was seen`);
    if (isKnown) looks += 1;
  };
  monitor.on('monitor', (_time: string, args: readonly string[], source: string) => {
    const [name = '', first = '', second = ''] = args;
    const command = name.toLowerCase();
    if (source === 'lua') return;
    if (command === 'script' && /^load$/i.test(first)) learn(second);
    if (command === 'eval') ran(learn(first));
    if (command === 'evalsha') ran(first.toLowerCase());
    if (command === 'info' && first === 'commandstats') shown(looks);
  });
  /** All since the start. Redis shows this INFO too, so what MONITOR has shown until then is what the figures count. */
  const take = async () => {
    const looked = new Promise<number>((resolve) => {
      shown = resolve;
    });
    const stats = await client.info('commandstats');
    const all = [...stats.matchAll(/^cmdstat_([^:]+):calls=(\d+)/gm)];
    const sum = (isMeant: (name: string) => boolean): number =>
      all.reduce((sum, [, name = '', calls]) => sum + (isMeant(name) ? Number(calls) : 0), 0);
    const isScript = (name: string): boolean => /^(eval|fcall)/.test(name);
    const [scripts, commands] = [sum(isScript), sum((name) => !isScript(name))];
    return { looks: await looked, scripts, commands };
  };
  return {
    take,
    stop: (): void => {
      monitor.disconnect();
      client.disconnect();
    },
  };
};
