import { expect } from 'vitest'
import { startEmbeddedPostgres } from './embedded.ts'
import { serverRole, superuser } from './embedded-roles.ts'
import { openDatabase, type Sql } from './sql.ts'

/**
 * Changes the roles of a data directory to those of an earlier release, in which the server was the superuser of `initdb`.
 * `more` is what that superuser does then.
 */
export async function restoreFormerRoles(dataDir: string, more = ''): Promise<void> {
  const postgres = await startEmbeddedPostgres(dataDir)
  const run = async (user: string, statements: string) => {
    const sql = openDatabase({ ...postgres.address, user })
    await sql.unsafe(statements)
    await sql.end()
  }
  await run(superuser, 'create role former superuser login')
  await run(
    'former',
    `alter role ${serverRole} rename to plain; alter role ${superuser} rename to ${serverRole};
    reassign owned by plain to ${serverRole}; drop owned by plain; drop role plain`,
  )
  await run(serverRole, `drop role former; ${more}`)
  await postgres.stop()
}

/** Expects that the server's role is no superuser, owns its objects and can change them. */
export async function expectPlainRole(sql: Sql): Promise<void> {
  expect(
    await sql`
      select rolsuper as is_superuser, rolcreaterole, rolcreatedb, pg_has_role('pg_read_all_stats', 'usage') as reads_stats
      from pg_roles where rolname = current_user`,
  ).toEqual([{ isSuperuser: false, rolcreaterole: false, rolcreatedb: false, readsStats: true }])
  const foreign = await sql`
    select relname as name from pg_class where relnamespace = 'public'::regnamespace and relowner <> current_user::regrole
    union all select proname from pg_proc where pronamespace = 'public'::regnamespace and proowner <> current_user::regrole
    union all select typname from pg_type where typnamespace = 'public'::regnamespace and typowner <> current_user::regrole
    union all select datname from pg_database where datname = current_database() and datdba <> current_user::regrole
    union all select rolname from pg_roles where rolsuper and rolname <> ${superuser}`
  expect(foreign).toEqual([])
  await expect(sql`copy (select 1) to program 'true'`).rejects.toMatchObject({ code: '42501' })
  await expect(sql`select pg_read_file('PG_VERSION')`).rejects.toMatchObject({ code: '42501' })
}
