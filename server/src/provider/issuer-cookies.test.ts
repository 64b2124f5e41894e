import { expect, test } from 'vitest'
import { createCookies } from '../http/cookies.ts'
import { createVault } from '../vault.ts'
import { createIssuerCookies } from './issuer-cookies.ts'

const [current, former] = ['the current secret of the test', 'the former secret of the test']
const create = (vault = createVault(current, [former])) =>
  createIssuerCookies({ name: 'directory', url: 'https://id.example/idp', vault, isSecure: true })
const id = 'i'.repeat(43)

test('the cookies of a session are for https and the path of the issuer, and are read again', () => {
  const lines = create().formatSession(id, 1_800_000_000)
  const attributes = '; path=/idp; samesite=lax; secure; httponly; expires=Fri, 15 Jan 2027 08:00:00 GMT'
  expect(lines).toEqual([
    `passport-directory-session=${id}${attributes}`,
    expect.stringMatching(/^passport-directory-session\.sig=[\w-]{27}; path=/),
  ])
  const header = lines.map((line) => line.split(';')[0]).join('; ')
  expect(create().readSession(createCookies(header, true))).toBe(id)
  expect(create().readSession(createCookies(header.replace('sig=', 'sig=A'), true))).toBeUndefined()
})

test('a session that was signed with a former secret is for the library, which signs it again', () => {
  const header = create(createVault(former))
    .formatSession(id, 1_800_000_000)
    .map((line) => line.split(';')[0])
    .join('; ')
  expect(create().readSession(createCookies(header, true))).toBeUndefined()
})
