import { DatabasesDocument, type DatabasesQuery } from './generated/operations.ts';
import { List } from './list.tsx';
import { Notice } from './notice.tsx';
import { PipeRow } from './pipe-row.tsx';
import { problemsAt } from './problems.ts';
import { Section } from './section.tsx';
import type { Read } from './use-reading.ts';

const read: Read<DatabasesQuery> = (client, signal) =>
  client.execute(DatabasesDocument, {}, { signal });

const nodeIdOf = ({ nodeId }: { readonly nodeId: string }): string => nodeId;

/** Organizations, their services, and the pipes of these. */
export const Databases = () => (
  <Section title="Databases" upstream="management" read={read}>
    {({ organizations }, root) => (
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
                      <PipeRow pipe={pipe} problems={problemsAt(problems, path)} />
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
