import { readdir, readFile } from 'node:fs/promises';
import {
  buildSchema,
  type DocumentNode,
  type GraphQLError,
  NoUnusedFragmentsRule,
  specifiedRules,
  validate,
} from 'graphql';
import { misspelt } from '../src/must-not-compile.ts';
import { schemaUrl } from './schema-url.ts';

// In an editor, gql.tada's TypeScript plugin marks errors in documents, and its command `check` reports them in builds.
// Neither works with TypeScript 7, so the documents are validated here.
const src = new URL('../src/', import.meta.url);
const schema = buildSchema(await readFile(schemaUrl, 'utf8'));
const rules = specifiedRules.filter((rule) => rule !== NoUnusedFragmentsRule);

const isDocument = (value: unknown): value is DocumentNode =>
  typeof value === 'object' && value !== null && 'kind' in value && value.kind === 'Document';

const check = (document: DocumentNode): readonly GraphQLError[] =>
  validate(schema, document, rules);

const notModules = ['main.ts', 'must-not-compile.ts'];
let documents = 0;
const faults: string[] = [];

for (const file of await readdir(src)) {
  if (!file.endsWith('.ts') || notModules.includes(file)) continue;
  const module: Record<string, unknown> = await import(new URL(file, src).href);
  for (const [name, value] of Object.entries(module)) {
    if (!isDocument(value)) continue;
    documents += 1;
    for (const { message } of check(value)) faults.push(`src/${file}, ${name}: ${message}`);
  }
}

if (documents === 0) faults.push('No document was found in src');
if (check(misspelt).length === 0) faults.push('A misspelt field went unnoticed');

for (const fault of faults) process.stderr.write(`${fault}\n`);
process.exitCode = faults.length === 0 ? 0 : 1;
