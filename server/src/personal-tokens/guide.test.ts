import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { generatePersonalToken, startLength } from '../personal-token.ts'
import { startTestService } from '../test-service.ts'
import { issuePersonalToken } from './test-personal-token.ts'

const guide = readFileSync(new URL('../../../docs/guide/personal-tokens.md', import.meta.url), 'utf8')
const secret = 'the-secret-of-the-application-in-the-guide'

test('the commands of the guide work in order', async () => {
  const shop = {
    clientId: 'shop',
    clientName: 'Shop',
    clientSecret: secret,
    redirectUris: ['https://shop.example/callback'],
  }
  const service = await startTestService({ CLIENTS: JSON.stringify([shop]) })
  const dev = await service.as('dev')
  const { value } = await issuePersonalToken(service, dev)
  const script = [...guide.matchAll(/```sh\n(.*?)```/gs)].map(([, commands]) => commands).join('\necho\n')
  const { stdout } = await promisify(execFile)('sh', ['-euc', script], {
    env: { PATH: process.env['PATH'], PASSPORT: service.url, SECRET: secret, TOKEN: value },
  })
  const [user, ...responses] = stdout.split('\n').filter(Boolean)
  expect(user).toContain('"preferred_username":"dev"')
  expect(JSON.parse(responses.at(-1) ?? '')).toMatchObject({ active: true, token_use: 'personal', sub: dev.id })
  const saved = await dev.fetch('/passport/preferences/me/Backup.LastRun')
  expect(await saved.text()).toBe('done')
})

test('the pattern of the guide finds a token in a text, and its start has the documented length', () => {
  const [, pattern = ''] = /```text\n(.*?)\n```/s.exec(guide) ?? []
  const token = generatePersonalToken()
  expect(`TOKEN="${token}" # of the backup`.match(new RegExp(pattern))?.[0]).toBe(token)
  expect(`psp_${token}`.match(new RegExp(pattern))).toBeNull()
  expect([startLength, guide.includes('the first eight\ncharacters')]).toEqual([8, true])
})
