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
const flowAfter = (...events: DeviceEvent[]) => events.reduce(reduceFlow, idleFlow)
const startEvents: DeviceEvent[] = [
  { kind: 'start', at: 1 },
  { kind: 'started', authorization, at: 2 },
]
const polled = (error: string): DeviceEvent => ({ kind: 'polled', error, at: 3 })

test.for([
  ['waits for approval', [polled('authorization_pending')], 'waiting'],
  ['is signed in', [{ kind: 'tokens', tokens, at: 3 }], 'signed in'],
  ['is denied', [polled('access_denied')], 'refused'],
  ['expires', [polled('expired_token')], 'expired'],
  ['fails on any other error', [polled('invalid_client')], 'failed'],
  ['continues after a lost connection', [{ kind: 'trouble', message: 'no connection', at: 3 }], 'waiting'],
  ['keeps its final state', [polled('access_denied'), { kind: 'tokens', tokens, at: 4 }], 'refused'],
] as [string, DeviceEvent[], Flow['stage']][])('a device %s', ([, events, stage]) => {
  expect(flowAfter(...startEvents, ...events).stage).toBe(stage)
})

test('slow_down is permanent', () => {
  const flow = flowAfter(...startEvents, polled('slow_down'), polled('authorization_pending'), polled('slow_down'))
  expect(flow).toMatchObject({ stage: 'waiting', intervalSeconds: 15 })
  expect(reduceFlow(flow, { kind: 'start', at: 9 })).toMatchObject({
    stage: 'starting',
    intervalSeconds: 5,
    authorization: undefined,
  })
})

test('reports why a device could not start', () => {
  const flow = flowAfter({ kind: 'start', at: 1 }, { kind: 'trouble', message: 'the client is not known', at: 2 })
  expect(flow.stage).toBe('failed')
  expect(flow.log.at(-1)?.text).toBe('the client is not known')
})

test('for any sequence of events: tokens only while waiting, never faster polls, and a bounded log', () => {
  const anyEvent = fc.oneof(
    fc.constantFrom<DeviceEvent>(
      { kind: 'start', at: 1 },
      { kind: 'started', authorization, at: 1 },
      { kind: 'tokens', tokens, at: 1 },
      { kind: 'trouble', message: 'no', at: 1 },
    ),
    fc.constantFrom('authorization_pending', 'slow_down', 'access_denied', 'expired_token', 'server_error').map(polled),
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
