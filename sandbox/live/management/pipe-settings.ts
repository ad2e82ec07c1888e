import { Refusal } from '../../refusal.ts';
import { broken } from '../../rules.ts';
import { type LivePipe, settings } from './pipe-shapes.ts';

type Settings = LivePipe['settings'];

const isStreaming = ({ source }: LivePipe): boolean =>
  Boolean(source.kafka ?? source.kinesis ?? source.pubsub);

const isDatabase = ({ source }: LivePipe): boolean =>
  Boolean(source.postgres ?? source.mysql ?? source.bigquery ?? source.mongodb);

/** The settings of a pipe. Pipes that copy a database have none: 404. */
export const settingsOf = (pipe: LivePipe): Settings => {
  if (isDatabase(pipe)) throw new Refusal(404, 'this pipe has no settings');
  return pipe.settings;
};

/**
 * A pipe with other settings; null removes a setting. Omitted settings are lost if the source is streamed, and kept
 * otherwise.
 */
export const withSettings = (pipe: LivePipe, body: unknown): LivePipe => {
  const known = settingsOf(pipe);
  const given = settings(body, '');
  if (isStreaming(pipe)) return { ...pipe, settings: given };
  const named = new Set(Object.keys(Object(body)));
  if (named.has('streaming_max_insert_wait_ms')) {
    throw broken('streaming_max_insert_wait_ms', 'does not fit the source of this pipe');
  }
  const kept = Object.entries(known).filter(([name]) => !named.has(name));
  return { ...pipe, settings: { ...settings(Object.fromEntries(kept), ''), ...given } };
};
