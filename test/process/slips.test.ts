import { describe, expect, it } from 'vitest';
import { settings } from '../../src/config/settings.ts';
import { findSlips } from '../../src/config/slips.ts';
import { run } from '../support/process/run-main.ts';

const names = Object.values(settings).map(({ name }) => name);

describe('findSlips', () => {
  it.each(names)('finds what is one slip away from %s', (name) => {
    const at = name.length - 2;
    const [before, a = '', b = ''] = [name.slice(0, at), name[at], name[at + 1]];
    const slips = [
      before + b,
      before + a,
      `${before}Q${b}`,
      `${before}${a}Q`,
      `${before}Q${a}${b}`,
      `${name}Q`,
      `Q${name}`,
      name.slice(1),
      name.toLowerCase(),
      ...(a === b ? [] : [before + b + a]),
    ].filter((written) => !names.includes(written));
    for (const variable of slips) {
      expect(findSlips({ [variable]: 'x' })).toEqual([{ variable, meant: name }]);
    }
  });

  it('says nothing of known names, and of names that are further away', () => {
    expect(findSlips(Object.fromEntries(names.map((name) => [name, '']))).length).toBe(0);
    const others = [
      'PATH',
      'HOME',
      'HOSTNAME',
      'MAX',
      'MAX_DEEP',
      'GRAPHIQLSS',
      'RPOTT',
      'WORKERS',
    ];
    expect(findSlips(Object.fromEntries(others.map((name) => [name, ''])))).toEqual([]);
  });
});

describe('the gateway', () => {
  const slip = { MANAGEMENT_ULR: 'https://user:cnry@management.example' };

  it('names a setting that was probably meant beside what is wrong', async () => {
    const { code, errors } = await run({ ...slip, OBSERVABILITY_URL: 'http://127.0.0.1:1' }).ended;
    expect(code).toBe(1);
    expect(errors).toMatch(
      /^Sluice cannot start:\n {2}MANAGEMENT_URL is required: .*\n {2}MANAGEMENT_ULR is not a setting: is MANAGEMENT_URL meant\?\n$/,
    );
    expect(errors).not.toContain('cnry');
  });

  it('starts all the same where nothing is wrong, and warns in a line of its log', async () => {
    const url = 'http://127.0.0.1:1';
    const gateway = run({ ...slip, MANAGEMENT_URL: url, OBSERVABILITY_URL: url, PORT: '0' });
    await gateway.logged('listening');
    expect(await gateway.logged('a variable is one slip away from a known one')).toEqual({
      level: 40,
      time: expect.any(Number),
      variable: 'MANAGEMENT_ULR',
      meant: 'MANAGEMENT_URL',
      msg: 'a variable is one slip away from a known one',
    });
    expect(gateway.output.text).not.toContain('cnry');
  });
});
