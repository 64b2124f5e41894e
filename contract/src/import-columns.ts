/** What an import of people reads; other columns, which an export has, are passed over. */
export const importColumns = ['username', 'displayname', 'email', 'emailVerified', 'disabled', 'roles'] as const
