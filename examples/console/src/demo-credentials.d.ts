/** The sandbox's credentials if the page was started with a sandbox; see start.ts. */
declare const __DEMO_CREDENTIALS__: import('./login.ts').Credentials | undefined;
