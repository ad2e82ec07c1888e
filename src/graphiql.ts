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

/** What the page is made of, with the nonce that its scripts carry. */
export type GraphiqlPage = GraphiQLOptions & { readonly nonce?: string };

// On a first visit GraphiQL leaves an offset on each tab from measuring the row, so a tab is drawn in one
// place and takes clicks in another, and the first click on it misses. Without any offset it does not; the
// price is that a tab being dragged stays put until it is dropped.
const tabsInPlace = '<style>.graphiql-tab{transform:none!important}</style>';

// A reload returns to the tab that holds the query noted last in the browser's storage. On a first visit
// none is noted until one is edited or another tab opened, and a reload adds an empty tab; so the first
// tab's is noted here. (The option `query` would do as well, but it also beats the query of a shared link.)
const firstTabOpened = (query: string, script: string): string => {
  const text = JSON.stringify(query).replaceAll('<', '\\u003c');
  return `${script}localStorage['graphiql:query'] ??= ${text}</script>`;
};

/** The page with all its scripts in it: it works where no other host can be reached. Loaded when first asked for. */
export const renderGraphiql = async ({ nonce, ...options }: GraphiqlPage): Promise<string> => {
  const { renderGraphiQL } = await import('@graphql-yoga/render-graphiql');
  const [firstTab] = options.defaultTabs ?? [];
  const script = nonce === undefined ? '<script>' : `<script nonce="${nonce}">`;
  const additions = tabsInPlace + (firstTab?.query ? firstTabOpened(firstTab.query, script) : '');
  // The page has one script, in whose text there may be tags as well.
  return renderGraphiQL(options)
    .replace('<script>', () => script)
    .replace('</head>', () => `${additions}</head>`);
};
