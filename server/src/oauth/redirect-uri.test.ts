import { expect, test } from 'vitest'
import { isNative, isRegistered } from './redirect-uri.ts'

const app = {
  isConfidential: false,
  redirectUris: ['http://127.0.0.1/callback', 'http://[::1]:4000/callback?kept=1', 'com.example.app:/callback'],
}
const website = { isConfidential: false, redirectUris: ['https://shop.example/callback', 'http://127.0.0.1/callback'] }

test.for([
  [app, 'http://127.0.0.1/callback', true],
  [app, 'http://127.0.0.1:51423/callback', true],
  [app, 'http://[::1]:51423/callback?kept=1', true],
  [app, 'http://[::1]/callback?kept=1', true],
  [app, 'com.example.app:/callback', true],
  [app, 'http://127.0.0.1:51423/other', false],
  [app, 'http://127.0.0.1:51423/callback?a=b', false],
  [app, 'http://127.0.0.1:51423/callback#a', false],
  [app, 'http://127.0.0.1:80@evil.example/callback', false],
  [app, 'http://127.0.0.1:99999/callback', false],
  [app, 'http://127.0.0.1:/callback', false],
  [app, 'http://127.0.0.1.evil.example/callback', false],
  [app, 'http://127.0.0.2:51423/callback', false],
  [app, 'http://localhost:51423/callback', false],
  [app, 'https://127.0.0.1:51423/callback', false],
  [app, 'HTTP://127.0.0.1:51423/callback', false],
  [website, 'https://shop.example/callback', true],
  [website, 'https://shop.example:443/callback', false],
  [website, 'http://127.0.0.1:51423/callback', false],
] as const)('of %o, %s is registered: %s', ([client, uri, expected]) => {
  expect(isRegistered({ ...client, redirectUris: [...client.redirectUris] }, uri)).toBe(expected)
})

test('an app on a device is public, with redirect URIs of a private scheme or the loopback address only', () => {
  expect(isNative(app)).toBe(true)
  expect(isNative(website)).toBe(false)
  expect(isNative({ ...app, isConfidential: true })).toBe(false)
  expect(isNative({ isConfidential: false, redirectUris: [] })).toBe(false)
  expect(isNative({ isConfidential: false, redirectUris: ['http://localhost:3000/callback'] })).toBe(false)
})
