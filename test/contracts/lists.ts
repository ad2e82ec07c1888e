import { isObject } from '../../src/is-object.ts';
import { type Name, names } from './contract.ts';

const at = (value: unknown, ...path: readonly string[]): unknown =>
  path.reduce<unknown>(
    (each, name) =>
      isObject(each) ? Object.entries(each).find(([key]) => key === name)?.[1] : undefined,
    value,
  );
const membersOf = (value: unknown): readonly (readonly [string, unknown])[] =>
  isObject(value) ? Object.entries(value) : [];
const asList = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

const methods = ['get', 'post', 'put', 'patch', 'delete'];

/** ClickStack's operations in Cloud are those of HyperDX below a service, and its names have this start. */
const clickstackPath = /^\/v1\/.*\/clickstack(?=\/)/;
const nameOf = (name: string): string => name.replace(/^ClickStack/, '');
const idOf = (id: string): string =>
  id.replace(/^clickStack([A-Z])/, (_, letter: string) => letter.toLowerCase());

/** The facts of a description: its operations, each with its list, and the lines of its schemas by their names. */
const factsOf = (documents: readonly unknown[]) => {
  const schemas = new Map(
    documents.flatMap((each) => membersOf(at(each, 'components', 'schemas'))),
  );
  const lines = new Map<string, string>();

  const nameOfRef = (schema: unknown): string | undefined => {
    const ref = at(schema, '$ref');
    return typeof ref === 'string' ? ref.replace('#/components/schemas/', '') : undefined;
  };
  const resolved = (schema: unknown): unknown => {
    const name = nameOfRef(schema);
    return name === undefined ? schema : resolved(schemas.get(name));
  };
  const propertiesOf = (schema: unknown): readonly (readonly [string, unknown])[] => [
    ...asList(at(schema, 'allOf')).flatMap((part) => propertiesOf(resolved(part))),
    ...membersOf(at(schema, 'properties')),
  ];
  const variantsOf = (schema: unknown): readonly unknown[] =>
    ['oneOf', 'anyOf']
      .flatMap((name) => asList(at(schema, name)))
      .filter((each) => at(each, 'type') !== 'null');

  /** The type of a schema. One without a name gets this one. */
  const typeOf = (schema: unknown, name: string): string => {
    const target = nameOfRef(schema);
    const whole = resolved(schema);
    const variants = variantsOf(whole);
    const [only] = variants;
    if (variants.length === 1) return typeOf(only, name);
    if (variants.length > 1) {
      const types = variants.map((each, index) => typeOf(each, `${name}.${index}`));
      const isOfObjects = types.every((type) => /^[A-Z]/.test(type));
      return isOfObjects ? [...new Set(types)].join('|') : (types[0] ?? 'text');
    }
    const type = [at(whole, 'type')].flat().find((each) => each !== 'null');
    const items = at(whole, 'items');
    if (items) return `${typeOf(items, name)}[]`;
    const properties = propertiesOf(whole);
    if (properties.length > 0) {
      const title = nameOf(target ?? name);
      if (!lines.has(title)) {
        lines.set(title, '');
        const members = new Map(
          properties.map(([member, each]) => [
            member.replaceAll(' ', '·'),
            typeOf(each, `${title}.${member}`),
          ]),
        );
        const texts = [...members].map(([key, each]) => (each === 'text' ? key : `${key}:${each}`));
        lines.set(title, `${title}: ${texts.sort().join(' ')}`);
      }
      return title;
    }
    if (type === 'object' || at(whole, 'properties')) return 'object';
    if (type === 'integer' || type === 'number') return 'number';
    if (type === 'boolean') return 'boolean';
    const [value] = asList(at(whole, 'enum'));
    if (typeof value === 'string' && !/[\s:|]/.test(value)) return JSON.stringify(value);
    return at(whole, 'format') === 'date-time' ? 'time' : 'text';
  };

  const contentOf = (message: unknown): unknown =>
    at(message, 'content', 'application/json', 'schema');
  const answerOf = (operation: unknown, id: string): string | undefined => {
    const [, success] =
      membersOf(at(operation, 'responses')).find(([status]) => status.startsWith('2')) ?? [];
    const answer = contentOf(success);
    const properties = new Map(propertiesOf(resolved(answer)));
    const content = properties.get('result') ?? properties.get('data');
    if (content) return typeOf(content, `${id}.answer`);
    // An envelope without content, or an answer without an envelope.
    return properties.has('requestId') || properties.size === 0
      ? undefined
      : typeOf(answer, `${id}.answer`);
  };

  const operations = documents.flatMap((document) =>
    membersOf(at(document, 'paths')).flatMap(([path, byMethod]) =>
      membersOf(byMethod)
        .filter(([method]) => methods.includes(method))
        .map(([method, operation]) => {
          const id = idOf(String(at(operation, 'operationId')));
          const body = contentOf(at(operation, 'requestBody'));
          const own = path.replace(clickstackPath, '/api/v2').replaceAll(/\{\w+\}/g, '{}');
          const list: Name = own.startsWith('/v1/') ? 'clickhouse-cloud' : 'clickstack';
          const [takes, answers] = [body && typeOf(body, `${id}.body`), answerOf(operation, id)];
          const line = [
            `${id} ${method.toUpperCase()} ${own}`,
            takes ? ` < ${takes}` : '',
            answers ? ` > ${answers}` : '',
          ].join('');
          return { list, line, types: `${takes ?? ''} ${answers ?? ''}` };
        }),
    ),
  );
  return { operations, lines };
};

/** The names of schemas in a type, or in the line of a schema. */
const namesIn = (text: string): readonly string[] =>
  text.replaceAll(/"[^"]*"/g, '').match(/[\w.]+/g) ?? [];

/** The lists that these descriptions have, with the schemas that their operations need. */
export const listsOf = (
  documents: readonly unknown[],
  date: string,
): Partial<Record<Name, string>> => {
  const { operations, lines } = factsOf(documents);
  const [first] = documents;
  const about = `${at(first, 'info', 'title')}, version ${at(first, 'info', 'version')}, read on ${date}`;
  return Object.fromEntries(
    names.flatMap((name) => {
      const own = operations.filter(({ list }) => list === name);
      if (own.length === 0) return [];
      const needed = new Set<string>();
      const need = (text: string): void => {
        for (const each of namesIn(text)) {
          const line = lines.get(each);
          if (line === undefined || needed.has(each)) continue;
          needed.add(each);
          need(line);
        }
      };
      for (const { types } of own) need(types);
      const text = [
        `# ${about}.`,
        '',
        ...own.map(({ line }) => line).sort(),
        '',
        ...[...needed].map((each) => lines.get(each) ?? '').sort(),
      ];
      return [[name, `${text.join('\n')}\n`]];
    }),
  );
};
