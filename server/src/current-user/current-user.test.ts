import { getCurrentUser } from '@passport/contract/current-user'
import { expect, test } from 'vitest'
import { startTestService } from '../test-service.ts'
import { recordStatements } from '../test-statements.ts'

test('GET /passport/apphelper/user returns the signed-in user', async () => {
  const service = await startTestService()
  const ada = await service.as('ada')
  expect(await ada.call(getCurrentUser, {})).toEqual({
    claims: {
      sub: ada.id,
      idp: 'local',
      idp_name: 'Passport',
      name: 'Ada Lovelace',
      preferred_username: 'ada',
      email: 'ada@passport.example',
      auth_time: expect.any(Number),
    },
    roles: ['Passport.Admin', 'Passport.Developer'],
    orgs: [],
  })
})

test('GET /passport/apphelper/user runs one SQL statement', async () => {
  const service = await startTestService()
  const ada = await service.as('ada')
  const statements = await recordStatements(service.sql, () => ada.fetch('/passport/apphelper/user'))
  expect(statements).toEqual([expect.stringContaining('from session_callers')])
})
