import { graphql } from 'react-relay';
import type { CreatePipeMutation } from './__generated__/CreatePipeMutation.graphql.ts';
import { Trouble } from './Trouble.tsx';
import { useChange } from './use-change.ts';

interface CreatePipeProps {
  readonly organizationId: string;
  readonly serviceId: string;
}

/** A form for a pipe from Kafka into a new table, whose one column takes the field `message`. */
export const CreatePipe = ({ organizationId, serviceId }: CreatePipeProps) => {
  // The mutation also selects the pipes of the new pipe's service, so the store's list contains all of them.
  const create = useChange<CreatePipeMutation>(
    graphql`
      mutation CreatePipeMutation($input: CreatePipeInput!) {
        createPipe(input: $input) {
          pipe {
            service {
              pipes {
                id
                ...PipeRow_pipe
              }
            }
          }
          userErrors {
            ...Refusals_userErrors
          }
        }
      }
    `,
    ({ createPipe }) => createPipe.userErrors,
  );
  const submit = (form: FormData): void => {
    const text = (name: string): string => String(form.get(name));
    const username = text('username');
    const password = text('password');
    create.send({
      input: {
        organizationId,
        serviceId,
        name: text('name'),
        source: {
          kafka: {
            brokers: text('brokers'),
            topics: text('topics'),
            ...((username || password) && {
              credentials: { ...(username && { username }), ...(password && { password }) },
            }),
          },
        },
        destination: {
          table: text('table'),
          managedTable: true,
          columns: [{ name: 'message', type: 'String' }],
        },
        fieldMappings: [{ sourceField: 'message', destinationField: 'message' }],
      },
    });
  };
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        submit(new FormData(event.currentTarget));
      }}
    >
      <input name="name" aria-label="Name" required />
      <input name="brokers" aria-label="Brokers" required />
      <input name="topics" aria-label="Topics" required />
      <input name="table" aria-label="Table" required />
      <input name="username" aria-label="User name" />
      <input name="password" aria-label="Password" type="password" autoComplete="off" />
      <button type="submit" disabled={create.inFlight}>
        Create
      </button>
      <Trouble of={create} />
    </form>
  );
};
