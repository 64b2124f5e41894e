import { pino } from 'pino'
import { expect, test } from 'vitest'
import { loggedPath, reportProblem } from './report.ts'

const visit = { ip: '127.0.0.1', userAgent: 'test', traceId: '4bf92f3577b34da6a3ce929d0e0e4736', host: 'localhost' }

test('what goes wrong here is logged with its path, and without the codes and tokens of its query', () => {
  const lines: string[] = []
  const log = pino({ base: null }, { write: (line) => void lines.push(line) })
  const url = '/login/callback/local?code=the-code&state=the-state'
  expect(reportProblem(new Error('a bug'), url, visit, { log }).status).toBe(500)
  expect(lines).toHaveLength(1)
  expect(JSON.parse(lines[0] ?? '')).toMatchObject({
    path: '/login/callback/local',
    supportCode: '4BF9-2F35',
    msg: 'internal-error',
  })
  expect(lines[0]).not.toContain('the-')
})

test.for([
  '/join/the-token',
  '/join/index/the-token?a=b',
  '/join/the-token/accept',
  '/app/join/the-token',
  '/join//the-token',
])('the token of %s is no business of the log', (url) => {
  expect(loggedPath(url)).not.toContain('the-token')
  expect(loggedPath(url)).toContain('{id}')
})

test('other paths are logged as they are', () => {
  expect(loggedPath('/passport/groups/7?query=x')).toBe('/passport/groups/7')
  expect(loggedPath('/join/the-token/accept')).toBe('/join/{id}/accept')
})
