// Makes the lists of contracts from their OpenAPI files, JSON or YAML, which may be parts of one description:
// `npm run contracts -- FILE…`. A description of ClickHouse Cloud has both lists, one of HyperDX only that of ClickStack.
import { readFileSync, writeFileSync } from 'node:fs';
import { parse } from 'yaml';
import { type Name, pathOf } from './contract.ts';
import { listsOf } from './lists.ts';

const files = process.argv.slice(2);
if (files.length === 0) throw new Error('Name the OpenAPI files: npm run contracts -- FILE…');
const lists = listsOf(
  // YAML has all of JSON.
  files.map((file) => parse(readFileSync(file, 'utf8'))),
  new Date().toISOString().slice(0, 10),
);
for (const [name, text] of Object.entries(lists)) writeFileSync(pathOf(name as Name), text);
process.stdout.write(
  `Wrote ${Object.keys(lists).join(' and ')}. test/contracts/drift.test.ts names what is new.\n`,
);
