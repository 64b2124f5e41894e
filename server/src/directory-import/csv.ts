import { unescapeCell } from '@passport/contract/csv'
import { Email } from '@passport/contract/email'
import { GroupName } from '@passport/contract/groups'
import { OrgName } from '@passport/contract/orgs'
import { RoleName } from '@passport/contract/roles'
import { Username } from '@passport/contract/username'
import { DisplayName } from '@passport/contract/users'
import { CsvError, parse } from 'csv-parse/sync'
import * as z from 'zod/mini'
import { cutText, isValidText } from '../http/storable-text.ts'
import { readImportedHash } from '../local-directory/imported-hash.ts'
import { deriveFreeSlug } from '../slug.ts'
import { Report } from './report.ts'
import {
  InvalidSource,
  type Source,
  type SourceGroup,
  type SourceOrg,
  type SourceRole,
  type SourceUser,
  type TargetProvider,
} from './source.ts'

/** The columns, in the spelling of the guide; `normalise` accepts others. */
const columns = [
  'id',
  'username',
  'displayName',
  'email',
  'emailVerified',
  'disabled',
  'roles',
  'groups',
  'organisations',
  'passwordHash',
  'provider',
  'subject',
] as const
type Column = (typeof columns)[number]

const normalise = (name: string) => name.toLowerCase().replaceAll(/[^a-z]/g, '')
const columnsByName = new Map<string, Column>(columns.map((column) => [normalise(column), column]))

/**
 * Converts a CSV file with a user a line. Lists are separated by semicolons. Roles, groups and organisations that do not
 * exist are created. Throws `InvalidSource`.
 */
export function readCsv(text: string, fileName: string, providers: TargetProvider[]): Source {
  if (!isValidText(text)) throw new InvalidSource('The file has NUL characters. Save it as CSV in UTF-8.')
  const report = new Report()
  const rows = parseRows(text, report)
  const groups = new Map<string, SourceGroup>()
  const orgs = new Map<string, SourceOrg>()
  const slugs = new Set<string>()
  const roles = new Map<string, SourceRole>()
  const signInNames = new Set<string>()
  const users = rows.flatMap((cells, index): SourceUser[] => {
    const label = cells.username || cells.email || cells.id || cells.displayName || `line ${index + 2}`
    const add = (outcome: 'kept' | 'changed' | 'dropped', column: Column, reason = '') =>
      report.add(outcome, column, { reason, ...(outcome === 'kept' ? {} : { record: label }) })
    const read = (column: 'username' | 'displayName' | 'email', schema: z.ZodMiniType<string>) => {
      const cell = cells[column]
      if (!cell) return null
      const value = z.safeParse(schema, cell).data ?? null
      add(value === null ? 'dropped' : 'kept', column, value === null ? 'not valid' : '')
      return value
    }
    const readBoolean = (column: 'emailVerified' | 'disabled') => {
      const cell = (cells[column] ?? '').toLowerCase()
      if (cell)
        add(
          ['true', 'false'].includes(cell) ? 'kept' : 'dropped',
          column,
          cell === 'true' || cell === 'false' ? '' : 'neither true nor false',
        )
      return cell === 'true'
    }
    const key = cells.id || (cells.username ?? '').toLowerCase() || (cells.email ?? '').toLowerCase()
    if (!key) {
      report.notImported.push({ user: label, reason: 'it has no id, username or email' })
      return []
    }
    const email = read('email', Email)
    const roleRecords = split(cells.roles).flatMap((name) => {
      const isValid = z.safeParse(RoleName, name).success
      add(isValid ? 'kept' : 'dropped', 'roles', isValid ? '' : `${name} is no name for a role`)
      if (!isValid) return []
      const description = cutText(`Imported from ${fileName}`, 300)
      return findOrSet(roles, name, () => ({ name, label: name, description }))
    })
    const orgRecords = split(cells.organisations).map((label) => {
      const org = findOrSet(orgs, fold(label), () => {
        const slug = deriveFreeSlug(label, 'organisation', slugs)
        const name = z.safeParse(OrgName, label).data ?? slug
        return { slug, name, label, isNamedBySlug: slug === label.toLowerCase(), domains: [] }
      })
      add(org.slug === label ? 'kept' : 'changed', 'organisations', org.slug === label ? '' : 'a slug')
      return org
    })
    const groupRecords = split(cells.groups).flatMap((label) => {
      const name = z.safeParse(GroupName, label).data
      add(name === undefined ? 'dropped' : 'kept', 'groups', name === undefined ? 'not valid' : '')
      if (name === undefined) return []
      return findOrSet(groups, fold(name), () => ({ name, label, description: '', roles: [] }))
    })
    return [
      {
        key: `${fileName}/${key}`,
        label,
        username: read('username', Username),
        displayName: read('displayName', DisplayName),
        email,
        emailVerified: readBoolean('emailVerified') && email !== null,
        isDisabled: readBoolean('disabled'),
        roles: roleRecords,
        groups: [...new Set(groupRecords)],
        orgs: [...new Set(orgRecords)],
        password: readPassword(cells, label, { report, add, signInNames }),
        identities: readIdentity(cells, label, { add, providers }),
      },
    ]
  })
  return {
    name: `csv ${fileName}`,
    roles: [...roles.values()],
    orgs: [...orgs.values()],
    groups: [...groups.values()],
    users,
    report,
  }
}

