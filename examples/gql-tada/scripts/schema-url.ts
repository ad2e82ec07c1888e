export const schemaUrl = new URL('../../../schema.graphql', import.meta.url);
