import {
  type GraphQLField,
  type GraphQLNamedType,
  type GraphQLSchema,
  getNamedType,
  isEnumType,
  isInputObjectType,
  isObjectType,
  isScalarType,
} from 'graphql';
import { mask, written } from './answers.ts';
import type { Example, ExampleRun } from './examples.ts';
import { anchorOf, block, firstSentence, table } from './markdown.ts';
import { createWriter, rootTitles, type Writer } from './writer.ts';

const introduction = `# Schema

Every field and type that a client can use, with an example of each field of \`Query\` and \`Mutation\`.
For machines there is [\`schema.graphql\`](../schema.graphql), which holds the same.

This page is written by \`test/docs/schema-docs.test.ts\` from the schema and from runs of the examples. Change
nothing here by hand: the descriptions are in [\`schema/\`](../schema), the examples in
[\`docs/examples/\`](examples), and \`npx vitest run test/docs/schema-docs.test.ts --update\` writes the page.`;

const notes = `## How to read it

A type that ends in \`!\` is never null in an answer, and has to be given in an input. Any other may be
null, and may be left out.

The examples ran against the data of \`npm run demo\`, each on a fresh copy. To try one, paste it into
GraphiQL there, with its variables; the answer then also lists the upstream calls, of which only the
number is shown here. \`${mask}\` in an answer stands for a secret, or for what differs from run to run, such
as new identifiers.

In an answer's \`errors\`, \`extensions.code\` tells what went wrong; the codes are listed in
[the README](../README.md#errors).`;

type Field = GraphQLField<unknown, unknown>;

/** Finds the example of a root field, and what it gave. */
type ExampleOf = (field: string) => readonly [Example, ExampleRun];

interface Root {
  readonly name: string;
  readonly title: string;
  readonly description: string | null | undefined;
  readonly fields: readonly Field[];
  /** Field → the types that it alone uses: they are told with it, and nowhere else. */
  readonly own: ReadonlyMap<Field, readonly GraphQLNamedType[]>;
}

interface Group {
  readonly title: string;
  readonly types: readonly GraphQLNamedType[];
}

const rootsOf = (schema: GraphQLSchema, { usage }: Writer): readonly Root[] =>
  Object.entries(rootTitles).map(([name, title]) => {
    const type = schema.getType(name);
    const fields = isObjectType(type) ? Object.values(type.getFields()) : [];
    const ownOf = (field: Field): readonly GraphQLNamedType[] =>
      [...field.args, field]
        .map((used) => getNamedType(used.type))
        .filter((used) => usage.get(used.name)?.join() === `${name}.${field.name}`);
    return {
      name,
      title,
      description: type?.description,
      fields,
      own: new Map(fields.map((field) => [field, ownOf(field)])),
    };
  });

const groupTitle = (type: GraphQLNamedType): string => {
  if (isObjectType(type)) return 'Object types';
  if (isEnumType(type)) return 'Enums';
  if (isInputObjectType(type)) return 'Input types';
  return isScalarType(type) ? 'Scalars' : 'Interfaces and unions';
};

const groupsOf = ({ types }: Writer, roots: readonly Root[]): readonly Group[] => {
  const told = new Set(roots.flatMap(({ own }) => [...own.values()].flat()));
  const rest = types.filter((type) => !told.has(type));
  return ['Object types', 'Interfaces and unions', 'Enums', 'Input types', 'Scalars'].map(
    (title) => ({ title, types: rest.filter((type) => groupTitle(type) === title) }),
  );
};

const titleLink = (title: string): string => `**[${title}](#${anchorOf(title)})**`;

const contents = (
  { link, text }: Writer,
  roots: readonly Root[],
  groups: readonly Group[],
): readonly string[] => [
  '## Contents',
  ...roots.flatMap(({ name: root, title, fields }) => [
    titleLink(title),
    ...table(
      ['Field', 'In short'],
      fields.map(({ name, description }) => [
        link(name, `${root}.${name}`),
        text(firstSentence(description ?? '')),
      ]),
    ),
  ]),
  ...groups.map(
    ({ title, types }) => `${titleLink(title)}: ${types.map(({ name }) => link(name)).join(', ')}`,
  ),
];

const signature = ({ name, args, type }: Field): string => {
  const list = args.map((arg) => `${arg.name}: ${arg.type}`).join(', ');
  return `${name}${list === '' ? '' : `(${list})`}: ${type}`;
};

const exampleText = ([example, run]: ReturnType<ExampleOf>): readonly string[] => [
  `**Example.** ${example.purpose}`,
  block('graphql', example.operation),
  ...(example.variables ? ['Variables:', block('json', written(example.variables))] : []),
  `Answer, after ${run.calls} upstream ${run.calls === 1 ? 'call' : 'calls'}:`,
  block('json', written(run.answer)),
];

const rootText = (writer: Writer, root: Root, exampleOf: ExampleOf): readonly string[] => [
  `## ${root.title}`,
  writer.text(root.description),
  ...root.fields.flatMap((field) => [
    `### ${root.name}.${field.name}`,
    block('graphql', signature(field)),
    writer.text(field.description),
    ...writer.members('Argument', field.args),
    `Gives ${writer.typeLink(field.type)}.`,
    ...(root.own.get(field) ?? []).flatMap((type) => [
      `#### ${type.name}`,
      ...writer.typeText(type),
    ]),
    ...exampleText(exampleOf(field.name)),
  ]),
];

/** The page docs/schema.md: the same text from the same schema and the same runs. */
export const schemaPage = (schema: GraphQLSchema, exampleOf: ExampleOf): string => {
  const writer = createWriter(schema);
  const roots = rootsOf(schema, writer);
  const groups = groupsOf(writer, roots);
  return `${[
    introduction,
    writer.text(schema.description),
    ...contents(writer, roots, groups),
    notes,
    ...roots.flatMap((root) => rootText(writer, root, exampleOf)),
    ...groups.flatMap(({ title, types }) => [
      `## ${title}`,
      ...types.flatMap((type) => [
        `### ${type.name}`,
        ...writer.typeText(type),
        ...writer.usedIn(type),
      ]),
    ]),
  ].join('\n\n')}\n`;
};
