import { useMutation } from 'urql';
import { Failures, Refusals } from './failures.tsx';
import { graphql } from './generated/index.ts';

const createPipeMutation = graphql(`
  mutation CreatePipe($input: CreatePipeInput!) {
    createPipe(input: $input) {
      pipe {
        id
      }
      userErrors {
        ...Refusal
      }
    }
  }
`);

interface CreatePipeProps {
  readonly organizationId: string;
  readonly serviceId: string;
}

/** A form for a pipe from Kafka into a new table, whose one column takes the field `message`. */
export const CreatePipe = ({ organizationId, serviceId }: CreatePipeProps) => {
  const [{ data, error, fetching }, createPipe] = useMutation(createPipeMutation);
  const submit = (form: FormData): void => {
    const text = (name: string): string => String(form.get(name));
    const username = text('username');
    const password = text('password');
    createPipe({
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
      <button type="submit" disabled={fetching}>
        Create
      </button>
      {data?.createPipe.pipe && <p role="status">Created</p>}
      <Failures error={error} />
      <Refusals userErrors={data?.createPipe.userErrors ?? []} />
    </form>
  );
};
