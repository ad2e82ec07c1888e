import {
  astFromValue,
  type GraphQLInputType,
  type GraphQLNamedType,
  type GraphQLOutputType,
  type GraphQLSchema,
  getNamedType,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isIntrospectionType,
  isObjectType,
  isSpecifiedScalarType,
  isUnionType,
  print,
} from 'graphql';
import { anchorOf, prose, table } from './markdown.ts';
import { type Member, membersOf, usageOf } from './usage.ts';

/** Headings above the fields of the root types. */
export const rootTitles = { Query: 'Queries', Mutation: 'Mutations' } as const;

/** Writes the parts of one schema as Markdown, with links between them. */
export const createWriter = (schema: GraphQLSchema) => {
  const roots = [schema.getQueryType(), schema.getMutationType()].filter((type) => !!type);
  const types = Object.values(schema.getTypeMap())
    .filter((type) => !isIntrospectionType(type) && !isSpecifiedScalarType(type))
    .filter((type) => !roots.some((root) => root === type))
    .sort((a, b) => a.name.localeCompare(b.name, 'en'));
  const usage = usageOf([...roots, ...types]);

  /** What has a heading, and that heading: `Pipe`, `Query.pipe`, `Query`. */
  const headings = new Map<string, string>([
    ...Object.entries(rootTitles),
    ...types.map(({ name }) => [name, name] as const),
    ...roots.flatMap((root) =>
      membersOf(root).map(({ name }) => [`${root.name}.${name}`, `${root.name}.${name}`] as const),
    ),
  ]);

  /** A text in backticks, with a link to what it names: for `Pipe.state` to the heading of Pipe. */
  const link = (text: string, name = text): string => {
    const heading = headings.get(name) ?? headings.get(name.replace(/\..*/, ''));
    return heading === undefined ? `\`${text}\`` : `[\`${text}\`](#${anchorOf(heading)})`;
  };
  const typeLink = (type: GraphQLInputType | GraphQLOutputType): string =>
    link(String(type), getNamedType(type).name);
  const linkAll = (label: string, names: readonly string[]): readonly string[] =>
    names.length === 0 ? [] : [`${label}: ${names.map((name) => link(name)).join(', ')}`];
  const namesOf = (some: readonly GraphQLNamedType[]): readonly string[] =>
    some.map(({ name }) => name);

  /** A description, with links where it names something in backticks. */
  const text = (description: string | null | undefined): string => prose(description ?? '', link);

  const said = (member: Member): string => {
    const fallback =
      'defaultValue' in member && member.defaultValue !== undefined
        ? astFromValue(member.defaultValue, member.type)
        : undefined;
    return [
      text(member.description).replace(/\n\n/g, '<br>'),
      ...(fallback ? [`Default: \`${print(fallback)}\`.`] : []),
      ...(member.deprecationReason ? [`**Deprecated.** ${text(member.deprecationReason)}`] : []),
      ...('args' in member
        ? member.args.map((arg) => `Argument \`${arg.name}\`, ${typeLink(arg.type)}: ${said(arg)}`)
        : []),
    ].join('<br>');
  };

  /** A table of members, in the order of the schema. */
  const members = (title: string, some: readonly Member[]): readonly string[] =>
    table(
      [title, 'Type', 'Description'],
      some.map((member) => [`\`${member.name}\``, typeLink(member.type), said(member)]),
    );

  const shape = (type: GraphQLNamedType): readonly string[] => {
    if (isEnumType(type)) {
      const values = type
        .getValues()
        .map(({ name, description, deprecationReason }) => [
          `\`${name}\``,
          text(description) +
            (deprecationReason ? `<br>**Deprecated.** ${text(deprecationReason)}` : ''),
        ]);
      return table(['Value', 'Description'], values);
    }
    if (isUnionType(type)) return linkAll('One of', namesOf(type.getTypes()));
    if (isInputObjectType(type)) {
      return [
        ...(type.isOneOf ? ['Give exactly one of these members, and not as null.'] : []),
        ...members('Member', membersOf(type)),
      ];
    }
    if (!isObjectType(type) && !isInterfaceType(type)) return [];
    const unions = types.filter(isUnionType).filter((union) => schema.isSubType(union, type));
    return [
      ...linkAll('Implements', namesOf(type.getInterfaces())),
      ...linkAll('Member of', namesOf(unions)),
      ...(isInterfaceType(type)
        ? linkAll('Implemented by', namesOf(schema.getPossibleTypes(type)))
        : []),
      ...members('Field', membersOf(type)),
    ];
  };

  return {
    /** The types that have a heading of their own, by name. */
    types,
    usage,
    link,
    typeLink,
    text,
    members,
    /** What is to be said of a type below its heading. */
    typeText: (type: GraphQLNamedType): readonly string[] => [
      text(type.description),
      ...shape(type),
    ],
    /** Where a type is used, as a line; a type that nothing but a union names has none. */
    usedIn: (type: GraphQLNamedType): readonly string[] =>
      linkAll('Used in', usage.get(type.name) ?? []),
  };
};

/** See `createWriter`. */
export type Writer = ReturnType<typeof createWriter>;
