import * as z from 'zod/mini'
import { csv, endpoint, file, json } from './endpoint.ts'
import { importColumns } from './import-columns.ts'
import { Instant } from './instant.ts'
import { UserFilter, UserSort } from './users.ts'

/** The maximum size of an import file, in bytes. */
export const maxImportBytes = 20 * 1024 * 1024

/**
 * The columns of an export. Role names and organisation ids are separated by spaces. `emailVerifiedBy` is the id of the
 * organisation that vouched for a verified email, empty if the user proved it or an administrator stated it.
 */
export const exportColumns = [
  'id',
  ...importColumns,
  'effectiveRoles',
  'orgs',
  'emailVerifiedBy',
  'status',
  'createdAt',
  'lastSignInAt',
] as const

export const exportUsers = endpoint('GET', '/passport/admin/users/export', {
  summary: 'Export filtered users as CSV',
  access: 'admin',
  recent: true,
  query: z.extend(UserFilter, { ...UserSort.shape, format: z._default(z.enum(['csv']), 'csv') }),
  returns: file({ 'text/csv': z.string() }),
})

/** The error of a row; `line` counts from 1, the header line. */
const RowError = z.object({ line: z.int(), column: z.nullable(z.string()), code: z.string() })
export type RowError = z.infer<typeof RowError>

/** In the state `checked`, the rows are validated and no users are added yet. `takenBack` means undone. */
export const ImportState = z.enum(['checked', 'applying', 'applied', 'takingBack', 'takenBack'])
export type ImportState = z.infer<typeof ImportState>

/** An import file and its progress. */
const ImportProgress = z.object({
  importId: z.string(),
  state: ImportState,
  rows: z.int(),
  /** The number of rows without an error. */
  valid: z.int(),
  /** The number of valid rows that were added. */
  added: z.int(),
  /** The number of added users that the undo deleted. */
  takenBack: z.int(),
  /** The number of rows with an error. */
  faulty: z.int(),
  createdAt: Instant,
  updatedAt: Instant,
})
export type ImportProgress = z.infer<typeof ImportProgress>

/** `errors` has the first thousand rows that are invalid, or whose user an undo kept. */
export const UserImport = z
  .extend(ImportProgress, {
    errors: z.array(RowError),
    /** The roles that the valid rows give, with the number of users. Omitted once the import has started. */
    roles: z.optional(z.array(z.object({ name: z.string(), users: z.int() }))),
  })
  .check(z.meta({ id: 'UserImport' }))
export type UserImport = z.infer<typeof UserImport>

const importParams = z.object({ importId: z.string() })

/** Fails with 400 `csv-invalid` if the file is not CSV, has no rows, or no known column. */
export const createUserImport = endpoint('POST', '/passport/admin/users/imports', {
  summary: 'Create and check a user import from CSV',
  description: `Checks each row, and lists the roles that the users will have. No users are added until the import is applied.
    An import gives none of Passport's own roles: a row with one has the error role-built-in.`,
  access: 'admin',
  body: csv(z.string(), maxImportBytes),
  returns: json(UserImport),
  creates: true,
})
export const listUserImports = endpoint('GET', '/passport/admin/users/imports', {
  summary: 'List user imports of the last 30 days, newest first',
  access: 'admin',
  returns: json(z.array(ImportProgress)),
})
export const getUserImport = endpoint('GET', '/passport/admin/users/imports/{importId}', {
  summary: 'Get the progress of a user import',
  access: 'admin',
  polled: true,
  params: importParams,
  returns: json(UserImport),
  fails: [404],
})
/** Fails with 409 `import-state` if it was applied already. */
export const applyUserImport = endpoint('POST', '/passport/admin/users/imports/{importId}/apply', {
  summary: 'Apply a user import',
  description: 'Adds the users of the valid rows in the background. The work continues after a restart.',
  access: 'admin',
  recent: true,
  params: importParams,
  returns: json(UserImport),
  fails: [404, 409],
})
/** Users who changed since the import, or signed in, are kept and listed in `errors` as `changed-since`. */
export const undoUserImport = endpoint('POST', '/passport/admin/users/imports/{importId}/takeback', {
  summary: 'Undo a user import',
  description: 'Deletes the users that it added, except those that changed since.',
  access: 'admin',
  params: importParams,
  returns: json(UserImport),
  fails: [404, 409],
})
