import { pino } from 'pino'
import { expect, test } from 'vitest'
import { serializeError } from '../log.ts'
import { problem } from './problem.ts'
import { redactPath, reportProblem } from './report.ts'

const visit = {
  ip: '127.0.0.1',
  userAgent: 'test',
  traceId: '4bf92f3577b34da6a3ce929d0e0e4736',
  requestId: '0af7651916cd43dd8448eb211c80319c',
  host: 'localhost',
}

test('a server error is logged with its path, and without the codes and tokens of its query', () => {
  const lines: string[] = []
  const log = pino({ base: null }, { write: (line) => void lines.push(line) })
  const url = '/login/callback/local?code=the-code&state=the-state'
  expect(reportProblem(new Error('a bug'), url, visit, { log }).status).toBe(500)
  expect(lines).toHaveLength(1)
  expect(JSON.parse(lines[0] ?? '')).toMatchObject({
    path: '/login/callback/local',
    traceId: visit.traceId,
    supportCode: '0AF7-6519',
    msg: 'internal-error',
  })
  expect(lines[0]).not.toContain('the-')
})

/** Creates an error as the driver throws it. */
const createDatabaseError = (code: string) =>
  Object.assign(new Error('from PostgreSQL'), { name: 'PostgresError', code })

test.for([
  ['a bug', new Error('a bug'), 50],
  ['an unavailable database', createDatabaseError('57P01'), 50],
  ['a service that does not respond', problem(502, 'x-unreachable', { meaning: '', remedy: '' })(), 40],
  ['a feature that is not configured', problem(503, 'x-not-configured', { meaning: '', remedy: '' })(), 40],
] as const)('%s is logged with level %3$i', ([, error, level]) => {
  const lines: string[] = []
  const log = pino({ base: null }, { write: (line) => void lines.push(line) })
  reportProblem(error, '/', visit, { log })
  expect(lines.map((line) => JSON.parse(line).level)).toEqual([level])
})

test.for([
  ['53100', 503, 'database-full'],
  ['53200', 503, 'database-unavailable'],
  ['53300', 503, 'database-unavailable'],
  ['08006', 503, 'database-unavailable'],
  ['57P01', 503, 'database-unavailable'],
  ['57P03', 503, 'database-unavailable'],
  ['57014', 503, 'database-unavailable'],
  ['25006', 503, 'database-unavailable'],
  ['25P03', 503, 'database-unavailable'],
  ['55P03', 503, 'database-busy'],
  ['40001', 503, 'database-busy'],
  ['40P01', 503, 'database-busy'],
  ['23505', 500, 'internal-error'],
  ['42703', 500, 'internal-error'],
] as const)('the database error %s gives %i %s', ([code, status, problem]) => {
  const reported = reportProblem(createDatabaseError(code), '/', visit, { log: pino({ enabled: false }) })
  expect(reported).toMatchObject({ status, code: problem })
  expect('Retry-After' in reported.headers).toBe(status === 503)
})

test('an unavailable database is logged without a stack trace, other errors with one', () => {
  const logged = { type: 'PostgresError', code: '57P01', message: 'from PostgreSQL' }
  expect(serializeError(createDatabaseError('57P01'))).toEqual(logged)
  expect(serializeError(new Error('not ready', { cause: createDatabaseError('57P01') }))).toEqual(logged)
  const { stack } = serializeError(createDatabaseError('42703')) as { stack?: string }
  expect(stack).toContain('report.test.ts')
})

test.for([
  '/join/the-token',
  '/join/index/the-token?a=b',
  '/join/the-token/accept',
  '/app/join/the-token',
  '/join//the-token',
])('the token in %s is not logged', (url) => {
  expect(redactPath(url)).not.toContain('the-token')
  expect(redactPath(url)).toContain('{id}')
})

test.for([
  ['/passport/deviceauthorization/BCDF-GHJK', '/passport/deviceauthorization/{id}'],
  ['/passport//deviceauthorization//BCDF-GHJK', '/passport//deviceauthorization//{id}'],
  ['/connect/interaction/uid-of-a-request/consent', '/connect/interaction/{id}/consent'],
  ['/connect/authorize/uid-of-a-request', '/connect/authorize/{id}'],
  ['/idp/authorize/uid-of-a-request', '/idp/authorize/{id}'],
  ['/idp/login/uid-of-a-request', '/idp/login/{id}'],
  ['/idp/interaction/uid-of-a-request', '/idp/interaction/{id}'],
] as const)('%s is logged without its code or uid', ([path, logged]) => {
  expect(redactPath(path)).toBe(logged)
})

test('paths without a secret are logged unchanged, without their query', () => {
  for (const path of ['/passport/deviceauthorization', '/passport/deviceauthorization/events', '/connect/authorize'])
    expect(redactPath(path)).toBe(path)
  expect(redactPath('/passport/groups/7?query=x')).toBe('/passport/groups/7')
})
