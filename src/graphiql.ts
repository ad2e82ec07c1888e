import type { IncomingMessage, ServerResponse } from 'node:http';
import { answerFile } from './graphiql/answer.ts';
import { filesFolder, loadFiles } from './graphiql/files.ts';
import { headersText } from './graphiql/headers.ts';
import { contentSecurityPolicy, renderPage } from './graphiql/page.ts';
import { placeholders, readTabs, type TabVariables } from './graphiql/tabs.ts';
import { lazy } from './lazy.ts';

/** What GraphiQL shows when it is first opened. */
export interface GraphiqlStart {
  /** Sent with every request from the page, and editable there. For demo credentials only. */
  readonly headers?: Readonly<Record<string, string>>;
  /** In the variables panes, instead of placeholders. */
  readonly variables?: TabVariables;
}

/** An answer, whole. */
export interface PageAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** GraphiQL at an endpoint. Nothing of it is loaded before it is first asked for. */
export interface Graphiql {
  /** The page, as it stands at this path: that of the endpoint, with or without a slash at its end. */
  page(path: string): Promise<PageAnswer>;
  /** Whether a request may be for one of the files, by its URL. */
  mayAnswer(request: IncomingMessage): boolean;
  /** Answers a request for one of the files; false where it is not for any. */
  answer(request: IncomingMessage, response: ServerResponse): Promise<boolean>;
}

const notLoaded: PageAnswer = {
  status: 500,
  headers: { 'content-type': 'text/plain; charset=utf-8' },
  body: 'GraphiQL cannot be loaded. The log of the gateway says more.\n',
};

/**
 * @param endpoint the path that the page is served at, and its files below
 * @param onFailure told why GraphiQL could not be loaded; the next request for it tries again
 */
export const createGraphiql = (
  endpoint: string,
  { headers = {}, variables = placeholders }: GraphiqlStart,
  onFailure: (error: unknown) => void,
): Graphiql => {
  const files = lazy(loadFiles);
  const tabs = lazy(() => readTabs(variables));
  const folder = `${endpoint}/${filesFolder}`;
  const lastSegment = endpoint.slice(endpoint.lastIndexOf('/') + 1);
  return {
    page: async (path) => {
      try {
        const body = renderPage({
          files: await files(),
          headers: headersText(headers),
          tabs: await tabs(),
          // Relative, as a proxy may have put more before the path.
          base: path.endsWith('/') ? '' : `${lastSegment}/`,
        });
        const type = 'text/html; charset=utf-8';
        const policy = { 'content-security-policy': contentSecurityPolicy };
        return { status: 200, headers: { 'content-type': type, ...policy }, body };
      } catch (error) {
        onFailure(error);
        return notLoaded;
      }
    },
    mayAnswer: ({ url }) => url?.startsWith(folder) === true,
    answer: async (request, response) => {
      const [path = ''] = request.url?.split('?', 1) ?? [];
      try {
        const file = (await files()).get(path.slice(endpoint.length + 1));
        if (file) await answerFile(file, request, response);
        return file !== undefined;
      } catch (error) {
        onFailure(error);
        response.writeHead(notLoaded.status, notLoaded.headers).end(notLoaded.body);
        return true;
      }
    },
  };
};
