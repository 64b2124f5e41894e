import { expect, test } from 'vitest'
import { startTestService } from './test-service.ts'

test('each recurring job succeeds, and the sweep deletes expired rows', async () => {
  const { sql, jobs } = await startTestService()
  await sql`
    insert into user_undos (token_hash, action, done_by, expires_at)
    values ('old', 'disable', 'u', now() - interval '2 hours'), ('new', 'disable', 'u', now())`
  await sql`
    insert into user_imports (id, state, created_by, created_at)
    values ('old', 'checked', 'u', now() - interval '31 days'), ('new', 'checked', 'u', now())`
  await sql`
    insert into provider_artifacts (issuer, kind, id_hash, payload, expires_at)
    values ('passport', 'Proof', 'old', '{}', now() - interval '1 second'),
      ('passport', 'Proof', 'new', '{}', now() + interval '1 hour')`
  await sql`insert into users (id) values ('u'), ('v')`
  await sql`
    insert into connection_moves (connector, external_id, from_user_id, to_user_id, moved_at)
    values ('metahorizon', 'old', 'u', 'v', now() - interval '8 days'), ('metahorizon', 'new', 'u', 'v', now())`
  await sql`
    insert into known_browsers (id, user_id, token_hash, last_sign_in_at)
    values ('old', 'u', 'old', now() - interval '180 days'), ('new', 'u', 'new', now())`
  await sql`
    insert into notices (id, user_id, kind, summary, token_hash, sent_at)
    values ('old', 'u', 'new-device', '', 'old', now() - interval '30 days'), ('new', 'u', 'new-device', '', 'new', now())`
  await sql`
    insert into enrolment_links (id, user_id, token_hash, created_by, expires_at)
    values ('old', 'u', 'old', 'u', now() - interval '31 days'), ('new', 'v', 'new', 'u', now())`
  for (const { run } of jobs) await run()
  expect(await sql`select token_hash from user_undos`).toEqual([{ tokenHash: 'new' }])
  expect(await sql`select id from user_imports`).toEqual([{ id: 'new' }])
  expect(await sql`select external_id from connection_moves`).toEqual([{ externalId: 'new' }])
  expect(await sql`select id from enrolment_links`).toEqual([{ id: 'new' }])
  expect(await sql`select id from known_browsers`).toEqual([{ id: 'new' }])
  expect(await sql`select id from notices`).toEqual([{ id: 'new' }])
  expect(await sql`select id_hash from provider_artifacts where kind = 'Proof'`).toEqual([{ idHash: 'new' }])
})
