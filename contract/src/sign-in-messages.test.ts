import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { findSignInMessage, searchSignInMessages, signInMessages } from './sign-in-messages.ts'
import { explainReason, signInReasons } from './sign-in-reasons.ts'

/** The messages that the catalogue of errors fixes, to the character. */
const fixed = [
  'ignoring invalid return URL',
  'No popup_redirect_uri or redirect_uri configured',
  'No silent_redirect_uri configured',
  'No response returned from token endpoint',
  'No access token returned from token endpoint',
  'sub in id_token does not match current sub',
  'auth_time in id_token does not match original auth_time',
  'azp in id_token does not match original azp',
  'azp not in id_token, but present in original id_token',
  'Failed to validate id_token',
  'login_required',
  'No url provided',
  'Popup window closed',
  'Invalid response from popup',
  'Frame window timed out',
  'invalid response_type in state',
  'consent_required',
  'interaction_required',
  'account_selection_required',
]
const clientSource = readFileSync(new URL('../../sign-in/src/errors.ts', import.meta.url), 'utf8')
const [, table = ''] = /const messages = \{(.*?)\n\} as const/s.exec(clientSource) ?? []
const ofClient = [...table.matchAll(/: '([^']+)',/g)].map(([, message = '']) => message)

test('the table of the client is read', () => {
  expect(ofClient.length).toBeGreaterThan(30)
})

test.for([...new Set([...fixed, ...ofClient])])('“%s” has a cause and a fix, wherever it is pasted', (message) => {
  const found = findSignInMessage(message)
  expect(found).toMatchObject({ message })
  expect(found?.cause.length).toBeGreaterThan(10)
  expect(found?.fix.length).toBeGreaterThan(5)
  expect(findSignInMessage(`Uncaught (in promise)  SigninError: ${message.toUpperCase()}\n at signin`)).toBe(found)
  expect(searchSignInMessages(message, 5)).toContain(found)
})

test('every reason that a message names is explained', () => {
  for (const { reasons } of signInMessages)
    for (const reason of reasons) expect(explainReason(reason), reason).toBeDefined()
  expect(explainReason('toString')).toBeUndefined()
  expect(findSignInMessage('all is well')).toBeUndefined()
})

test('titles fit a line, and every text ends as a sentence', () => {
  for (const { title, cause, fix } of [...Object.values(signInReasons), ...signInMessages]) {
    expect(title.length).toBeLessThanOrEqual(40)
    for (const text of [cause, fix]) expect(text).toMatch(/\.$/)
  }
})
