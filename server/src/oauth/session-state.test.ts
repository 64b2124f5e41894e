import { readFileSync } from 'node:fs'
import { compileFunction } from 'node:vm'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { computeSessionState } from './session-state.ts'

const script = readFileSync(new URL('../provider/check-session-frame.js', import.meta.url), 'utf8')
const runFrame = compileFunction(script, ['addEventListener', 'document'])

/** Asks the frame of a browser about a session, as a page of a client does. */
function askFrame(browserState: string, origin: string, data: unknown): Promise<string> {
  const { promise, resolve } = Promise.withResolvers<string>()
  const source = { postMessage: resolve }
  const addEventListener = (_type: string, listen: (event: object) => void) => listen({ data, origin, source })
  const cookie = browserState ? `other=1; passport-state=${browserState}; last=2` : 'other=1'
  runFrame(addEventListener, { cookie })
  return promise
}

const token = fc.stringMatching(/^[\w-]{1,30}$/)
const origin = fc.constantFrom('https://shop.example', 'http://localhost:3000', 'https://other.example:8443')

test('the frame finds a session unchanged as long as client, origin and browser are the same', async () => {
  const property = fc.asyncProperty(
    token,
    origin,
    token,
    token,
    origin,
    async (clientId, page, state, other, place) => {
      const sessionState = computeSessionState({ clientId, origin: page, browserState: state })
      const ask = (browserState: string, from = page, id = clientId) =>
        askFrame(browserState, from, `${id} ${sessionState}`)
      expect(await ask(state)).toBe('unchanged')
      expect(await ask(other)).toBe(other === state ? 'unchanged' : 'changed')
      expect(await ask('')).toBe('changed')
      expect(await ask(state, place)).toBe(place === page ? 'unchanged' : 'changed')
      expect(await ask(state, page, `${clientId}x`)).toBe('changed')
    },
  )
  await fc.assert(property)
})

test('two session states of the same input differ by their salt', () => {
  const input = { clientId: 'shop', origin: 'https://shop.example', browserState: 'b' }
  expect(computeSessionState(input)).not.toBe(computeSessionState(input))
  expect(computeSessionState({ ...input, salt: 'salt' })).toBe(computeSessionState({ ...input, salt: 'salt' }))
  expect(computeSessionState({ ...input, salt: 'salt' })).toMatch(/^[\w-]{43}\.salt$/)
})

test.for(['', 'shop', 'shop state', 'shop state.salt more', 'shop .', 7, undefined])(
  'the frame reports an error for the message %j',
  async (data) => expect(await askFrame('b', 'https://shop.example', data)).toBe('error'),
)
