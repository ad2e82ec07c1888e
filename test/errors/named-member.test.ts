import { isInputObjectType } from 'graphql';
import { expect, it } from 'vitest';
import { namedMembers } from '../../src/errors/named-member.ts';
import { createSchema } from '../../src/gateway/schema.ts';

const schema = createSchema();

const input = { channel: { type: 'webhook', webhookId: 'w1' }, channels: [{ type: 'webhook' }] };

/** An input type, what an upstream says of its value, and the member that each issue names. */
it.each<[name: string, said: string, ...fields: (string | undefined)[]]>([
  // A path in an issue, with indices in brackets or not, and from the part of the request on.
  ['CreateDashboard', 'Body validation failed: tiles.3.name: Required.', 'tiles 3 name'],
  ['CreateDashboard', 'body.tiles.0.name: long.', 'tiles 0 name'],
  ['CreateDashboard', 'Failed. tiles[0].series.0.sourceId: Invalid.', 'tiles 0 series 0 sourceId'],
  // Deeper than the input goes; in the place and by the name that the wire has.
  ['CreateDashboard', 'tiles.0.config.displayType: unknown.', 'tiles 0'],
  ['CreatePipe', 'source.validateSamples: no.', 'validateSamples'],
  ['CreatePipe', 'BAD: settings.clickhouse_max_threads: many.', 'settings engineMaxThreads'],
  ['UpdateApiKey', '"expireAt" must be later than now.', 'expiresAt'],
  ['CreatePipe', 'source.kafka.credentials.user_name: no.', 'source kafka credentials username'],
  [
    'CreatePipe',
    'source.mysql.settings.replicationMode: no.',
    'source mySql settings replicationMode',
  ],
  ['CreatePipe', 'source.bigquery.credentials.serviceAccountFile: no.', 'source bigQuery'],
  // A name before a colon, or in quotes, unless the input has it twice.
  ['UpdateAlert', 'threshold: must be positive.', 'threshold'],
  ['UpdateAlert', 'The value of "threshold" must be positive.', 'threshold'],
  ['UpdateAlert', "'webhookId' must be a string.", 'channel webhookId'],
  ['UpdateAlert', "'type' must be a string.", undefined],
  ['UpdateAlert', `Use '.' or '[]' nowhere. name: too long.`, 'name'],
  // Several issues, with words between them.
  ['CreateDashboard', 'Failed: tiles.0.x: No; tiles[1].y: No.', 'tiles 0 x', 'tiles 1 y'],
  ['UpdateAlert', 'name: long. Hint: shorten it. message: no. URL: no', 'name', 'message'],
  // What is no member.
  ['CreatePipe', "The table 'public.name' does not exist.", undefined],
  ['CreatePipe', 'Could not connect to source.example.com:9092 or name.example.com.', undefined],
  ['UpdateAlert', 'Not allowed: ask an administrator.', undefined],
])('for %s “%s” names the members %s, %s', (name, said, ...fields) => {
  const type = schema.getType(`${name}Input`);
  if (!isInputObjectType(type)) throw new TypeError(`The schema has no ${name}Input`);
  expect(namedMembers(said, type, input).map(({ field }) => field?.join(' '))).toEqual(fields);
});
