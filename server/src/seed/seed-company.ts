import { copyIn, keepTimes } from '../database/bulk-load.ts'
import { lockSchema } from '../database/migrate.ts'
import { type Sql, transaction } from '../database/sql.ts'
import { exportDocument } from '../directory-config/read.ts'
import { readRequestIds } from '../http/visit.ts'
import { readVersion } from '../info/build.ts'
import { listDemoUsers } from '../local-directory/store.ts'
import { beginWrite, finishCommit } from '../permissions/commit-store.ts'
import { isDirectoryType } from '../permissions/directory-schema.ts'
import { createEngineWithin } from '../permissions/engine.ts'
import { importFile } from '../permissions/validation-file.ts'
import * as users from '../users/store.ts'
import { generateCompany, toCompanySize, type User } from './company.ts'
import { simulateActivity } from './company-activity.ts'
import { generatePermissions } from './company-permissions.ts'
import { toTables } from './company-tables.ts'

/** Thrown if the database has other data than the demo users. */
export class DatabaseNotEmptyError extends Error {}

interface Target {
  sql: Sql
  /** The permissions are in a SpiceDB, to which nothing is written: it does not have the users of this database. */
  usesSpiceDb: boolean
}

/**
 * Adds a small company with the last thirty days of its activity, in one transaction; `report` is called after each
 * step. The same number of users gives the same records; only their times depend on the current time. The users cannot
 * sign in: their identity provider does not exist. Servers can run: no table is locked, and rows that they have written
 * stay. A second call waits for the first. Throws `DatabaseNotEmptyError`.
 */
export async function seedCompany(
  { sql, usesSpiceDb }: Target,
  userCount: number,
  report: (line: string) => void = () => {},
): Promise<void> {
  await rejectOtherData(sql, usesSpiceDb)
  const fullSize = toCompanySize(userCount)
  // The import of the permissions is the last event.
  const size = usesSpiceDb ? fullSize : { ...fullSize, events: fullSize.events - 1 }
  const company = generateCompany(size)
  const activity = simulateActivity(company, size)
  const tables = toTables(company, activity, size, Date.now())
  report('30 days of activity computed')
  await transaction(sql, async (sql) => {
    await lockSchema(sql, () => report('waiting for another seed of this database'))
    await rejectOtherData(sql, usesSpiceDb)
    await keepTimes(sql)
    for (const { name, target, rows } of tables)
      report(`${(await copyIn(sql, target, rows)).toLocaleString('en')} ${name}`)
    for (const { target } of tables) await sql.unsafe(`analyze ${target.table}`)
    // Makes the commit of the memberships one without an author; otherwise it would be the actor of the last event.
    await beginWrite(sql, '')
    const [importer] = company.admins
    if (usesSpiceDb || !importer) return report('no permissions: SpiceDB does not have the users of this database')
    const engine = createEngineWithin(sql, readVersion())
    // From the end of the commit of the memberships on, other commits wait, so it is as late as possible.
    const load: typeof engine.load = async (...input) => {
      await finishCommit(sql)
      return engine.load(...input)
    }
    const { relationships } = await importFile({ ...engine, load }, sql, generatePermissions(company), {
      isDryRun: false,
      auditContext: createAuditContext(importer),
    })
    report(`${relationships.toLocaleString('en')} relationships of permissions`)
  })
}

async function rejectOtherData(sql: Sql, usesSpiceDb: boolean): Promise<void> {
  const document = await exportDocument(sql)
  const { definitions } = usesSpiceDb
    ? { definitions: [] }
    : await createEngineWithin(sql, readVersion()).reflectSchema()
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
    `Nothing was added: besides the demo users, the database already has ${list}. Use an empty one, or delete all data with npm run reset.`,
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
