import type { PermissionEngine } from '@passport/permissions'
import { copyIn, withoutIndexes } from '../database/bulk-load.ts'
import { type Sql, transaction } from '../database/sql.ts'
import { exportDocument } from '../directory-config/read.ts'
import * as groups from '../groups/store.ts'
import { readRequestIds } from '../http/visit.ts'
import { listDemoUsers } from '../local-directory/store.ts'
import { beginWrite } from '../permissions/commit-store.ts'
import { isDirectoryType } from '../permissions/directory-schema.ts'
import { importFile } from '../permissions/validation-file.ts'
import * as users from '../users/store.ts'
import { generateCompany, toCompanySize, type User } from './company.ts'
import { simulateActivity } from './company-activity.ts'
import { generatePermissions } from './company-permissions.ts'
import { toTables } from './company-tables.ts'

/** Thrown if the database has other data than the demo users. */
export class DatabaseNotEmptyError extends Error {}

/**
 * Adds a small company with the last thirty days of its activity; `report` is called after each step. The same number of
 * users gives the same records; only their times depend on the current time. The users cannot sign in: their identity
 * provider does not exist. Throws `DatabaseNotEmptyError`.
 */
export async function seedCompany(
  { sql, permissions }: { sql: Sql; permissions: PermissionEngine },
  userCount: number,
  report: (line: string) => void = () => {},
): Promise<void> {
  await rejectOtherData(sql, permissions)
  const isEmbedded = permissions.kind === 'embedded'
  const fullSize = toCompanySize(userCount)
  // The import of the permissions is the last event.
  const size = isEmbedded ? { ...fullSize, events: fullSize.events - 1 } : fullSize
  const company = generateCompany(size)
  const activity = simulateActivity(company, size)
  const tables = toTables(company, activity, size, Date.now())
  report('30 days of activity computed')
  await transaction(sql, async (sql) => {
    const targets = tables.map(({ target }) => target)
    const copy = async () => {
      for (const { name, target, rows } of tables)
        report(`${(await copyIn(sql, target, rows)).toLocaleString('en')} ${name}`)
    }
    const load = () => withoutIndexes(sql, targets, copy, () => report('all rows copied; building indexes'))
    await groups.loadWithTimes(sql, load)
    // Makes the commit of the memberships one without an author; otherwise it would be the actor of the last event.
    await beginWrite(sql, '')
  })
  const [importer] = company.admins
  if (!isEmbedded || !importer) return report('no permissions: SpiceDB does not have the users of this database')
  const { relationships } = await importFile(permissions, sql, generatePermissions(company), {
    isDryRun: false,
    auditContext: createAuditContext(importer),
  })
  report(`${relationships.toLocaleString('en')} relationships of permissions`)
}

async function rejectOtherData(sql: Sql, permissions: PermissionEngine): Promise<void> {
  const document = await exportDocument(sql)
  // Nothing is written to a SpiceDB, so its schema does not matter.
  const { definitions } = permissions.kind === 'embedded' ? await permissions.reflectSchema() : { definitions: [] }
  const counts = {
    users: (await users.count(sql)) - (await listDemoUsers(sql)).length,
    organisations: document.orgs.length,
    groups: document.groups.length,
    roles: document.roles.length,
    'definitions of permissions': definitions.filter(({ name }) => !isDirectoryType(name)).length,
  }
  const others = Object.entries(counts).filter(([, count]) => count > 0)
  if (others.length === 0) return
  const list = others.map(([kind, count]) => `${kind} (${count.toLocaleString('en')})`).join(', ')
  throw new DatabaseNotEmptyError(
    `Besides the demo users, the database already has ${list}. Use an empty one, or delete all data with npm run reset.`,
  )
}

/** Returns the context of the import for the audit log. */
function createAuditContext({ id, name, username, email }: User): Parameters<typeof importFile>[3]['auditContext'] {
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
      pictureHash: null,
    },
    visit: { ip: '192.0.2.1', userAgent: 'npm run seed', ...readRequestIds(undefined), host: '' },
  }
}
