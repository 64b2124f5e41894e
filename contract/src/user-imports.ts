import * as z from 'zod/mini'
import { csv, endpoint, file, json } from './endpoint.ts'
import { importColumns } from './import-columns.ts'
import { Instant } from './instant.ts'
import { UserFilter, UserSort } from './users.ts'

/** The most bytes of a file. */
export const maxImportBytes = 20 * 1024 * 1024

/** What an export has. Roles, and ids of organisations, are put apart by blanks. */
export const exportColumns = [
  'id',
  ...importColumns,
  'effectiveRoles',
  'orgs',
  'status',
  'createdAt',
  'lastSignInAt',
] as const

export const exportUsers = endpoint('GET', '/passport/admin/users/export', {
  summary: 'Download the people that a filter finds, as CSV',
  access: 'admin',
  query: z.extend(UserFilter, { ...UserSort.shape, format: z._default(z.enum(['csv']), 'csv') }),
  returns: file('text/csv'),
})

/** What is wrong with one row; `line` counts from 1, the line of the column names. */
const RowFault = z.object({ line: z.int(), column: z.nullable(z.string()), code: z.string() })
export type RowFault = z.infer<typeof RowFault>

/** `checked` is a dry run: nobody was added yet. */
export const ImportState = z.enum(['checked', 'applying', 'applied', 'takingBack', 'takenBack'])
export type ImportState = z.infer<typeof ImportState>

/** A file of people and how far it has come. */
const ImportProgress = z.object({
  importId: z.string(),
  state: ImportState,
  rows: z.int(),
  /** Rows with which nothing is wrong so far. */
  valid: z.int(),
  /** Of the valid ones, how many were added. */
  added: z.int(),
  /** Of the added ones, how many were taken back. */
  takenBack: z.int(),
  faulty: z.int(),
  createdAt: Instant,
  updatedAt: Instant,
})
export type ImportProgress = z.infer<typeof ImportProgress>

/** `errors` tells of the first thousand rows with a fault, and of people who were kept. */
export const UserImport = z.extend(ImportProgress, { errors: z.array(RowFault) }).check(z.meta({ id: 'UserImport' }))
export type UserImport = z.infer<typeof UserImport>

const one = z.object({ importId: z.string() })

/** 400 `csv-invalid` where the file is no CSV, has no row, or no column that is known. */
export const createUserImport = endpoint('POST', '/passport/admin/users/imports', {
  summary: 'Check a CSV of people, row by row; nobody is added yet',
  access: 'admin',
  body: csv(z.string(), maxImportBytes),
  returns: json(UserImport),
  creates: true,
})
export const listUserImports = endpoint('GET', '/passport/admin/users/imports', {
  summary: 'List the imports of the last 30 days, newest first',
  access: 'admin',
  returns: json(z.array(ImportProgress)),
})
export const getUserImport = endpoint('GET', '/passport/admin/users/imports/{importId}', {
  summary: 'Tell how far an import has come',
  access: 'admin',
  polled: true,
  params: one,
  returns: json(UserImport),
  fails: [404],
})
/** 409 `import-state` where it was applied already. */
export const applyUserImport = endpoint('POST', '/passport/admin/users/imports/{importId}/apply', {
  summary: 'Add the people of the valid rows; goes on by itself, also after a restart',
  access: 'admin',
  params: one,
  returns: json(UserImport),
  fails: [404, 409],
})
/** Who changed since, or came in, stays and is told in `errors` as `changed-since`. */
export const takeBackUserImport = endpoint('POST', '/passport/admin/users/imports/{importId}/takeback', {
  summary: 'Delete the people that an import added, but those that changed since',
  access: 'admin',
  params: one,
  returns: json(UserImport),
  fails: [404, 409],
})
