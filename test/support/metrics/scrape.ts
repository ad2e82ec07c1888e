import { expect } from 'vitest';
import type { Gateway } from '../../../src/gateway/server.ts';
import { startServer } from '../servers.ts';

export type Labels = Readonly<Record<string, string>>;

/** One line of a scrape. */
export interface Sample {
  readonly name: string;
  readonly labels: Labels;
  readonly value: number;
}

/** A parsed scrape. */
export interface Scrape {
  readonly text: string;
  readonly contentType: string | null;
  /** The declared metrics by name, with their types. */
  readonly types: ReadonlyMap<string, string>;
  readonly samples: readonly Sample[];
  /** The only sample with this name and exactly these labels. */
  value(name: string, labels?: Labels): number;
}

const sampleOf = (line: string): Sample => {
  const [, name = '', labels = '', value = ''] = /^(\w+)(?:\{(.*)\})? (\S+)$/.exec(line) ?? [];
  if (name === '') throw new Error(`no sample: ${line}`);
  const pairs = [...labels.matchAll(/(\w+)="([^"]*)"/g)].map(([, key = '', of = '']) => [key, of]);
  return { name, labels: Object.fromEntries(pairs), value: Number(value) };
};

const parse = (text: string, contentType: string | null): Scrape => {
  const lines = text.split('\n').filter((line) => line !== '');
  const samples = lines.filter((line) => !line.startsWith('#')).map(sampleOf);
  const types = lines
    .map((line) => /^# TYPE (\w+) (\w+)$/.exec(line) ?? [])
    .flatMap(([, name, type]) => (name && type ? [[name, type] as const] : []));
  return {
    ...{ text, contentType, samples, types: new Map(types) },
    value: (name, labels = {}) => {
      const found = samples.filter(
        (sample) =>
          sample.name === name && JSON.stringify(sample.labels) === JSON.stringify(labels),
      );
      expect(found, `${name} ${JSON.stringify(labels)}`).toHaveLength(1);
      return found[0]?.value ?? Number.NaN;
    },
  };
};

/** Serves the gateway's metrics until it is closed; returns a function that scrapes them. */
export const serveMetrics = async ({ metricsServer }: Gateway): Promise<() => Promise<Scrape>> => {
  if (!metricsServer) throw new Error('metrics are off');
  const { origin } = await startServer(metricsServer);
  return async () => {
    const response = await fetch(`${origin}/metrics`);
    expect(response.status).toBe(200);
    return parse(await response.text(), response.headers.get('content-type'));
  };
};
