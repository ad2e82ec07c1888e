import { isInputObjectType } from 'graphql';
import { expect, it } from 'vitest';
import { namedMembers } from '../../src/errors/named-member.ts';
import { createSchema } from '../../src/gateway/schema.ts';
import { rowsOf } from '../support/rows.ts';

const schema = createSchema();

/** What an upstream says of an input of a mutation, and the member that each of its issues names. */
const rows = rowsOf(`
  a path in an issue
    CreateDashboard Body validation failed: tiles.3.name: Required. -> tiles 3 name
  a path with indices in brackets
    CreateDashboard Validation failed. tiles[0].series.0.sourceId: Invalid. -> tiles 0 series 0 sourceId
  a path that begins with the part of the request
    CreateDashboard body.tiles.0.w: too wide. -> tiles 0 w
  a path deeper than the input goes
    CreateDashboard tiles.0.config.displayType: unknown. -> tiles 0
  a member of the wire's own place
    CreatePipe source.validateSamples: no. -> validateSamples
  a name that the wire writes otherwise
    CreatePipe BAD_REQUEST: settings.clickhouse_max_threads: too many. -> settings engineMaxThreads
  a name with underscores
    CreatePipe source.kafka.credentials.user_name: too long. -> source kafka credentials username
  a name before a colon
    UpdateAlert threshold: must be positive. -> threshold
  a quoted name
    UpdateAlert The value of "threshold" must be positive. -> threshold
  a quoted name of a member deeper in the input
    UpdateAlert 'webhookId' must be a string. -> channel webhookId
  a quoted name that the input has twice
    UpdateAlert 'type' must be a string. -> null
  a quoted path that is not of the input, with a member's name at its end
    CreatePipe The table 'public.name' does not exist. -> null
  a host that begins with a member's name
    CreatePipe Could not connect to source.example.com:9092 or destination.example.com. -> null
  quoted points before a name
    UpdateAlert Use '.' or '[]' nowhere. name: too long. -> name
  the first of two quoted members
    UpdateAlert "name" or "message" is too long. -> name
  two issues
    UpdateAlert name: too long. message: too long. -> name | message
  three issues after a sentence, two of which are about one member
    CreateDashboard Failed: tiles.0.x: No; tiles[1].y: No; tiles[1].y: No. -> tiles 0 x | tiles 1 y | tiles 1 y
  issues with words that are no member
    UpdateAlert name: too long. Hint: shorten it. message: no. URL: no -> name | message
  a quoted value
    UpdateAlert "Europe" is not known. -> null
  a word without quotes
    UpdateAlert The interval is too long. -> null
  a sentence with a colon
    UpdateAlert Not allowed: ask an administrator. -> null
`);

const input = { channel: { type: 'webhook', webhookId: 'w1' }, channels: [{ type: 'webhook' }] };

it.each(rows)('%s', (_, said, expected) => {
  const [name = ''] = said.split(' ', 1);
  const type = schema.getType(`${name}Input`);
  if (!isInputObjectType(type)) throw new TypeError(`The schema has no ${name}Input`);
  const found = namedMembers(said.slice(name.length + 1), type, input);
  expect(found.map(({ field }) => field?.join(' ') ?? 'null').join(' | ')).toBe(expected);
});
