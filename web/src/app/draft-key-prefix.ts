/** Begins the storage keys of form drafts. Apart from `drafts.ts`, which only pages with forms load. */
export const draftKeyPrefix = 'passport.draft:'
