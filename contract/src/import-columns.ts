/** The columns that an import of users reads; others, which an export has, are ignored. */
export const importColumns = ['username', 'displayname', 'email', 'emailVerified', 'disabled', 'roles'] as const
