import { listOrgs } from '@passport/contract/orgs'
import { searchRecords } from '@passport/contract/search'
import { beforeAll, expect, test } from 'vitest'
import { startTestService, type TestService, type Visitor } from '../test-service.ts'
import { recordStatements } from '../test-statements.ts'

let service: TestService
let ada: Visitor

beforeAll(async () => {
  service = await startTestService()
  ada = await service.as('ada')
  const { sql } = service
  for (const [id, name, username, email] of [
    ['u1', 'Priya Raman', 'priya', 'Priya@corp.example'],
    ['u2', 'Maya Príyanka', 'maya', null],
    ['u3', 'Priya Gone', 'priya-gone', 'gone@corp.example'],
  ] as const)
    await sql`insert into users (id, display_name, username, email) values (${id}, ${name}, ${username}, ${email})`
  await sql`update users set deleted_at = now() where id = 'u3'`
  await sql`insert into orgs (id, name, slug) values ('o1', 'Priyam Works', 'works'), ('o2', 'Harbour', 'priya')`
  await sql`insert into groups (id, name, description) values ('g1', 'Friends of Priya', 'All of them')`
  await sql`insert into roles (name, description) values ('Priya.Reader', 'Reads')`
  await sql`
    insert into users (id, display_name, username)
    select 'many-' || n, 'Many ' || n, 'many' || n from generate_series(1, 50) n`
})

const find = async (query: string) => (await ada.call(searchRecords, { query: { query } })).map(({ id }) => id)

test('returns kind, id, name and detail', async () => {
  expect(await ada.call(searchRecords, { query: { query: 'priya@CORP.example' } })).toEqual([
    { kind: 'user', id: 'u1', name: 'Priya Raman', detail: 'Priya@corp.example' },
  ])
  expect(await ada.call(searchRecords, { query: { query: 'passport.admin' } })).toEqual([
    expect.objectContaining({ kind: 'role', id: 'Passport.Admin', name: 'Passport.Admin', detail: expect.any(String) }),
  ])
})

test('finds an application by its client id and by a word of its name', async () => {
  const found = [expect.objectContaining({ kind: 'client', id: 'passport-device-test', name: 'Device Flow Test' })]
  expect(await ada.call(searchRecords, { query: { query: 'passport-device-test' } })).toEqual(found)
  expect(await ada.call(searchRecords, { query: { query: 'test flow' } })).toEqual(found)
})

test('finds an API by its name, its audience and a word of its display name', async () => {
  const { sql } = service
  await sql`insert into identity_apis (id, name, display_name, audience) values ('a1', 'orders', 'Box orders', 'https://o.example')`
  for (const query of ['a1', 'orders', 'https://o.example', 'box']) expect(await find(query), query).toEqual(['a1'])
})

test('finds an entitlement by its key and a word of its name', async () => {
  const { sql } = service
  await sql`insert into entitlements (id, key, name, kind) values ('e1', 'arena.seats', 'Chairs there', 'quantity')`
  for (const query of ['e1', 'arena.seats', 'arena', 'chairs']) expect(await find(query), query).toEqual(['e1'])
})

test('finds an AWS product by its code, its id and a word of its name', async () => {
  const { sql } = service
  await sql`
    insert into aws_products (id, name, product_code, product_id, pricing_model, support_email)
    values ('p1', 'Loge Premium', 'Code1a2B', 'prod-loge', 'contract', 'help@stage.example')`
  for (const query of ['p1', 'Code1a2B', 'prod-loge', 'premium']) expect(await find(query), query).toEqual(['p1'])
})

test('finds an AWS subscription by its account, licence and agreement, and by its organisation', async () => {
  await service.sql`insert into orgs (id, name, slug) values ('o9', 'Zephyr Radio', 'zephyr')`
  await service.sql`
    insert into aws_products (id, name, product_code, pricing_model, support_email)
    values ('p2', 'Balcony', 'balcony', 'contract', 'help@stage.example')`
  await service.sql`
    insert into aws_subscriptions (id, product_id, license_key, customer_aws_account_id, agreement_id, org_id, status, source)
    values ('s1', 'p2', 'l-4f1e', '402177359982', 'agmt-found', 'o9', 'active', 'event'),
      ('s2', 'p2', 'l-4f1f', '998877665544', null, null, 'pending', 'event')`
  for (const query of ['s1', 'l-4f1e', 'aws:license-manager::1:l-4f1e', 'agmt-found', '402177359982', '4021 7735 9982'])
    expect(await find(query), query).toEqual(['s1'])
  expect(await find('radio')).toEqual(['o9', 's1'])
  const details = async (query: string) =>
    (await ada.call(searchRecords, { query: { query } })).map(({ kind, name, detail }) => [kind, name, detail])
  expect(await details('l-4f1e')).toEqual([['aws-subscription', 'Balcony', 'Zephyr Radio']])
  expect(await details('l-4f1f')).toEqual([['aws-subscription', 'Balcony', '998877665544']])
})

test('finds an organisation by the id and the default domain of its tenant', async () => {
  const tenantId = '5f0c1f6e-5c3e-4d3b-9a53-3f6f0f5d2a11'
  await service.sql`
    insert into entra_connections (org_id, tenant_id, cloud, display_name, default_domain)
    values ('o1', ${tenantId}, 'AzurePublic', 'Contoso', 'contoso.example')`
  const org = { kind: 'org', id: 'o1', name: 'Priyam Works', detail: 'works' }
  for (const query of [tenantId.toUpperCase(), 'CONTOSO.example'])
    expect(await ada.call(searchRecords, { query: { query } })).toEqual([org])
  expect((await ada.call(listOrgs, { query: { query: tenantId } })).items).toMatchObject([{ id: 'o1' }])
})

test('ranks exact names first, then name prefixes, then words', async () => {
  expect(await find('Priya')).toEqual(['o2', 'u1', 'Priya.Reader', 'o1', 'g1', 'u2'])
})

test('matches whole ids only, words without accents, and parts of emails', async () => {
  expect(await find('u2')).toEqual(['u2'])
  expect(await find('g1')).toEqual(['g1'])
  expect(await find('priyanka MAY')).toEqual(['u2'])
  for (const query of ['corp.example', '@corp']) expect(await find(query)).toEqual(['u1'])
  expect(await find('u3')).toEqual([])
})

test('returns at most ten results, none for short queries, and 400 for missing or long ones', async () => {
  expect(await find('many')).toHaveLength(10)
  for (const query of ['', ' ', 'p', '%%', '\\', "''", '& |']) expect(await find(query), query).toEqual([])
  expect((await ada.fetch('/passport/admin/search')).status).toBe(400)
  expect((await ada.fetch(`/passport/admin/search?query=${'x'.repeat(101)}`)).status).toBe(400)
})

test('costs one statement besides the one that loads the caller', async () => {
  expect(await recordStatements(service.sql, () => find('priya'))).toHaveLength(2)
})
