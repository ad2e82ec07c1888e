import {
  DatabasesDocument,
  type DatabasesQuery,
  type PipeFieldsFragment,
} from './generated/operations.ts';
import { List } from './list.tsx';
import { Notice } from './notice.tsx';
import { PipeRow } from './pipe-row.tsx';
import { problemsAt } from './problems.ts';
import { Section } from './section.tsx';
import type { Read } from './use-reading.ts';

const read: Read<DatabasesQuery> = (client, signal) =>
  client.execute(DatabasesDocument, {}, { signal });

const withPipe =
  (changed: PipeFieldsFragment) =>
  ({ organizations }: DatabasesQuery): DatabasesQuery => ({
    organizations:
      organizations?.map((organization) => ({
        ...organization,
        services:
          organization.services?.map((service) => ({
            ...service,
            pipes:
              service.pipes?.map((pipe) => (pipe.nodeId === changed.nodeId ? changed : pipe)) ??
              null,
          })) ?? null,
      })) ?? null,
  });

const nodeIdOf = ({ nodeId }: { readonly nodeId: string }): string => nodeId;

/** Organizations, their services, and the pipes of these. */
export const Databases = () => (
  <Section title="Databases" upstream="management" read={read}>
    {({ organizations }, root, change) => (
      <List items={organizations} name="organizations" place={root} keyOf={nodeIdOf}>
        {(organization, place) => (
          <>
            <h3>{organization.name ?? 'Unnamed organization'}</h3>
            <Notice problems={problemsAt(place.problems, place.path, 'services')} />
            <List
              items={organization.services}
              name="services"
              className="cards"
              place={place}
              keyOf={nodeIdOf}
            >
              {(service, place) => (
                <>
                  <h4>{service.name ?? 'Unnamed service'}</h4>
                  <Notice problems={problemsAt(place.problems, place.path, 'pipes')} />
                  <List
                    items={service.pipes}
                    name="pipes"
                    className="rows"
                    place={place}
                    keyOf={nodeIdOf}
                  >
                    {(pipe, { path, problems }) => (
                      <PipeRow
                        pipe={pipe}
                        problems={problemsAt(problems, path)}
                        onChange={(changed) => change(withPipe(changed))}
                      />
                    )}
                  </List>
                </>
              )}
            </List>
          </>
        )}
      </List>
    )}
  </Section>
);
