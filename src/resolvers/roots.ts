/** Some root fields, each with its resolver: a missing one does not compile. */
export type RootsOf<Resolvers, Names extends keyof Resolvers> = Required<Pick<Resolvers, Names>>;
