/** The device authorization response (RFC 8628, section 3.2). `startedAt` is in milliseconds since 1970. */
export interface DeviceAuthorizationResponse {
  deviceCode: string
  userCode: string
  verificationUri: string
  verificationUriComplete: string
  expiresInSeconds: number
  intervalSeconds: number
  startedAt: number
  /** The number that the user must type, if required. */
  matchNumber: string | undefined
  /** Whether the PIN shown to the approving user must be typed here. */
  isPinRequired: boolean
}

export interface Tokens {
  accessToken: string
  scope: string
  expiresInSeconds: number
  /** The claims of the ID token, unverified. */
  claims: Record<string, unknown>
}

export interface LogLine {
  /** In milliseconds since 1970. */
  at: number
  text: string
}

/** The state of the simulated device. */
export interface Flow {
  stage: 'idle' | 'starting' | 'waiting' | 'signed in' | 'denied' | 'expired' | 'failed'
  authorization: DeviceAuthorizationResponse | undefined
  tokens: Tokens | undefined
  /** The delay before the next poll. */
  intervalSeconds: number
  log: LogLine[]
}

/** An event of the flow, with its time. `error` is the code of the token endpoint (RFC 8628, section 3.5). */
export type DeviceEvent = { at: number } & (
  | { kind: 'start' }
  | { kind: 'started'; authorization: DeviceAuthorizationResponse }
  | { kind: 'polled'; error: string }
  | { kind: 'tokens'; tokens: Tokens }
  | { kind: 'requestFailed'; message: string }
)

export const idleFlow: Flow = {
  stage: 'idle',
  authorization: undefined,
  tokens: undefined,
  intervalSeconds: 5,
  log: [],
}

const finalStages: Record<string, Flow['stage']> = { access_denied: 'denied', expired_token: 'expired' }

/** Returns the next state. Events after a final stage, and late events of an earlier start, have no effect. */
export function reduceFlow(flow: Flow, event: DeviceEvent): Flow {
  const { at } = event
  const log = (text: string) => [...flow.log, { at, text }].slice(-50)
  if (event.kind === 'start') return { ...idleFlow, stage: 'starting', log: [{ at, text: 'Requesting a code' }] }
  if (event.kind === 'started' && flow.stage === 'starting') {
    const { authorization } = event
    return {
      ...flow,
      stage: 'waiting',
      authorization,
      intervalSeconds: authorization.intervalSeconds,
      log: log('Code received, waiting for approval'),
    }
  }
  if (event.kind === 'requestFailed' && (flow.stage === 'starting' || flow.stage === 'waiting'))
    return { ...flow, stage: flow.stage === 'starting' ? 'failed' : 'waiting', log: log(event.message) }
  if (flow.stage !== 'waiting') return flow
  if (event.kind === 'tokens')
    return { ...flow, stage: 'signed in', tokens: event.tokens, log: log('200: tokens received') }
  if (event.kind !== 'polled') return flow
  const { error } = event
  // slow_down adds 5 seconds to this and all later intervals (RFC 8628, section 3.5).
  const intervalSeconds = flow.intervalSeconds + (error === 'slow_down' ? 5 : 0)
  const isPending = error === 'authorization_pending' || error === 'slow_down'
  const stage = isPending ? 'waiting' : (finalStages[error] ?? 'failed')
  return { ...flow, stage, intervalSeconds, log: log(error) }
}
