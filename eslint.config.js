import graphql from '@graphql-eslint/eslint-plugin';

export default [
  {
    files: ['schema/**/*.graphql'],
    languageOptions: {
      parser: graphql.parser,
      parserOptions: { graphQLConfig: { schema: 'schema/*.graphql' } },
    },
    plugins: { '@graphql-eslint': graphql },
    rules: {
      ...graphql.configs['flat/schema-recommended'].rules,
      // Payloads and value types have no identity of their own.
      '@graphql-eslint/strict-id-in-types': 'off',
      // `nodeId` is the interface's field, named apart from the upstreams' own `id`.
      '@graphql-eslint/no-typename-prefix': 'off',
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
];
