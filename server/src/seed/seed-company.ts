import type { PermissionEngine } from '@passport/permissions'
import { copyIn, withoutIndexes } from '../database/bulk-load.ts'
import { type Sql, transaction } from '../database/sql.ts'
import { exportDocument } from '../directory-config/read.ts'
import { listDemoUsers } from '../local-directory/store.ts'
import { beginWrite } from '../permissions/commit-store.ts'
import { isDirectoryType } from '../permissions/directory-schema.ts'
import { importFile } from '../permissions/validation-file.ts'
import * as users from '../users/store.ts'
import { foundCompany, type Person, sizeOfCompany } from './company.ts'
import { liveOn } from './company-activity.ts'
import { writePermissions } from './company-permissions.ts'
import { toTables } from './company-tables.ts'

export class CompanyRefused extends Error {}

/**
 * Adds a small company with the last thirty days of its activity. The same number of people gives the same records;
 * only their times depend on the current time. Throws `CompanyRefused` for a database with other data than the demo
 * users. Its users cannot sign in: their identity provider does not exist.
 */
export async function seedCompany(
  { sql, permissions }: { sql: Sql; permissions: PermissionEngine },
  people: number,
  report: (line: string) => void = () => {},
): Promise<void> {
  await rejectOtherData(sql, permissions)
  const hasDirectory = permissions.kind === 'embedded'
  const wanted = sizeOfCompany(people)
  // The import of the permissions is the last event.
  const size = hasDirectory ? { ...wanted, events: wanted.events - 1 } : wanted
  const company = foundCompany(size)
  const activity = liveOn(company, size)
  const tables = toTables(company, activity, size, Date.now())
  report('30 days of activity computed')
  await transaction(sql, async (sql) => {
    const loads = tables.map(({ load }) => load)
    const copy = async () => {
      for (const { name, load, rows } of tables)
        report(`${(await copyIn(sql, load, rows)).toLocaleString('en')} ${name}`)
    }
    await withoutIndexes(sql, loads, copy, () => report('all rows copied; building indexes'))
    // The commit of the memberships has no author. The actor of the last event would be it otherwise.
    await beginWrite(sql, '')
  })
  const [importer] = company.admins
  if (!hasDirectory || !importer) return report('no permissions: a SpiceDB does not have the users of this database')
  const { relationships } = await importFile(permissions, sql, writePermissions(company), {
    isDryRun: false,
    auditContext: contextOf(importer),
  })
  report(`${relationships.toLocaleString('en')} relationships of permissions`)
}

async function rejectOtherData(sql: Sql, permissions: PermissionEngine): Promise<void> {
  const { roles, orgs, groups } = await exportDocument(sql)
  // A SpiceDB gets nothing, so its schema does not matter.
  const { definitions } = permissions.kind === 'embedded' ? await permissions.reflectSchema() : { definitions: [] }
  const found = {
    users: (await users.count(sql)) - (await listDemoUsers(sql)).length,
    organisations: orgs.length,
    groups: groups.length,
    roles: roles.length,
    'definitions of permissions': definitions.filter(({ name }) => !isDirectoryType(name)).length,
  }
  const others = Object.entries(found).filter(([, count]) => count > 0)
  if (others.length === 0) return
  const list = others.map(([what, count]) => `${what} (${count.toLocaleString('en')})`).join(', ')
  throw new CompanyRefused(
    `Besides the demo users, the database already has ${list}. Use an empty one, or delete all data with npm run reset.`,
  )
}

/** The origin of the import, as the audit records it. */
function contextOf({ id, name, username, email }: Person): Parameters<typeof importFile>[3]['auditContext'] {
  return {
    caller: {
      id,
      name,
      username,
      email,
      roles: new Set(),
      orgs: [],
      idp: 'harbour',
      authTime: new Date(0).toISOString(),
    },
    visit: { ip: '192.0.2.1', userAgent: 'npm run seed', traceId: crypto.randomUUID().replaceAll('-', ''), host: '' },
  }
}
