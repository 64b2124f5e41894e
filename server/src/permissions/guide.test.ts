import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { startTestService } from '../test-service.ts'

const guide = readFileSync(new URL('../../../docs/guide/checking-permissions.md', import.meta.url), 'utf8')
const secret = 'the-secret-of-the-application-in-the-guide'

test('the commands of the guide work in order', async () => {
  const stage = {
    clientId: 'stage',
    clientName: 'Stage',
    clientSecret: secret,
    scopes: ['permissions.read', 'permissions.write'],
  }
  const service = await startTestService({ CLIENTS: JSON.stringify([stage]) })
  const script = [...guide.matchAll(/```sh\n(.*?)```/gs)].map(([, commands]) => commands).join('\necho\n')
  const { stdout } = await promisify(execFile)('sh', ['-euc', script], {
    cwd: mkdtempSync(join(tmpdir(), 'guide-')),
    env: { PATH: process.env['PATH'], PASSPORT: service.url, SECRET: secret },
  })
  expect(stdout).toContain('"deleted":1,"isComplete":true')
  expect(stdout).toContain('"permissionship":"hasPermission"')
  expect(stdout).toContain('"items":[{"permissionship":"noPermission","partialCaveatMissing":[]}]')
  expect(stdout).toContain('"items":[{"id":"plan"')
  expect(stdout).toContain('"change":"add"')
  expect(stdout).toContain('"tree":{"resource":{"type":"document","id":"plan"},"permission":"view"')
  expect(stdout).toContain('"leftOut":0')
  expect(stdout).toContain('"writtenAt":null')
  expect(stdout).toContain(': watching')
  const [entry] = await service.sql`
    select actor_id, actor_name from audit_entries where action = 'permissions.relationships-changed'`
  expect(entry).toEqual({ actorId: 'client:stage', actorName: 'Stage' })
})
