import { globSync, readFileSync } from 'node:fs';
import graphql from '@graphql-eslint/eslint-plugin';
import { parse } from 'graphql';

// One object for all: the plugin keeps the first that it meets.
const graphQLConfig = { schema: 'schema/*.graphql', documents: 'operations/{.,screens}/*.graphql' };

const common = {
  languageOptions: { parser: graphql.parser, parserOptions: { graphQLConfig } },
  plugins: { '@graphql-eslint': graphql },
};

const [, schemaNaming] =
  graphql.configs['flat/schema-recommended'].rules['@graphql-eslint/naming-convention'];

// `dashboardId`, not `dashboardID`: a generated client cannot guess which it is.
const words = { forbiddenPatterns: [/[A-Z]{2}/] };

const values = globSync('schema/*.graphql').flatMap((path) =>
  parse(readFileSync(path, 'utf8'))
    .definitions.filter(({ directives }) => directives?.some(({ name }) => name.value === 'value'))
    .map(({ name }) => name.value),
);

export default [
  {
    ...common,
    files: ['schema/**/*.graphql'],
    rules: {
      ...graphql.configs['flat/schema-recommended'].rules,
      '@graphql-eslint/naming-convention': [
        'error',
        {
          ...schemaNaming,
          types: { style: 'PascalCase', ...words },
          FieldDefinition: { style: 'camelCase', ...words },
          InputValueDefinition: { style: 'camelCase', ...words },
          InputObjectTypeDefinition: {
            style: 'PascalCase',
            requiredPattern: /(Input|Filter|Order)$/,
            ...words,
          },
          'ObjectTypeDefinition,ObjectTypeExtension': {
            forbiddenPrefixes: ['Type'],
            forbiddenSuffixes: ['Type', 'Input', 'Filter'],
          },
        },
      ],
      // Clients know an object again by its `id`, so none is null. What has no identity, or none that
      // the reference promises, is marked with `@value`.
      '@graphql-eslint/strict-id-in-types': [
        'error',
        {
          exceptions: {
            suffixes: ['Payload'],
            types: values,
          },
        },
      ],
      // A scalar has no room for `userErrors`.
      '@graphql-eslint/no-scalar-result-type-on-mutation': 'error',
      '@graphql-eslint/require-nullable-fields-with-oneof': 'error',
      '@graphql-eslint/require-description': [
        'error',
        {
          types: true,
          FieldDefinition: true,
          InputValueDefinition: true,
          EnumValueDefinition: true,
          rootField: true,
        },
      ],
      '@graphql-eslint/input-name': [
        'error',
        { checkInputType: true, caseSensitiveInputType: false },
      ],
      '@graphql-eslint/no-unreachable-types': 'error',
    },
  },
  {
    // `nodeId` is the interface's field, named apart from the upstreams' own `id`.
    files: ['schema/base.graphql'],
    rules: { '@graphql-eslint/no-typename-prefix': 'off' },
  },
  {
    ...common,
    files: ['operations/**/*.graphql'],
    rules: {
      ...graphql.configs['flat/operations-recommended'].rules,
      // People copy them, and without an identifier a client cannot keep what it got.
      '@graphql-eslint/require-selections': ['error', { fieldName: ['id', 'nodeId'] }],
    },
  },
  {
    // The names of agents' tools. What is left without its content by a profile has no identifier either, so it is left out.
    files: ['operations/agents/**/*.graphql'],
    rules: {
      '@graphql-eslint/naming-convention': 'off',
      '@graphql-eslint/unique-operation-name': 'off',
      '@graphql-eslint/require-selections': 'off',
    },
  },
];
