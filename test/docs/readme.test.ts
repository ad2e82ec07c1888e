import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { isEnumType, isScalarType, isSpecifiedScalarType } from 'graphql';
import { describe, expect, it, onTestFinished } from 'vitest';
import { readConfig } from '../../src/config.ts';
import { createSchema } from '../../src/schema/build.ts';
import type { Rate } from '../../src/upstream/slots.ts';
import { paced, startSandboxStack } from '../support/harness.ts';
import { firstCells, readme, section, table } from '../support/readme-text.ts';

const read = (path: string): string =>
  readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');

/**
 * An operation and the answer shown right below it. A comment `<!-- … -->` above the operation holds
 * conditions: `without: <header>` leaves a credential out, `with: <header>=<value>` adds a header,
 * `calls: <number>` is what it costs upstream.
 */
interface Example {
  readonly title: string;
  readonly language: string;
  readonly text: string;
  readonly answer: string | undefined;
  readonly conditions: Readonly<Record<string, string>>;
}

const fence =
  /(?:^<!-- (?<conditions>.*) -->\n)?^```(?<language>graphql|sh)\n(?<text>[\s\S]*?)^```\n(?:\n```json\n(?<answer>[\s\S]*?)^```\n)?/gm;

const titleAbove = (index: number): string =>
  [...readme.slice(0, index).matchAll(/^#+ (.*)$/gm)].at(-1)?.[1] ?? '';

const examples = [...readme.matchAll(fence)].map(
  ({ index, groups = {} }): Example => ({
    title: titleAbove(index),
    language: groups.language ?? '',
    text: groups.text ?? '',
    answer: groups.answer,
    conditions: Object.fromEntries(
      (groups.conditions ?? '')
        .split('; ')
        .filter((condition) => condition !== '')
        .map((condition) => condition.split(': ')),
    ),
  }),
);

const operations = examples.filter(({ language }) => language === 'graphql');
const curls = examples.filter(({ text }) => text.startsWith('curl '));

const anyScalar = expect.toSatisfy(
  (value: unknown) => typeof value === 'string' || typeof value === 'number',
);

/** `"…"` in an answer stands for any string or number. */
const expected = (answer: string | undefined): unknown =>
  JSON.parse(answer ?? 'null', (_, value) => (value === '…' ? anyScalar : value));

const headersOf = (conditions: Example['conditions']): Record<string, string> => {
  const [name, value] = conditions.with?.split('=') ?? [];
  return {
    ...(conditions.without !== undefined && { [conditions.without]: '' }),
    ...(name !== undefined && value !== undefined && { [name]: value }),
  };
};

const open = async () => {
  const stack = await startSandboxStack({ config: paced, sandbox: { limits: true } });
  onTestFinished(() => stack.close());
  return stack;
};

describe('README: examples', () => {
  it('are found, every one with its answer and its number of calls', () => {
    expect(operations.length).toBeGreaterThanOrEqual(4);
    expect(operations).toHaveLength(readme.match(/^```graphql$/gm)?.length ?? 0);
    expect(curls).toHaveLength(1);
    for (const { answer, conditions } of [...operations, ...curls]) {
      expect(answer).toBeDefined();
      expect(Number(conditions.calls)).toBeGreaterThan(0);
    }
    expect([...operations, ...curls]).toHaveLength(readme.match(/^```json$/gm)?.length ?? 0);
  });

  it.each(operations)('$title: answers as shown', async ({ text, answer, conditions }) => {
    const stack = await open();
    const { body } = await stack.query(text, { headers: headersOf(conditions) });
    expect(body).toStrictEqual(expected(answer));
    expect(stack.callList()).toHaveLength(Number(conditions.calls));
  });

  it.each(curls)('the curl line answers as shown', async ({ text, answer, conditions }) => {
    const stack = await open();
    const quoted = (option: string): string[] =>
      [...text.matchAll(new RegExp(`${option} '([^']*)'`, 'g'))].map(([, value = '']) => value);
    const [body = ''] = quoted('-d');
    const response = await fetch(stack.url, {
      method: 'POST',
      headers: quoted('-H').map((header): [string, string] => {
        const [name = '', value = ''] = header.split(': ');
        return [name, value];
      }),
      body,
    });
    expect(await response.json()).toStrictEqual(expected(answer));
    expect(stack.callList()).toHaveLength(Number(conditions.calls));
  });

  it('the curl line is the one that the demo prints', async () => {
    const demo = spawn(
      process.execPath,
      [fileURLToPath(new URL('../../sandbox/demo.ts', import.meta.url))],
      {
        env: { ...process.env, HOST: '127.0.0.1', PORT: '0' },
        stdio: ['ignore', 'pipe', 'inherit'],
      },
    );
    const exited = once(demo, 'exit');
    onTestFinished(async () => {
      demo.kill();
      await exited;
    });
    let printed = '';
    for await (const chunk of demo.stdout) {
      printed += chunk;
      if (printed.includes('Ctrl-C')) break;
    }
    const line = printed.split('\n').find((text) => text.startsWith('curl '));
    expect(line?.replace(/:\d+\/graphql/, ':4000/graphql')).toBe(curls[0]?.text.trim());
  });
});

describe('README: tables', () => {
  it('list exactly the variables that the gateway reads, with their defaults', () => {
    const urls: Readonly<Record<string, string>> = {
      MANAGEMENT_URL: 'http://management.invalid',
      OBSERVABILITY_URL: 'http://observability.invalid',
    };
    const variables = new Set<string>();
    const config = readConfig(
      new Proxy(urls, {
        get: (target, name) => {
          variables.add(String(name));
          return target[String(name)];
        },
      }),
    );
    const shown = (value: unknown): string => {
      if (value === undefined) return 'unset';
      if (Array.isArray(value) && value.length === 0) return 'none';
      if (value instanceof URL) return 'required';
      return typeof value === 'boolean' ? { true: 'on', false: 'off' }[`${value}`] : String(value);
    };
    const rate = (allowed: Rate | undefined): string =>
      allowed ? `${allowed.calls}/${allowed.windowMs / 1000}s` : 'off';
    const members: Readonly<Record<string, unknown>> = {
      ...config,
      managementRate: rate(config.managementRate),
      observabilityRate: rate(config.observabilityRate),
      readCache: config.readCacheBytes > 0,
      readCacheMb: config.readCacheBytes / 1024 / 1024,
      ...Object.fromEntries(
        Object.entries(config.limits).map(([name, value]) => [
          `max${name[0]?.toUpperCase()}${name.slice(1)}`,
          value,
        ]),
      ),
      maxParallelUpstreamCalls: config.maxParallelCalls,
    };
    const memberOf = (variable: string) =>
      variable.toLowerCase().replace(/_(.)/g, (_, letter) => letter.toUpperCase());

    const rows = table(section('Configuration'), 'Variable', 'Default');
    expect(firstCells(rows)).toEqual([...variables].sort());
    expect(rows.map(([variable, value]) => [variable, value])).toEqual(
      rows.map(([variable = '']) => [variable, shown(members[memberOf(variable)])]),
    );
  });

  it('list exactly the codes of top-level errors', () => {
    const [, union = ''] =
      read('src/errors/describe.ts').match(/^export type ErrorCode =([^;]*);/m) ?? [];
    const codes = [...union.matchAll(/'(\w+)'/g)].map(([, code]) => code);
    expect(codes).toContain('NOT_FOUND');
    expect(firstCells(table(section('Errors'), 'Code', 'When'))).toEqual(codes.sort());
  });

  it('list exactly the codes of userErrors', () => {
    const type = createSchema().getType('UserErrorCode');
    const codes = isEnumType(type) ? type.getValues().map(({ name }) => name) : [];
    expect(codes).not.toEqual([]);
    expect(firstCells(table(section('Errors'), 'Code', 'Meaning'))).toEqual(codes.sort());
  });

  it('list exactly the mutations', () => {
    const fields = Object.keys(createSchema().getMutationType()?.getFields() ?? {});
    expect(fields).not.toEqual([]);
    expect(firstCells(table(section('Sluice'), 'Mutation'))).toEqual(fields.sort());
  });
});

describe('README: typed clients', () => {
  const schema = createSchema();
  const text = section('Typed clients');

  it('maps every scalar that GraphQL itself does not have, and ID', () => {
    const [, lines = ''] = text.match(/^ +scalars:\n((?: {8}\w+: \w+\n)+)/m) ?? [];
    const own = Object.values(schema.getTypeMap())
      .filter((type) => isScalarType(type) && !isSpecifiedScalarType(type))
      .map(({ name }) => name);
    const mapped = [...lines.matchAll(/(\w+):/g)].map(([, name]) => name);
    expect(mapped.sort()).toEqual([...own, 'ID'].sort());
  });
});
