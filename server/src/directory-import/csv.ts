import { GroupName } from '@passport/contract/groups'
import { OrgName } from '@passport/contract/orgs'
import { RoleName } from '@passport/contract/roles'
import { formatRowError } from '@passport/contract/row-errors'
import * as z from 'zod/mini'
import { cutText } from '../http/storable-text.ts'
import { readImportedHash } from '../local-directory/imported-hash.ts'
import { appendNumber, createFreeNames, deriveSlug } from '../slug.ts'
import type { FileColumn } from '../users/file-columns.ts'
import { InvalidUserFile } from '../users/file-layout.ts'
import { readSubject } from '../users/read-person.ts'
import { type FileRow, openUserFile, type UserFile } from '../users/user-file.ts'
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

/** The columns that a form of a user does not have. */
const additional: FileColumn[] = ['id', 'groups', 'organisations', 'passwordHash', 'provider', 'subject']

/**
 * Converts a CSV file with a user a line. Roles, groups and organisations that do not exist are created. A row with an error
 * is not imported. Throws `InvalidSource`.
 */
export async function readCsv(bytes: Uint8Array, fileName: string, providers: TargetProvider[]): Promise<Source> {
  try {
    const file = await openUserFile(bytes, { additional })
    return new Conversion(file, fileName, providers).convert()
  } catch (error) {
    if (error instanceof InvalidUserFile) throw new InvalidSource(error.message)
    throw error
  }
}

class Conversion {
  readonly #report = new Report()
  readonly #file: UserFile
  readonly #fileName: string
  readonly #providers: TargetProvider[]
  readonly #groups = new Map<string, SourceGroup>()
  readonly #orgs = new Map<string, SourceOrg>()
  readonly #toFreeSlug = createFreeNames(appendNumber)
  readonly #roles = new Map<string, SourceRole>()
  readonly #signInNames = new Set<string>()

  constructor(file: UserFile, fileName: string, providers: TargetProvider[]) {
    this.#file = file
    this.#fileName = fileName
    this.#providers = providers
  }

