/** The sandbox's credentials where the page was started on a sandbox; see start.ts. */
declare const __DEMO_CREDENTIALS__: import('./session.ts').Credentials | undefined;
