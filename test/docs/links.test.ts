import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path/posix';
import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { pages, read } from '../support/docs/pages.ts';

const root = new URL('../../', import.meta.url);

/** Markdown without its blocks of code. */
const proseOf = (page: string): string => read(page).replaceAll(/^ *```[\s\S]*?^ *```$/gm, '');

/** The anchors of a page's headings, as GitHub makes them. */
const anchorsOf = (page: string): readonly string[] =>
  [...proseOf(page).matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  );

const linksOf = (page: string): readonly string[] =>
  [...proseOf(page).matchAll(/\]\(([^)\s]+)\)/g)].map(([, link = '']) => link);

it.each(pages)('every link of %s leads somewhere', (page) => {
  const broken = linksOf(page).filter((link) => {
    if (/^https?:/.test(link)) return false;
    const [path = '', anchor] = link.split('#');
    const target = path === '' ? page : join(dirname(page), path);
    if (!existsSync(new URL(target, root))) return true;
    return anchor !== undefined && !anchorsOf(target).includes(anchor);
  });
  expect(broken).toEqual([]);
});

it('README.md leads to every guide', () => {
  const links = new Set(linksOf('README.md').map((link) => link.split('#')[0]));
  const guides = pages.filter((page) => /^docs\/(?!upstream)/.test(page) || !page.includes('/'));
  expect(guides.filter((page) => page !== 'README.md' && !links.has(page))).toEqual([]);
});

const alerts: readonly { alert: string; annotations: Readonly<Record<string, string>> }[] = parse(
  read('deploy/monitoring/alerts.yaml'),
).groups[0].rules;

it.each(alerts)('the runbook of $alert is a chapter of the guide', ({ annotations }) => {
  const [address, anchor] = annotations.runbook_url?.split('#') ?? [];
  expect(address).toBe('https://git.example/sluice/docs/operating.md');
  expect(anchorsOf('docs/operating.md')).toContain(anchor);
});

it('what Alertmanager holds back are alerts that there are', () => {
  const matchers = read('deploy/monitoring/inhibit-rules.yaml').matchAll(/\bSluice\w+/g);
  const names = new Set([...matchers].map(([name]) => name));
  expect(alerts.map(({ alert }) => alert)).toEqual(expect.arrayContaining([...names]));
});
