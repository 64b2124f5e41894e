import * as z from 'zod/mini'
import { csv, endpoint, file, json } from './endpoint.ts'
import { importColumns } from './import-columns.ts'
import { Instant } from './instant.ts'
import { UserFilter, UserSort } from './users.ts'

/** The maximum size of an import file, in bytes. */
export const maxImportBytes = 20 * 1024 * 1024

/**
 * The columns of an export. Role names are separated by spaces, the slugs of organisations by semicolons. `emailVerifiedBy`
 * is the id of the organisation that vouched for a verified email, empty if the user proved it or an administrator stated it.
 */
export const exportColumns = [
  'id',
  ...importColumns,
  'effectiveRoles',
  'organisations',
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

/** An error of a row; `line` is its first line, counted from 1. A row may have several errors. */
const RowError = z.object({
  line: z.int(),
  /** The column of Passport; null if the error concerns the row. */
  column: z.nullable(z.string()),
  /** The name of the column in the file. */
  header: z.nullable(z.string()),
  code: z.string(),
  /** The beginning of the invalid text. */
  value: z.nullable(z.string()),
})
export type RowError = z.infer<typeof RowError>

/** In the state `checked`, the rows are validated and no users are added yet. `takenBack` means undone. */
export const ImportState = z.enum(['checked', 'applying', 'applied', 'takingBack', 'takenBack'])
export type ImportState = z.infer<typeof ImportState>

export const FileEncoding = z.enum(['UTF-8', 'UTF-16', 'windows-1252'])
export type FileEncoding = z.infer<typeof FileEncoding>

/**
 * A column of a file. `column` is what it is read as. If it is ignored, `ignored` says why: it is unknown, has passwords in
 * plain text, or is one that only the command line imports.
 */
const FileColumn = z.object({
  name: z.string(),
  column: z.nullable(z.string()),
  ignored: z.nullable(z.enum(['unknown', 'password', 'other-import'])),
})
export type FileColumn = z.infer<typeof FileColumn>

/** How a file was read. */
export const ImportFile = z.object({ encoding: FileEncoding, separator: z.string(), columns: z.array(FileColumn) })
export type ImportFile = z.infer<typeof ImportFile>

/** A row as it would be imported; invalid values are null, and in the errors. */
const PreviewRow = z.object({
  line: z.int(),
  username: z.nullable(z.string()),
  displayname: z.nullable(z.string()),
  email: z.nullable(z.string()),
  emailVerified: z.boolean(),
  disabled: z.boolean(),
  roles: z.array(z.string()),
})
export type PreviewRow = z.infer<typeof PreviewRow>

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

/** `errors` has the first thousand errors of rows, also of rows whose user an undo kept. */
export const UserImport = z
  .extend(ImportProgress, {
    /** Null for an import of an earlier version. */
    file: z.nullable(ImportFile),
    errors: z.array(RowError),
    /** The first rows with errors and the first valid ones. Omitted once the import has started. */
    preview: z.optional(z.array(PreviewRow)),
    /** The number of valid rows without an email and a username. Omitted once the import has started. */
    unreachable: z.optional(z.int()),
    /** The roles that the valid rows give, with the number of users. Omitted once the import has started. */
    roles: z.optional(z.array(z.object({ name: z.string(), users: z.int() }))),
  })
  .check(z.meta({ id: 'UserImport' }))
export type UserImport = z.infer<typeof UserImport>

const importParams = z.object({ importId: z.string() })

/** Fails with 400 `csv-invalid` if the file is not CSV, has no rows, or no known column. Its encoding is found. */
export const createUserImport = endpoint('POST', '/passport/admin/users/imports', {
  summary: 'Create and check a user import from CSV',
  description: `Checks each row, and lists the roles that the users will have. No users are added until the import is applied.
    An import gives none of Passport's own roles: a row with one has the error role-built-in.`,
  access: 'admin',
  body: csv(maxImportBytes),
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
