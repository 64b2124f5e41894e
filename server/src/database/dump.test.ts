import { beforeAll, expect, test } from 'vitest'
import { createTestDatabase } from '../test-service.ts'
import { type Sql, transaction } from './sql.ts'

let sql: Sql
beforeAll(async () => {
  sql = await createTestDatabase()
})

// pg_dump and pg_restore set an empty search_path; `dump.faults.test.ts` runs them.

test('an SQL function has a parsed body, and every other function sets search_path', async () => {
  const wrong = await sql<{ rule: string }[]>`
    select p.oid::regprocedure || ': ' || case l.lanname
      when 'sql' then 'write its body as begin atomic … end, or return …'
      else 'add set search_path from current' end as rule
    from pg_proc p join pg_language l on l.oid = p.prolang
    where p.pronamespace = 'public'::regnamespace and case l.lanname
      when 'sql' then p.prosqlbody is null or p.proconfig is not null
      else not 'search_path=public, pg_temp' = any(coalesce(p.proconfig, '{}')) end
    order by 1`
  expect(wrong.map(({ rule }) => rule)).toEqual([])
})

test('generated columns, indexes, views and functions are valid with an empty search_path', async () => {
  const rollback = new Error('rolled back')
  const outcome = transaction(sql, async (sql) => {
    await sql`set local search_path = ''`
    // Definitions have the schema of each name now. The join gives one row of nulls, which evaluates every expression.
    const statements = await sql<{ text: string }[]>`
      select format('explain analyze select %s from (select) as one left join %s on true', expressions, relation) as text from (
        select pg_get_expr(adbin, adrelid), adrelid::regclass from pg_attrdef
        join pg_attribute on attrelid = adrelid and attnum = adnum and attgenerated <> ''
        union all
        select pg_get_expr(indexprs, indrelid), indrelid::regclass from pg_index
        where indexprs is not null
        union all
        select '*', oid::regclass from pg_class where relkind = 'v'
      ) as evaluated (expressions, relation)
      where relation::text like 'public.%'
      union all
      select pg_get_functiondef(oid) from pg_proc where pronamespace = 'public'::regnamespace`
    expect(statements.length).toBeGreaterThan(200)
    for (const { text } of statements) await sql.unsafe(text)
    throw rollback
  })
  await expect(outcome).rejects.toBe(rollback)
})
