import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type Flow, type Happening, idle, next, type Started } from './device-flow.ts'

const started: Started = {
  deviceCode: 'd',
  userCode: 'WDJB-MJHT',
  verificationUri: 'https://id.example/app/device',
  verificationUriComplete: 'https://id.example/app/device?user_code=WDJB-MJHT',
  expiresInSeconds: 600,
  intervalSeconds: 5,
  startedAt: 0,
  matchNumber: undefined,
  isPinRequired: false,
}
const tokens = { accessToken: 'a', scope: 'openid', expiresInSeconds: 3600, claims: {} }
const after = (...happenings: Happening[]) => happenings.reduce(next, idle)
const begin: Happening[] = [
  { kind: 'start', at: 1 },
  { kind: 'started', started, at: 2 },
]
const polled = (error: string): Happening => ({ kind: 'polled', error, at: 3 })

test.for([
  ['waits while nobody has answered', [polled('authorization_pending')], 'waiting'],
  ['is signed in', [{ kind: 'tokens', tokens, at: 3 }], 'signed in'],
  ['is refused', [polled('access_denied')], 'refused'],
  ['is too late', [polled('expired_token')], 'expired'],
  ['fails at anything else', [polled('invalid_client')], 'failed'],
  ['goes on after a lost connection', [{ kind: 'trouble', told: 'no connection', at: 3 }], 'waiting'],
  ['stays as it ended', [polled('access_denied'), { kind: 'tokens', tokens, at: 4 }], 'refused'],
] as [string, Happening[], Flow['stage']][])('a device %s', ([, happenings, stage]) => {
  expect(after(...begin, ...happenings).stage).toBe(stage)
})

test('slowing down is for good', () => {
  const flow = after(...begin, polled('slow_down'), polled('authorization_pending'), polled('slow_down'))
  expect(flow).toMatchObject({ stage: 'waiting', intervalSeconds: 15 })
  expect(next(flow, { kind: 'start', at: 9 })).toMatchObject({
    stage: 'starting',
    intervalSeconds: 5,
    started: undefined,
  })
})

test('a device that could not begin says why', () => {
  const flow = after({ kind: 'start', at: 1 }, { kind: 'trouble', told: 'the client is not known', at: 2 })
  expect(flow.stage).toBe('failed')
  expect(flow.log.at(-1)?.text).toBe('the client is not known')
})

test('whatever happens in whatever order: no tokens without waiting for them, no faster polls, no endless log', () => {
  const happening = fc.oneof(
    fc.constantFrom<Happening>(
      { kind: 'start', at: 1 },
      { kind: 'started', started, at: 1 },
      { kind: 'tokens', tokens, at: 1 },
      { kind: 'trouble', told: 'no', at: 1 },
    ),
    fc.constantFrom('authorization_pending', 'slow_down', 'access_denied', 'expired_token', 'server_error').map(polled),
  )
  fc.assert(
    fc.property(fc.array(happening, { maxLength: 120 }), (happenings) => {
      let flow = idle
      for (const one of happenings) {
        const before = flow
        flow = next(flow, one)
        if (flow.stage === 'signed in' && before.stage !== 'signed in') expect(before.stage).toBe('waiting')
        expect(flow.tokens !== undefined).toBe(flow.stage === 'signed in')
        if (one.kind !== 'start') expect(flow.intervalSeconds).toBeGreaterThanOrEqual(before.intervalSeconds)
        expect(flow.log.length).toBeLessThanOrEqual(50)
      }
    }),
  )
})
