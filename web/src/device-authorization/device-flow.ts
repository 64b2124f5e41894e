/** What the device was told when it began (RFC 8628, section 3.2), with the instant in milliseconds. */
export interface Started {
  deviceCode: string
  userCode: string
  verificationUri: string
  verificationUriComplete: string
  expiresInSeconds: number
  intervalSeconds: number
  startedAt: number
  /** The number that the person must type, where one is asked for. */
  matchNumber: string | undefined
  /** Whether a PIN must be typed here that whoever approves is shown. */
  isPinRequired: boolean
}

export interface Tokens {
  accessToken: string
  scope: string
  expiresInSeconds: number
  /** The claims of the ID token, as they are; this page does not check them. */
  claims: Record<string, unknown>
}

export interface LogLine {
  at: number
  text: string
}

/** How far the device has come. */
export interface Flow {
  stage: 'idle' | 'starting' | 'waiting' | 'signed in' | 'refused' | 'expired' | 'failed'
  started: Started | undefined
  tokens: Tokens | undefined
  /** How long to wait before the next poll. */
  intervalSeconds: number
  log: LogLine[]
}

/** What happens to it. `error` is one of the token endpoint's (RFC 8628, section 3.5). */
export type Happening = { at: number } & (
  | { kind: 'start' }
  | { kind: 'started'; started: Started }
  | { kind: 'polled'; error: string }
  | { kind: 'tokens'; tokens: Tokens }
  | { kind: 'trouble'; told: string }
)

export const idle: Flow = { stage: 'idle', started: undefined, tokens: undefined, intervalSeconds: 5, log: [] }

const ends: Record<string, Flow['stage']> = { access_denied: 'refused', expired_token: 'expired' }

/** The next state. What comes too late, after an end or from an earlier start, changes nothing. */
export function next(flow: Flow, happening: Happening): Flow {
  const { at } = happening
  const log = (text: string) => [...flow.log, { at, text }].slice(-50)
  if (happening.kind === 'start')
    return { ...idle, stage: 'starting', log: [{ at, text: 'The device asks for a code' }] }
  if (happening.kind === 'started' && flow.stage === 'starting') {
    const { started } = happening
    return {
      ...flow,
      stage: 'waiting',
      started,
      intervalSeconds: started.intervalSeconds,
      log: log('It has a code and waits'),
    }
  }
  if (happening.kind === 'trouble' && (flow.stage === 'starting' || flow.stage === 'waiting'))
    return { ...flow, stage: flow.stage === 'starting' ? 'failed' : 'waiting', log: log(happening.told) }
  if (flow.stage !== 'waiting') return flow
  if (happening.kind === 'tokens')
    return { ...flow, stage: 'signed in', tokens: happening.tokens, log: log('200: the device has its tokens') }
  if (happening.kind !== 'polled') return flow
  const { error } = happening
  // Slowing down is for good: 5 seconds more from now on.
  const intervalSeconds = flow.intervalSeconds + (error === 'slow_down' ? 5 : 0)
  const isPending = error === 'authorization_pending' || error === 'slow_down'
  const stage = isPending ? 'waiting' : (ends[error] ?? 'failed')
  return { ...flow, stage, intervalSeconds, log: log(error) }
}
