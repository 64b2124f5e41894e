/** The columns that an import of users reads; other columns, such as those of an export, are ignored. */
export const importColumns = ['username', 'displayname', 'email', 'emailVerified', 'disabled', 'roles'] as const