type Cells = Partial<Record<Column, string>>

function parseRows(text: string, report: Report): Cells[] {
  let records: string[][]
  try {
    records = parse(text, { bom: true, trim: true, skip_empty_lines: true, max_record_size: 64 * 1024 })
  } catch (error) {
    if (error instanceof CsvError) throw new InvalidSource(`The file is not valid CSV: ${error.message}`)
    throw error
  }
  const [header = [], ...rows] = records
  const known = header.map((name) => columnsByName.get(normalise(name)))
  if (!known.some(Boolean))
    throw new InvalidSource(`The first line must contain column names. Known columns: ${columns.join(', ')}.`)
  const duplicate = known.find((column, index) => column && known.indexOf(column) !== index)
  if (duplicate) throw new InvalidSource(`The column ${duplicate} is listed twice.`)
  for (const row of rows)
    for (const [index, column] of known.entries())
      if (!column && row[index]) report.add('dropped', header[index] ?? '', { reason: 'an unknown column' })
  return rows.map((row) =>
    Object.fromEntries(
      known.flatMap((column, index) => (column ? [[column, unescapeCell(row[index] ?? '').trim()]] : [])),
    ),
  )
}

/** Names that differ only in case, or in the encoding of an accent, are one record of the file. */
const fold = (name: string) => name.normalize('NFC').toLowerCase()

function findOrSet<T>(records: Map<string, T>, key: string, create: () => T): T {
  const record = records.get(key) ?? create()
  records.set(key, record)
  return record
}

const split = (cell = '') => [...new Set(cell.split(';').map((part) => part.trim()))].filter(Boolean)

type Add = (outcome: 'kept' | 'changed' | 'dropped', column: Column, reason?: string) => void

function readPassword(
  { passwordHash, username, email }: Cells,
  label: string,
  { report, add, signInNames }: { report: Report; add: Add; signInNames: Set<string> },
): SourceUser['password'] {
  if (!passwordHash) return null
  const name = (username || email || '').toLowerCase()
  const { hash, reason: error } = readImportedHash(passwordHash)
  const reason =
    name === '' ? 'no username or email to sign in with' : signInNames.has(name) ? 'the name is taken' : error
  if (hash === undefined || reason !== undefined) {
    add('dropped', 'passwordHash', reason ?? '')
    report.withoutPassword.push({ user: label, reason: reason ?? '' })
    return null
  }
  signInNames.add(name)
  add('kept', 'passwordHash')
  return { name, hash }
}

function readIdentity(
  { provider, subject, email, username }: Cells,
  label: string,
  { add, providers }: { add: Add; providers: TargetProvider[] },
): SourceUser['identities'] {
  if (!provider || !subject) {
    if (provider || subject) add('dropped', 'subject', 'an identity needs a provider and a subject')
    return []
  }
  const target = providers.find(({ id, issuer }) => id === provider || issuer === provider)
  if (!target) {
    add('dropped', 'subject', `no identity provider ${provider} is configured`)
    return []
  }
  if (!isValidText(subject)) {
    add('dropped', 'subject', 'not valid')
    return []
  }
  add('kept', 'subject')
  return [{ providerId: target.id, issuer: target.issuer, subject, label: email || username || label }]
}
