import { getCurrentUser } from '@passport/contract/current-user'
import { expect, test } from 'vitest'
import { startTestService } from '../test-service.ts'

test('tells who is signed in', async () => {
  const service = await startTestService()
  const ada = await service.as('ada')
  expect(await ada.call(getCurrentUser, {})).toEqual({
    claims: {
      sub: ada.id,
      idp: 'local',
      name: 'Ada Lovelace',
      preferred_username: 'ada',
      email: 'ada@passport.example',
      auth_time: expect.any(Number),
    },
    roles: ['Passport.Admin', 'Passport.Developer'],
    orgs: [],
  })
})

test('costs one statement', async () => {
  const service = await startTestService()
  const ada = await service.as('ada')
  await service.sql`create extension if not exists pg_stat_statements`.catch(() => undefined)
  const statements: string[] = []
  const { debug } = service.sql.options as { debug: unknown }
  service.sql.options.debug = (_connection, query) => statements.push(query)
  await ada.fetch('/passport/apphelper/user')
  service.sql.options.debug = debug as never
  expect(statements).toHaveLength(1)
})