  convert(): Source {
    const { encoding, separator, columns } = this.#file
    this.#report.notes.push(`Read as ${encoding}, separated by ${separatorNames[separator] ?? separator}.`)
    const ignored = columns.flatMap(({ name, ignored }) => (ignored ? [formatIgnored(name, ignored)] : []))
    if (ignored.length > 0) this.#report.notes.push(`Ignored columns: ${ignored.join(', ')}.`)
    const users = [...this.#file.rows].flatMap((row) => this.#convertRow(row) ?? [])
    if (users.length > 0 && users.every(({ email, username }) => email === null && username === null))
      this.#report.notes.push('No user has an email or a username.')
    return {
      name: `csv ${this.#fileName}`,
      roles: [...this.#roles.values()],
      orgs: [...this.#orgs.values()],
      groups: [...this.#groups.values()],
      users,
      report: this.#report,
    }
  }

  #convertRow({ line, user, cells, errors }: FileRow): SourceUser | undefined {
    const key = cells.get('id') || user.username || user.email?.toLowerCase()
    const label = user.username || user.email || cells.get('id') || user.displayName || `line ${line}`
    if (errors.length > 0 || !key) {
      const reason = errors.length > 0 ? errors.map(formatError).join(' ') : 'it has no id, username or email'
      this.#report.notImported.push({ user: label, reason: `line ${line}: ${reason}` })
      return undefined
    }
    const add: Add = (outcome, column, reason = '') =>
      this.#report.add(outcome, column, { reason, ...(outcome === 'kept' ? {} : { record: label }) })
    for (const column of ['username', 'displayName', 'email'] as const) if (user[column]) add('kept', column)
    for (const column of ['emailVerified', 'disabled', 'enabled'] as const) if (cells.has(column)) add('kept', column)
    const { roles: _roles, ...fields } = user
    return {
      ...fields,
      key: `${this.#fileName}/${key}`,
      label,
      line,
      roles: this.#convertRoles(user.roles, add),
      groups: this.#convertGroups(cells.get('groups'), add),
      orgs: this.#convertOrgs(cells.get('organisations'), add),
      password: this.#convertPassword(cells.get('passwordHash'), { name: user.username ?? user.email, label, add }),
      identities: this.#convertIdentity(cells, user.email ?? user.username ?? label, add),
    }
  }

  #convertRoles(names: string[], add: Add): SourceRole[] {
    return names.flatMap((name) => {
      const isValid = z.safeParse(RoleName, name).success
      add(isValid ? 'kept' : 'dropped', 'roles', isValid ? '' : `${name} is no name for a role`)
      if (!isValid) return []
      const description = cutText(`Imported from ${this.#fileName}`, 300)
      return findOrSet(this.#roles, name, () => ({ name, label: name, description }))
    })
  }

  #convertOrgs(cell: string | undefined, add: Add): SourceOrg[] {
    const found = split(cell).map((label) => {
      const org = findOrSet(this.#orgs, fold(label), () => {
        const slug = this.#toFreeSlug(deriveSlug(label, 'organisation'))
        const name = z.safeParse(OrgName, label).data ?? slug
        return { slug, name, label, isNamedBySlug: slug === label.toLowerCase(), domains: [] }
      })
      add(org.slug === label ? 'kept' : 'changed', 'organisations', org.slug === label ? '' : 'a slug')
      return org
    })
    return [...new Set(found)]
  }

  #convertGroups(cell: string | undefined, add: Add): SourceGroup[] {
    const found = split(cell).flatMap((label) => {
      const name = z.safeParse(GroupName, label).data
      add(name === undefined ? 'dropped' : 'kept', 'groups', name === undefined ? 'not valid' : '')
      if (name === undefined) return []
      return findOrSet(this.#groups, fold(name), () => ({ name, label, description: '', roles: [] }))
    })
    return [...new Set(found)]
  }

  #convertPassword(
    cell: string | undefined,
    { name: signInName, label, add }: { name: string | null; label: string; add: Add },
  ): SourceUser['password'] {
    if (cell === undefined) return null
    const name = (signInName ?? '').toLowerCase()
    const { hash, reason: error } = readImportedHash(cell)
    const reason =
      name === '' ? 'no username or email to sign in with' : this.#signInNames.has(name) ? 'the name is taken' : error
    if (hash === undefined || reason !== undefined) {
      add('dropped', 'passwordHash', reason ?? '')
      this.#report.withoutPassword.push({ user: label, reason: reason ?? '' })
      return null
    }
    this.#signInNames.add(name)
    add('kept', 'passwordHash')
    return { name, hash }
  }

  #convertIdentity(cells: FileRow['cells'], label: string, add: Add): SourceUser['identities'] {
    const [provider, subject] = [cells.get('provider'), cells.get('subject')]
    if (!provider || !subject) {
      if (provider || subject) add('dropped', 'subject', 'an identity needs a provider and a subject')
      return []
    }
    const target = this.#providers.find(({ id, issuer }) => id === provider || issuer === provider)
    if (!target) {
      add('dropped', 'subject', `no identity provider ${provider} is configured`)
      return []
    }
    if (readSubject(subject) === undefined) {
      add('dropped', 'subject', 'a subject has 1 to 255 visible ASCII characters')
      return []
    }
    add('kept', 'subject')
    return [{ providerId: target.id, issuer: target.issuer, subject, label }]
  }
}

type Add = (outcome: 'kept' | 'changed' | 'dropped', column: string, reason?: string) => void

const separatorNames: Record<string, string> = { ',': 'commas', ';': 'semicolons', '\t': 'tabs' }

const formatIgnored = (name: string, reason: string) =>
  `${name}${reason === 'password' ? ' (passwords in plain text)' : ''}`

const formatError = ({ column, header, code, value }: FileRow['errors'][number]) =>
  `${[header ?? column, value && `“${value}”`].filter(Boolean).join(' ')}${column ? ': ' : ''}${formatRowError(code)}`

/** Longer names are compared as written: Unicode sorts the marks of a letter in time that grows with the square of their number. */
const maxFolded = 1000

/** Names that differ only in case, or in the encoding of an accent, are one record of the file. */
const fold = (name: string) => (name.length > maxFolded ? name : name.normalize('NFC').toLowerCase())

function findOrSet<T>(records: Map<string, T>, key: string, create: () => T): T {
  const record = records.get(key) ?? create()
  records.set(key, record)
  return record
}

const split = (cell = '') => [...new Set(cell.split(';').map((part) => part.trim()))].filter(Boolean)
