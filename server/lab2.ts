import { readFileSync } from 'node:fs'
import { openDatabase } from './src/database/sql.ts'
import { migrate } from './src/database/migrate.ts'
import { seedDirectory } from './src/database/seed.ts'
const address = JSON.parse(readFileSync('/tmp/store-lab/out', 'utf8').split('\n')[0]!)
const name = process.argv[2]!
const admin = openDatabase({ ...address, database: 'postgres' })
await admin.unsafe(`drop database if exists ${name}`)
await admin.unsafe(`create database ${name}`)
await admin.end()
const sql = openDatabase({ ...address, database: name })
await migrate(sql, new URL('./migrations/', import.meta.url))
console.log('migrated')
if (process.argv[3]) {
  if (process.argv[4]) await sql.unsafe(`drop view relationship_rows; ` + ['org_members','group_members','group_owners','role_members','group_roles'].map(t => `drop function log_${t} cascade`).join(';'))
  const users = Number(process.argv[3])
  let at = performance.now()
  await seedDirectory(sql, { users, groups: users / 20, orgs: users / 200 }, (line) => { console.log(line, Math.round(performance.now() - at)); })
  console.log('seeded ms', Math.round(performance.now() - at))
  console.log(await sql`select * from relationship_head`, await sql`select count(*) from relationship_changes`)
}
await sql.end()
