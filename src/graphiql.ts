import type { GraphiQLOptions } from 'graphql-yoga';

/** What GraphiQL shows when it is first opened. */
export interface GraphiqlStart {
  /** Sent with every request from the page, and editable there. For demo credentials only. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly tabs?: readonly string[];
}

/** Options of the page. Headers hold credentials, so the browser never stores them. */
export const graphiqlOptions = ({ headers, tabs }: GraphiqlStart): GraphiQLOptions => {
  const headersText = headers && JSON.stringify(headers, null, 2);
  return {
    title: 'Sluice',
    shouldPersistHeaders: false,
    defaultEditorToolsVisibility: 'headers',
    ...(headersText && { defaultHeaders: headersText, headers: headersText }),
    ...(tabs && {
      defaultTabs: tabs.map((query) => ({ query, ...(headersText && { headers: headersText }) })),
    }),
  };
};

/** The page with all its scripts in it: it works where no other host can be reached. Loaded when first asked for. */
export const renderGraphiql = async (options: GraphiQLOptions): Promise<string> => {
  const { renderGraphiQL } = await import('@graphql-yoga/render-graphiql');
  return renderGraphiQL(options);
};
