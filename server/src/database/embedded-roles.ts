import { openDatabase, type Sql } from './sql.ts'

/** The role of the server, and its database: the role owns everything in it, and is no superuser. */
export const serverRole = 'passport'
/** The role that `initdb` creates, which PostgreSQL requires to be a superuser. */
export const superuser = 'postgres'
/** With the right to see all backends: a writer that it does not see, such as an autovacuum, delays the changes of groups. */
const createServerRole = `create role ${serverRole} login in role pg_read_all_stats`
/** Exists during `demoteServerRole` only: no role can rename itself. */
const upgradeRole = 'passport_upgrade'

interface Cluster {
  socketDirectory: string
  /** The tables were just created. */
  isNew: boolean
  onNotice: ((line: string) => void) | undefined
}

/** Creates the role of the server and its database, if they are missing. In a cluster of an earlier release, demotes the role. */
export async function prepareRoles({ socketDirectory, isNew, onNotice }: Cluster): Promise<void> {
  const connect: Connect = (user, database, work) => withConnection({ socketDirectory, user, database }, work)
  if (!isNew && (await isPrepared(connect))) return
  if (!(await canConnect(connect, superuser))) {
    await demoteServerRole(connect)
    onNotice?.(`The role ${serverRole} of the embedded PostgreSQL is no superuser any more`)
  }
  await connect(superuser, 'postgres', async (sql) => {
    if (!(await exists(sql, 'pg_roles', 'rolname', serverRole))) await sql.unsafe(createServerRole)
    if (!(await exists(sql, 'pg_database', 'datname', serverRole)))
      await sql.unsafe(`create database ${serverRole} owner ${serverRole}`)
    await sql.unsafe(`drop role if exists ${upgradeRole}`)
  })
}

type Connect = <T>(user: string, database: string, work: (sql: Sql) => Promise<T>) => Promise<T>

async function withConnection<T>(
  address: { socketDirectory: string; user: string; database: string },
  work: (sql: Sql) => Promise<T>,
): Promise<T> {
  const sql = openDatabase(address, { maxConnections: 1 })
  try {
    return await work(sql)
  } finally {
    await sql.end()
  }
}

const isPrepared = (connect: Connect): Promise<boolean> =>
  catchMissing(
    connect(serverRole, serverRole, async (sql) => {
      const [role] = await sql<{ isDemoted: boolean }[]>`
        select not rolsuper and not exists (select from pg_roles where rolname = ${upgradeRole}) as is_demoted
        from pg_roles where rolname = current_user`
      return role?.isDemoted === true
    }),
  )

const canConnect = (connect: Connect, user: string): Promise<boolean> =>
  catchMissing(connect(user, 'postgres', async (sql) => (await sql`select 1`).length === 1))

/** Returns false if the role (28000) or the database (3D000) does not exist. */
const catchMissing = (connected: Promise<boolean>): Promise<boolean> =>
  connected.catch((error: { code?: string }) => {
    if (error.code === '28000' || error.code === '3D000') return false
    throw error
  })

/**
 * Makes a plain role of the superuser as which earlier releases connected. That one is the role of `initdb`, which stays a
 * superuser and cannot be deleted: it gets the name of today's, and a new role with the old name gets the database. An
 * interrupted call is repeated by the next start.
 */
async function demoteServerRole(connect: Connect): Promise<void> {
  await connect(serverRole, 'postgres', async (sql) => {
    if (!(await exists(sql, 'pg_roles', 'rolname', upgradeRole)))
      await sql.unsafe(`create role ${upgradeRole} superuser login`)
    if (!(await exists(sql, 'pg_database', 'datname', serverRole))) await sql.unsafe(`create database ${serverRole}`)
  })
  await connect(upgradeRole, serverRole, (sql) =>
    sql.begin(async (sql) => {
      await sql.unsafe(`alter role ${serverRole} rename to ${superuser}`)
      await sql.unsafe(createServerRole)
      await sql.unsafe(`alter database ${serverRole} owner to ${serverRole}`)
      await sql.unsafe(giveObjects)
    }),
  )
}

/** Gives the objects of the schema to the role of the server, except those of extensions, and sequences of columns, which follow. */
const giveObjects = `
  do $$
  declare
    object text;
  begin
    for object in
      select format('table %s', c.oid::regclass) from pg_class c
      where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p', 'v', 'm', 'f', 'S')
        and not exists (select from pg_depend d where d.classid = 'pg_class'::regclass and d.objid = c.oid
          and (d.deptype = 'e' or c.relkind = 'S' and d.deptype in ('a', 'i') and d.refclassid = 'pg_class'::regclass))
      union all
      select format('routine %s', p.oid::regprocedure) from pg_proc p
      where p.pronamespace = 'public'::regnamespace
        and not exists (select from pg_depend d where d.classid = 'pg_proc'::regclass and d.objid = p.oid and d.deptype = 'e')
      union all
      select format('type %s', t.oid::regtype) from pg_type t left join pg_class c on c.oid = t.typrelid
      where t.typnamespace = 'public'::regnamespace and (t.typtype in ('d', 'e', 'r') or c.relkind = 'c')
        and not exists (select from pg_depend d where d.classid = 'pg_type'::regclass and d.objid = t.oid and d.deptype = 'e')
    loop
      execute format('alter %s owner to ${serverRole}', object);
    end loop;
  end $$`

async function exists(sql: Sql, table: 'pg_roles' | 'pg_database', column: 'rolname' | 'datname', name: string) {
  return (await sql`select 1 from ${sql(table)} where ${sql(column)} = ${name}`).length > 0
}
