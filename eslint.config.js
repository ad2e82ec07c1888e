import graphql from '@graphql-eslint/eslint-plugin';

// One object for all: the plugin keeps the first that it meets.
const graphQLConfig = { schema: 'schema/*.graphql', documents: 'operations/**/*.graphql' };

const common = {
  languageOptions: { parser: graphql.parser, parserOptions: { graphQLConfig } },
  plugins: { '@graphql-eslint': graphql },
};

const [, schemaNaming] =
  graphql.configs['flat/schema-recommended'].rules['@graphql-eslint/naming-convention'];

// `dashboardId`, not `dashboardID`: a generated client cannot guess which it is.
const words = { forbiddenPatterns: [/[A-Z]{2}/] };

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
      // Clients know an object again by its `id`, so none is null. What has no identity of its own,
      // or none that the reference promises, is named here.
      '@graphql-eslint/strict-id-in-types': [
        'error',
        {
          exceptions: {
            suffixes: ['Payload', 'Settings', 'Source'],
            types: [
              'AlertChannel',
              'AlertExecutionError',
              'AssignedRole',
              'BackupConfiguration',
              'BigQueryTableMapping',
              'ByocConfig',
              'Gateway',
              'GatewayRates',
              'IpAccessEntry',
              'KafkaOffset',
              'KafkaSchemaRegistry',
              'MongoDbTableMapping',
              'MySqlTableMapping',
              'OrganizationPipes',
              'PipeDestination',
              'PipeDestinationColumn',
              'PipeFieldMapping',
              'PipeScaling',
              'PipeTableDefinition',
              'PipeTableEngine',
              'PostgresTableMapping',
              'PrivateEndpoint',
              'RateLimit',
              'ServiceEndpoint',
              'ServiceTag',
              'TileSeries',
              'UnreadService',
              'UsageCost',
              'UsageCostDay',
              'UsageCostEntity',
              'UsageCostMetrics',
              'UserError',
            ],
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
];
