import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type DeviceAuthorizationResponse, type DeviceEvent, type Flow, idleFlow, reduceFlow } from './device-flow.ts'

const authorization: DeviceAuthorizationResponse = {
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
const runEvents = (...events: DeviceEvent[]) => events.reduce(reduceFlow, idleFlow)
const startEvents: DeviceEvent[] = [
  { kind: 'start', at: 1 },
  { kind: 'started', authorization, at: 2 },
]
const createPoll = (error: string): DeviceEvent => ({ kind: 'polled', error, at: 3 })

test.for([
  ['waits for approval', [createPoll('authorization_pending')], 'waiting'],
  ['is signed in', [{ kind: 'tokens', tokens, at: 3 }], 'signed in'],
  ['is denied', [createPoll('access_denied')], 'denied'],
  ['expires', [createPoll('expired_token')], 'expired'],
  ['fails on any other error', [createPoll('invalid_client')], 'failed'],
  ['continues after a lost connection', [{ kind: 'requestFailed', message: 'no connection', at: 3 }], 'waiting'],
  ['keeps its final state', [createPoll('access_denied'), { kind: 'tokens', tokens, at: 4 }], 'denied'],
] as [string, DeviceEvent[], Flow['stage']][])('a device %s', ([, events, stage]) => {
  expect(runEvents(...startEvents, ...events).stage).toBe(stage)
})

test('slow_down lengthens the interval until the next start', () => {
  const slowDown = createPoll('slow_down')
  const flow = runEvents(...startEvents, slowDown, createPoll('authorization_pending'), slowDown)
  expect(flow).toMatchObject({ stage: 'waiting', intervalSeconds: 15 })
  expect(reduceFlow(flow, { kind: 'start', at: 9 })).toMatchObject({
    stage: 'starting',
    intervalSeconds: 5,
    authorization: undefined,
  })
})

test('fails if the first request fails, and logs the reason', () => {
  const flow = runEvents({ kind: 'start', at: 1 }, { kind: 'requestFailed', message: 'unknown client', at: 2 })
  expect(flow.stage).toBe('failed')
  expect(flow.log.at(-1)?.text).toBe('unknown client')
})

test('any sequence of events signs in only from waiting, never polls faster, and bounds the log', () => {
  const anyEvent = fc.oneof(
    fc.constantFrom<DeviceEvent>(
      { kind: 'start', at: 1 },
      { kind: 'started', authorization, at: 1 },
      { kind: 'tokens', tokens, at: 1 },
      { kind: 'requestFailed', message: 'no', at: 1 },
    ),
    fc
      .constantFrom('authorization_pending', 'slow_down', 'access_denied', 'expired_token', 'server_error')
      .map(createPoll),
  )
  fc.assert(
    fc.property(fc.array(anyEvent, { maxLength: 120 }), (events) => {
      let flow = idleFlow
      for (const event of events) {
        const before = flow
        flow = reduceFlow(flow, event)
        if (flow.stage === 'signed in' && before.stage !== 'signed in') expect(before.stage).toBe('waiting')
        expect(flow.tokens !== undefined).toBe(flow.stage === 'signed in')
        if (event.kind !== 'start') expect(flow.intervalSeconds).toBeGreaterThanOrEqual(before.intervalSeconds)
        expect(flow.log.length).toBeLessThanOrEqual(50)
      }
    }),
  )
})
