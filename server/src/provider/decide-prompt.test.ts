import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { PromptValue } from '../oauth/authorization-request.ts'
import { type Decision, decidePrompt, type PromptRequest, type PromptUser } from './decide-prompt.ts'

const now = 1_800_000_000
const waitingSeconds = 300

interface UserState {
  age?: number
  isForRequest?: boolean
  userId?: string
  isGiven?: boolean
  coversScopes?: boolean
  askReason?: PromptUser['consent']['askReason']
}

const toUser = ({
  age = 60,
  isForRequest = false,
  userId = 'ada',
  isGiven = false,
  coversScopes = true,
  askReason,
}: UserState): PromptUser => ({
  userId,
  authTime: now - age,
  isForRequest,
  consent: { isGiven, coversScopes, askReason },
})

const toRequest = (prompt = '', maxAge?: number, hintedUserId?: string): PromptRequest => ({
  prompts: new Set(prompt.split(' ').filter(Boolean) as PromptValue[]),
  maxAge,
  hintedUserId,
  waitsSince: now - waitingSeconds,
})

const summarise = (decision: Decision): string =>
  decision.step === 'error' ? decision.code : 'reasons' in decision ? `${decision.step}: ${decision.reasons}` : 'issue'

describe('a request', () => {
  test.for<[string, PromptRequest, UserState | undefined, string]>([
    ['of a signed-in user', toRequest(), {}, 'issue'],
    ['without a session', toRequest(), undefined, 'sign in: no_session'],
    ['with prompt=login', toRequest('login'), { age: 1 }, 'reauthenticate: login_prompt'],
    [
      'with prompt=login in the second of an authentication',
      toRequest('login'),
      { age: 0 },
      'reauthenticate: login_prompt',
    ],
    ['with prompt=login and a sign-in for it', toRequest('login'), { age: 0, isForRequest: true }, 'issue'],
    ['with prompt=login without a session', toRequest('login'), undefined, 'reauthenticate: login_prompt,no_session'],
    ['with max_age that is met', toRequest('', 300), { age: 300 }, 'issue'],
    ['with max_age that is exceeded', toRequest('', 300), { age: 301 }, 'reauthenticate: max_age'],
    ['with max_age without a session', toRequest('', 300), undefined, 'sign in: no_session'],
    ['with a short max_age and a sign-in for it', toRequest('', 1), { age: 5, isForRequest: true }, 'issue'],
    [
      'with max_age and a sign-in for it that a provider has reused',
      toRequest('', 300),
      { age: 301, isForRequest: true },
      'reauthenticate: max_age',
    ],
    ['with max_age and a sign-in for it minutes ago', toRequest('', 100), { age: 300, isForRequest: true }, 'issue'],
    [
      'with prompt=login and a sign-in for it that a provider has reused',
      toRequest('login', 3600),
      { age: 301, isForRequest: true },
      'reauthenticate: login_prompt',
    ],
    [
      'with prompt=select_account and a sign-in for it that a provider has reused',
      toRequest('select_account'),
      { age: 301, isForRequest: true },
      'issue',
    ],
    [
      'for the user of another ID token than of the sign-in for it that a provider has reused',
      toRequest('', undefined, 'eve'),
      { age: 301, isForRequest: true },
      'login_required',
    ],
    ['with prompt=select_account', toRequest('select_account'), {}, 'select account: select_account_prompt'],
    ['with prompt=select_account and a sign-in for it', toRequest('select_account'), { isForRequest: true }, 'issue'],
    ['for the user of an ID token', toRequest('', undefined, 'ada'), {}, 'issue'],
    ['for the user of another ID token', toRequest('', undefined, 'eve'), {}, 'select account: id_token_hint'],
    [
      'for the user of an ID token, without a session',
      toRequest('', undefined, 'eve'),
      undefined,
      'select account: id_token_hint,no_session',
    ],
    [
      'for the user of another ID token than the one who has signed in for it',
      toRequest('', undefined, 'eve'),
      { isForRequest: true },
      'login_required',
    ],
    ['with prompt=consent', toRequest('consent'), {}, 'consent: consent_prompt'],
    ['with prompt=consent that was given', toRequest('consent'), { isGiven: true }, 'issue'],
    ['for scopes that are not granted', toRequest(), { coversScopes: false }, 'consent: scopes_missing'],
    ['for scopes that are granted on its page', toRequest(), { coversScopes: false, isGiven: true }, 'issue'],
    ['of a client that asks each time', toRequest(), { askReason: 'asked_each_time' }, 'consent: asked_each_time'],
    ['of an app on a device', toRequest(), { askReason: 'app_on_device' }, 'consent: app_on_device'],
    ['with prompt=login consent', toRequest('login consent'), {}, 'reauthenticate: login_prompt'],
    [
      'with prompt=login consent and a sign-in for it',
      toRequest('login consent'),
      { isForRequest: true },
      'consent: consent_prompt',
    ],
    ['with prompt=none', toRequest('none'), {}, 'issue'],
    ['with prompt=none without a session', toRequest('none'), undefined, 'login_required'],
    ['with prompt=none and max_age=0', toRequest('none login'), {}, 'login_required'],
    ['with prompt=none and max_age that is exceeded', toRequest('none', 10), { age: 11 }, 'login_required'],
    ['with prompt=none for the user of another ID token', toRequest('none', undefined, 'eve'), {}, 'login_required'],
    [
      'with prompt=none for scopes that are not granted',
      toRequest('none'),
      { coversScopes: false },
      'consent_required',
    ],
    [
      'with prompt=none of an app on a device',
      toRequest('none'),
      { askReason: 'app_on_device' },
      'interaction_required',
    ],
  ])('%s', ([, request, user, expected]) => {
    expect(summarise(decidePrompt(request, user && toUser(user), now))).toBe(expected)
  })
})

const someRequest: fc.Arbitrary<PromptRequest> = fc.record({
  prompts: fc
    .uniqueArray(fc.constantFrom<PromptValue>('none', 'login', 'select_account', 'consent'))
    .map((prompts) => new Set(prompts)),
  maxAge: fc.constantFrom(undefined, 1, 60, 300),
  hintedUserId: fc.constantFrom(undefined, 'ada', 'eve'),
  waitsSince: fc.constantFrom(undefined, now - waitingSeconds),
})
const someUser: fc.Arbitrary<PromptUser> = fc
  .record({
    age: fc.constantFrom(0, 1, 59, 60, 61, 300, 301, 100_000),
    isForRequest: fc.boolean(),
    userId: fc.constantFrom('ada', 'eve'),
    isGiven: fc.boolean(),
    coversScopes: fc.boolean(),
    askReason: fc.constantFrom(undefined, 'asked_each_time' as const, 'app_on_device' as const),
  })
  .map(toUser)
const runs = { numRuns: 5_000 }

describe('in every state of the session', () => {
  test('a code is issued only to a user who is signed in as demanded, and has consented', () => {
    const property = fc.property(someRequest, fc.option(someUser, { nil: undefined }), (request, user) => {
      if (decidePrompt(request, user, now).step !== 'issue') return
      if (!user) throw new Error('No user')
      const { prompts, maxAge, hintedUserId, waitsSince } = request
      const age = now - user.authTime
      const isFresh = user.isForRequest && waitsSince !== undefined && user.authTime >= waitsSince
      if (prompts.has('login')) expect(isFresh).toBe(true)
      if (prompts.has('select_account')) expect(user.isForRequest).toBe(true)
      if (maxAge !== undefined) expect(age <= maxAge || isFresh).toBe(true)
      if (hintedUserId !== undefined) expect(user.userId).toBe(hintedUserId)
      const { isGiven, askReason, coversScopes } = user.consent
      const isNeeded = prompts.has('consent') || askReason !== undefined || !coversScopes
      expect(isGiven || !isNeeded).toBe(true)
    })
    fc.assert(property, runs)
  })

  test('a silent request never needs the user, and another fails only for the wrong user of an ID token', () => {
    const property = fc.property(someRequest, fc.option(someUser, { nil: undefined }), (request, user) => {
      const { step } = decidePrompt(request, user, now)
      if (request.prompts.has('none')) expect(['issue', 'error']).toContain(step)
      else if (step === 'error') expect(user?.isForRequest && user.userId !== request.hintedUserId).toBe(true)
    })
    fc.assert(property, runs)
  })

  test('a user who does what each page asks gets a response after at most two sign-ins and one consent', () => {
    const someAge = fc.constantFrom(0, 300, 301, 100_000)
    const property = fc.property(someRequest, fc.option(someUser, { nil: undefined }), someAge, (read, start, age) => {
      const request = { ...read, waitsSince: now - waitingSeconds }
      let user = start
      const steps: string[] = []
      for (let count = 0; count < 5; count++) {
        const decision = decidePrompt(request, user, now)
        steps.push(decision.step)
        if (decision.step === 'issue' || decision.step === 'error') break
        const { userId = 'ada', consent = { isGiven: false, coversScopes: false } } = user ?? {}
        if (decision.step === 'consent') user = { ...(user as PromptUser), consent: { ...consent, isGiven: true } }
        else {
          // A provider may reuse an authentication unless it is asked for a new one.
          const authTime = decision.step === 'reauthenticate' ? now : now - age
          user = { userId, authTime, isForRequest: true, consent: { ...consent, isGiven: false } }
        }
      }
      expect(['issue', 'error']).toContain(steps.at(-1))
    })
    fc.assert(property, runs)
  })
})
